"""A turn played in a browser, by nothing but what Swagger UI shows."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from playwright.sync_api import Locator, Page, expect

from tests.system.launch import Launch

_MILLISECONDS = 20_000.0


class Docs:
    """The page of Swagger UI, with all that it asked for and all that it complained of.

    A picture of every operation is left in `folder`.
    """

    def __init__(self, page: Page, url: str, folder: Path) -> None:
        self._page = page
        self._folder = folder
        self.asked: list[str] = []
        self.complaints: list[str] = []
        page.set_default_timeout(_MILLISECONDS)
        page.set_viewport_size({"width": 1300, "height": 1000})
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("requestfailed", lambda request: self.complaints.append(f"failed: {request.url}"))
        page.on("console", lambda said: self.complaints.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(url)
        expect(page.locator(".opblock").first).to_be_visible(timeout=_MILLISECONDS)
        page.screenshot(path=folder / "page.png", full_page=True)

    def operations(self) -> list[str]:
        """The names of the operations, from top to bottom."""
        return self._page.locator(".opblock-summary-operation-id").all_inner_texts()

    def is_locked(self, operation: str) -> bool:
        """Whether the lock beside an operation is closed."""
        lock = self._block(operation).locator(".authorization__btn")
        return lock.get_attribute("aria-label") == "authorization button locked"

    def authorize(self, token: str) -> None:
        """Give a token to the dialog behind the Authorize button."""
        self._page.locator(".auth-wrapper .btn.authorize").click()
        dialog = self._page.locator(".dialog-ux .modal-ux")
        self._page.screenshot(path=self._folder / "authorize.png")
        dialog.locator("input").fill(token)
        dialog.get_by_role("button", name="Apply credentials").click()
        dialog.locator(".btn-done").click()

    def execute(self, operation: str, status: int, **typed: str) -> Any:
        """Open an operation, fill in its fields, press Execute, and read the body shown."""
        block = self._block(operation)
        if "is-open" not in (block.get_attribute("class") or ""):
            block.locator(".opblock-summary-control").click()
        for name, text in typed.items():
            self._field(block, name).fill(text)
        block.get_by_role("button", name="Execute").click()
        answer = block.locator(".live-responses-table tbody")
        expect(answer.locator(".response-col_status").first).to_have_text(str(status))
        block.screenshot(path=self._folder / f"{operation}.png")
        return json.loads(answer.locator(".highlight-code code").first.inner_text())

    def _block(self, operation: str) -> Locator:
        return self._page.locator(f".opblock[id$='-{operation}']")

    def _field(self, block: Locator, name: str) -> Locator:
        if name == "body":
            return block.locator("textarea.body-param__text")
        return block.locator(f"tr[data-param-name='{name}'] input")


@pytest.fixture
def docs(page: Page, service_url: str, tmp_path: Path) -> Docs:
    return Docs(page, f"{service_url}/v1/docs", tmp_path)


def test_a_turn_is_played_by_clicks_and_typing_alone(docs: Docs, service_url: str) -> None:
    created = docs.execute("createGame", 201)
    game_id = created["game"]["id"]
    docs.authorize(created["token"])

    seen = docs.execute("getGame", 200, game_id=game_id)
    assert seen["you"] == created["game"]["you"]

    drawn = docs.execute("drawCard", 200, game_id=game_id)
    you = drawn["game"]["you"]
    assert you["drawn"] in you["hand"]

    card = you["legal"]["discard"][0]
    moved = docs.execute("discardCard", 200, game_id=game_id, body=json.dumps({"card": card}))
    others = {event["seat"] for event in moved["events"] if event["type"] == "card_drawn"}
    assert moved["events"][0]["card"] == card
    assert others
    assert others <= {1, 2, 3}

    assert docs.complaints == []
    assert {urlsplit(url)._replace(path="").geturl() for url in docs.asked} == {service_url}


def test_under_a_prefix_the_page_and_its_calls_are_below_it(page: Page, tmp_path: Path) -> None:
    with Launch(tmp_path, ROOT_PATH="/cards") as service:
        docs = Docs(page, f"{service.url()}/cards", tmp_path)
        assert docs.execute("createGame", 201)["game"]["status"] == "playing"
        paths = {urlsplit(url).path for url in docs.asked}

    assert "/cards/v1/games" in paths
    assert {path for path in paths if not path.startswith("/cards")} == set()
    assert docs.complaints == []


def test_the_locks_show_whether_there_is_a_token(docs: Docs) -> None:
    guarded = ("getGame", "drawCard", "discardCard", "deleteGame")
    assert not any(docs.is_locked(operation) for operation in guarded)

    docs.authorize("of any game")

    assert all(docs.is_locked(operation) for operation in guarded)


def test_the_operations_stand_in_the_order_in_which_one_plays(docs: Docs) -> None:
    operations = docs.operations()

    assert operations[:4] == ["createGame", "getGame", "drawCard", "discardCard"]
    assert operations[operations.index("deleteGame") + 1] == "joinGame"  # the last of its group


def test_the_example_bodies_can_be_sent_as_they_are(docs: Docs) -> None:
    assert docs.execute("createGame", 201)["game"]["status"] == "playing"
    assert docs.execute("evaluateHand", 200)["melds"]
    assert docs.execute("listEvents", 404, game_id="A" * 22)["code"] == "game-not-found"


def test_the_policy_allows_no_inline_code_and_no_other_host(service_url: str) -> None:
    for path in ("/v1/docs", "/v1/docs/docs.js", "/v1/docs/swagger-ui.css", "/v1/openapi.json"):
        header = requests.get(service_url + path, timeout=10).headers["Content-Security-Policy"]
        policy = {name: set(rest) for name, *rest in map(str.split, header.split(";"))}

        assert policy["default-src"] == {"'none'"}
        assert policy["frame-ancestors"] == {"'none'"}
        assert policy.get("script-src", {"'self'"}) == {"'self'"}
        assert set().union(*policy.values()) <= {"'none'", "'self'", "data:"}
