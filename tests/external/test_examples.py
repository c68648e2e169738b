"""The examples in JavaScript: a program for Node.js, and a page of another origin in Chromium."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.system.launch import Launch, create_game, version

EXAMPLES = Path(__file__).parents[2] / "examples"
_MILLISECONDS = 20_000.0
_SIMPLE = """async ([url, path]) => {
    const body = JSON.stringify({source: "stock"});
    const response = await fetch(url + path, {method: "POST", mode: "no-cors", body});
    return response.type;
}"""
"""A request for which a browser asks no permission before it."""
_DRAW = "#piles button:enabled"
_DISCARD = "#hand button:enabled"


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def pages() -> Iterator[int]:
    """The port at which the examples are served as files."""
    handler = partial(QuietHandler, directory=str(EXAMPLES))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        serving = Thread(target=server.serve_forever)
        serving.start()
        yield server.server_port
        server.shutdown()
        serving.join()


@contextmanager
def nothing_wrong(page: Page) -> Iterator[None]:
    """Fail if the browser complains of anything."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("requestfailed", lambda request: said.append(request.url))
    yield
    assert said == []


def test_play_mjs_plays_a_whole_game(service_url: str) -> None:
    node = shutil.which("node")
    assert node, "this test needs Node.js 18 or newer"
    ended = subprocess.run(
        [node, str(EXAMPLES / "play.mjs"), service_url],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(json.loads(ended.stdout)["totals"]) == 4


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_a_page_of_another_origin_plays_a_turn(
    page: Page, service_url: str, pages: int, host: str
) -> None:
    page.set_default_timeout(_MILLISECONDS)
    with nothing_wrong(page):
        page.goto(f"http://{host}:{pages}/table.html?service={service_url}")
        page.get_by_role("button", name="New game").click()
        expect(page.locator("#hand button")).to_have_count(3)
        page.locator(_DRAW).first.click()
        expect(page.locator(_DISCARD)).to_have_count(4)
        best = page.locator("#hand .best img").first.get_attribute("alt")
        page.locator("#hand .best").first.click()
        expect(page.locator(_DRAW)).to_have_count(2)
        expect(page.locator("#log")).to_contain_text(f"You discarded {best}")
        shown = "[...document.images].every(image => image.complete && image.naturalWidth > 0)"
        page.wait_for_function(shown)


def test_a_page_plays_a_whole_game_by_clicks(page: Page, service_url: str, pages: int) -> None:
    page.set_default_timeout(_MILLISECONDS)
    with nothing_wrong(page):
        page.goto(f"http://localhost:{pages}/table.html?service={service_url}")
        page.get_by_role("button", name="New game").click()
        while "The game is over" not in page.locator("#say").inner_text():
            page.locator(_DRAW).first.click()
            page.locator("#hand .best:enabled").first.click()
            page.wait_for_selector(f"{_DRAW}, #say:has-text('The game is over')")
        expect(page.locator("#round")).to_contain_text("Round 11 of 11")


def test_a_foreign_page_is_refused_and_changes_nothing(
    page: Page, tmp_path: Path, pages: int
) -> None:
    page.set_default_timeout(_MILLISECONDS)
    with Launch(tmp_path) as service:
        url = service.url()
        game = create_game(url)
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.goto(f"http://app.example:{pages}/table.html?service={url}")

        page.get_by_role("button", name="New game").click()
        expect(page.locator("#say")).to_contain_text("No game")
        for path in ("/v1/games", urlsplit(game).path + "/draw"):
            assert page.evaluate(_SIMPLE, [url, path]) == "opaque"

        assert page.locator("#hand button").count() == 0
        assert any("blocked by CORS policy" in each for each in said)
        assert version(game) == 1
        assert service.output.count("POST /v1/games 201") == 1  # that of this test
        assert service.output.count("POST /v1/games 403") == 1
        assert service.output.count("/draw 403") == 1


def test_an_origin_that_the_operator_allows_plays(page: Page, tmp_path: Path, pages: int) -> None:
    origin = f"http://app.example:{pages}"
    with Launch(tmp_path, ALLOWED_ORIGINS=origin) as service, nothing_wrong(page):
        page.goto(f"{origin}/table.html?service={service.url()}")
        page.get_by_role("button", name="New game").click()
        page.locator(_DRAW).first.click()
        expect(page.locator(_DISCARD)).to_have_count(4)
