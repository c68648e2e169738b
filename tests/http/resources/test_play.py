"""The table to play at, as it is served: everything it loads is there, and all of it is its own."""

from __future__ import annotations

import gzip
import hashlib
import re
from urllib.parse import urljoin

import pytest
from flask.testing import FlaskClient

from service.app import create_app
from service.config import Config
from service.http.resources import play

FILES = play._FOLDER
LIBRARY = "72284e8e9079c87817145df1110f74e8a2aa040b2fc384922e18dfcb46fc1fd7"
"""The SHA-256 of preact/standalone.module.js of htm 3.1.1, as npm has it."""
LARGEST_PAGE = 150 * 1024
OWN = [each for each in sorted(FILES.rglob("*.*")) if each.parent.name != "vendor"]


def text_of(client: FlaskClient, path: str) -> str:
    answer = client.get(path, buffered=True)
    assert answer.status_code == 200, path
    return answer.get_data(as_text=True)


def linked(client: FlaskClient) -> list[str]:
    """The paths of all files that the page names."""
    links = re.findall(r'(?:src|href)="(play/[^"]+)"', text_of(client, "/play"))
    return [urljoin("/play", link) for link in links]


def imported(client: FlaskClient) -> list[str]:
    """The paths of all modules that the page's first one leads to."""
    modules = ["/play/main.mjs"]
    for path in modules:  # which grows by what each of them imports
        links = re.findall(r'^import [^"]*from "(.+)";', text_of(client, path), re.MULTILINE)
        modules += {urljoin(path, link) for link in links} - set(modules)
    return modules


def test_the_page_names_every_file_that_it_loads(client: FlaskClient) -> None:
    names = linked(client)
    styles = {f"/play/style/{each.name}" for each in (FILES / "style").iterdir()}
    modules = {f"/play/{each.relative_to(FILES).as_posix()}" for each in FILES.rglob("*.mjs")}

    assert len(names) == len(set(names))
    assert set(names) == styles | set(imported(client)) | {"/play/icon.svg"}
    assert set(imported(client)) == {path for path in modules if not path.endswith(".d.mts")}


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("main.mjs", "text/javascript; charset=utf-8"),
        ("style/base.css", "text/css; charset=utf-8"),
        ("icon.svg", "image/svg+xml; charset=utf-8"),
        ("vendor/LICENSE.txt", "text/plain; charset=utf-8"),
    ],
)
def test_a_file_has_its_media_type_and_is_asked_for_again(
    client: FlaskClient, name: str, media_type: str
) -> None:
    answer = client.get(f"/play/{name}", buffered=True)
    known = {"If-None-Match": answer.headers["ETag"]}
    again = client.get(f"/play/{name}", headers=known, buffered=True)

    assert answer.headers["Content-Type"] == media_type
    assert answer.headers["Cache-Control"] == "no-cache"
    assert (again.status_code, again.data) == (304, b"")


@pytest.mark.parametrize("path", ["/play", "/play/main.mjs", "/play/style/base.css"])
def test_the_policy_allows_own_files_alone(client: FlaskClient, path: str) -> None:
    header = client.get(path, buffered=True).headers["Content-Security-Policy"]
    policy = {name: rest for name, *rest in map(str.split, header.split(";"))}

    assert policy.pop("default-src") == ["'none'"]
    own = {name for name, rest in policy.items() if rest == ["'self'"]}
    assert own == {"script-src", "style-src", "img-src", "connect-src"}
    assert all(policy[name] == ["'none'"] for name in policy.keys() - own)


def test_the_page_has_no_inline_code_and_no_address_from_the_root(client: FlaskClient) -> None:
    page = text_of(client, "/play")

    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page)
    assert not re.search(r'(?:src|href)="(?:/|http)', page)
    assert all(re.search(r"\ssrc=", tag) for tag in re.findall(r"<script[^>]*>", page))


@pytest.mark.parametrize(
    "name", ["nothing.mjs", "types.ts", "vendor/preact-htm.d.mts", "../docs.js", "..%2Fdocs.js"]
)
def test_no_other_file_is_served(client: FlaskClient, name: str) -> None:
    answer = client.get(f"/play/{name}")

    assert answer.status_code == 404
    assert answer.get_json()["code"] == "not-found"


@pytest.mark.parametrize("path", ["/play", "/play/main.mjs"])
def test_other_methods_are_problems_and_head_has_no_body(client: FlaskClient, path: str) -> None:
    refused = client.post(path, json={})
    head = client.head(path, buffered=True)

    assert (refused.status_code, refused.get_json()["code"]) == (405, "method-not-allowed")
    assert set(refused.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}
    assert (head.status_code, head.data) == (200, b"")


@pytest.mark.parametrize("path", ["/play/", "/cards/play/"])
def test_with_a_slash_it_leads_to_the_page(path: str) -> None:
    client = create_app(Config(root_path="/cards", log_level="WARNING")).test_client()

    assert client.get(path).headers["Location"] == "/cards/play"


def test_the_library_is_the_one_that_was_published() -> None:
    vendored = FILES / "vendor"

    assert hashlib.sha256((vendored / "preact-htm.mjs").read_bytes()).hexdigest() == LIBRARY
    licence = (vendored / "LICENSE.txt").read_text()
    assert "Apache License" in licence
    assert "The MIT License" in licence


def test_the_page_is_small(client: FlaskClient) -> None:
    files = [text_of(client, path) for path in ("/play", *linked(client))]

    assert sum(len(gzip.compress(text.encode())) for text in files) < LARGEST_PAGE


def test_no_file_is_long() -> None:
    lengths = {each.name: len(each.read_text().splitlines()) for each in OWN}

    assert {name for name, lines in lengths.items() if lines > 300} == set()


def test_it_needs_nothing_that_pages_without_tls_do_not_have() -> None:
    source = "\n".join(each.read_text() for each in OWN if each.suffix == ".mjs")

    for name in ("crypto.subtle", "randomUUID", "navigator.clipboard", "serviceWorker"):
        assert name not in source, name
