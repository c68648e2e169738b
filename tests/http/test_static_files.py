"""Files that stay as they are while the service runs: their forms, tags and lifetimes."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from werkzeug.exceptions import NotFound
from werkzeug.test import TestResponse

from service.http.replies import IMMUTABLE
from service.http.static_files import StaticFiles

ASKED_AGAIN = ["/v1/docs", "/v1/docs/docs.js", "/play", "/play/main.mjs", "/verify.mjs"]
BUNDLE = "swagger-ui-bundle.js"
UNCHANGED = ("ETag", "Cache-Control", "Vary")


@pytest.fixture
def bundle(client: FlaskClient) -> str:
    """The path of Swagger UI's program, as the page names it."""
    found = re.search(rf'"(docs/[0-9a-f]{{16}}/{BUNDLE})"', client.get("/v1/docs").text)
    assert found
    return f"/v1/{found[1]}"


def asked(client: FlaskClient, path: str, **headers: str) -> TestResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.get(path, headers=named)


def test_a_file_is_sent_compressed_to_who_accepts_that(client: FlaskClient, bundle: str) -> None:
    plain = asked(client, bundle)
    small = asked(client, bundle, Accept_Encoding="br, gzip;q=0.5")

    assert "Content-Encoding" not in plain.headers
    assert small.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(small.data) == plain.data
    assert int(small.headers["Content-Length"]) == len(small.data) < len(plain.data) / 3
    assert small.headers["ETag"] != plain.headers["ETag"]
    assert small.headers["Content-Type"] == plain.headers["Content-Type"]
    assert {each.headers["Vary"] for each in (plain, small)} == {"Accept-Encoding"}


@pytest.mark.parametrize("accepted", ["gzip;q=0", "identity", "br", "gzip;q=0, *", ""])
def test_a_file_is_sent_as_it_is_to_who_does_not(client: FlaskClient, accepted: str) -> None:
    answer = asked(client, "/play/main.mjs", Accept_Encoding=accepted)

    assert "Content-Encoding" not in answer.headers
    assert answer.data.startswith(b"/**")


def test_what_does_not_get_smaller_is_sent_as_it_is(client: FlaskClient) -> None:
    answer = asked(client, "/v1/docs/favicon-32x32.png", Accept_Encoding="gzip")

    assert "Content-Encoding" not in answer.headers
    assert answer.data.startswith(b"\x89PNG")


def test_an_address_with_the_version_may_be_kept_and_the_page_may_not(
    client: FlaskClient, bundle: str
) -> None:
    assert asked(client, bundle).headers["Cache-Control"] == IMMUTABLE
    for path in ASKED_AGAIN:
        assert asked(client, path).headers["Cache-Control"] == "no-cache", path


def test_another_version_is_not_there(client: FlaskClient, bundle: str) -> None:
    version = bundle.split("/")[-2]
    for wrong in ("0" * 16, version[:-1], version.upper(), f"{version}/.."):
        answer = asked(client, f"/v1/docs/{wrong}/{BUNDLE}")
        assert (answer.status_code, answer.json and answer.json["code"]) == (404, "not-found")
    assert asked(client, f"/v1/docs/{version}/docs.html").status_code == 404


@pytest.mark.parametrize("path", [*ASKED_AGAIN, "bundle"])
@pytest.mark.parametrize("accepted", ["gzip", "identity"])
def test_what_is_known_is_not_sent_again(
    client: FlaskClient, bundle: str, path: str, accepted: str
) -> None:
    path = bundle if path == "bundle" else path
    first = asked(client, path, Accept_Encoding=accepted)
    for tag in (first.headers["ETag"], f'W/{first.headers["ETag"]}, "x"', "*"):
        again = asked(client, path, Accept_Encoding=accepted, If_None_Match=tag)
        assert (again.status_code, again.data) == (304, b"")
        assert [again.headers[name] for name in UNCHANGED] == [
            first.headers[name] for name in UNCHANGED
        ]
    assert asked(client, path, If_None_Match='"another"').status_code == 200


@pytest.mark.parametrize(
    "path", [*ASKED_AGAIN, "bundle", "/play/style/base.css", "/v1/openapi.json"]
)
def test_a_file_is_sent_whole_whatever_else_is_asked(
    client: FlaskClient, bundle: str, path: str
) -> None:
    path = bundle if path == "bundle" else path
    whole = asked(client, path)
    for name in ("If-Match", "If-Unmodified-Since", "Range", "If-Range"):
        for value in ('"nothing"', "*", "Mon, 01 Jan 2001 00:00:00 GMT", "bytes=0-0"):
            answer = client.get(path, headers={name: value})
            assert (answer.status_code, answer.data) == (200, whole.data), (name, value)


def test_head_has_the_headers_and_no_body(client: FlaskClient, bundle: str) -> None:
    for path in (*ASKED_AGAIN, bundle):
        gets = asked(client, path, Accept_Encoding="gzip").headers
        head = client.head(path, headers={"Accept-Encoding": "gzip"})
        assert (head.status_code, head.data) == (200, b"")
        for name in (*UNCHANGED, "Content-Length", "Content-Type", "Content-Encoding"):
            assert head.headers[name] == gets[name], (path, name)


def test_the_version_is_another_once_any_file_is(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    for name in ("one.js", "inner/two.css", "page.html", "three.unknown"):
        (tmp_path / name).write_text("1")
    first = StaticFiles.below(tmp_path)
    versions = {first.version, StaticFiles.below(tmp_path).version}
    (tmp_path / "inner/two.css").write_text("2")
    versions.add(StaticFiles.below(tmp_path).version)
    (tmp_path / "one.js").rename(tmp_path / "other.js")
    versions.add(StaticFiles.below(tmp_path).version)

    assert len(versions) == 3
    assert set(first.paths) == {"one.js", "inner/two.css"}


@pytest.mark.parametrize("name", ["page.html", "../one.js", "/one.js", "", "inner"])
def test_only_listed_names_are_files(tmp_path: Path, name: str) -> None:
    (tmp_path / "inner").mkdir()
    for each in ("one.js", "inner/page.html"):
        (tmp_path / each).write_text("1")
    with pytest.raises(NotFound):
        StaticFiles.below(tmp_path / "inner").reply(name)


def test_a_page_names_the_version(tmp_path: Path) -> None:
    (tmp_path / "one.js").write_text("1")
    (tmp_path / "page.html").write_text('<script src="files/{version}/one.js"></script>')
    files = StaticFiles.below(tmp_path)
    page = files.page(tmp_path / "page.html")

    assert page.content.decode() == f'<script src="files/{files.version}/one.js"></script>'
    assert page.media_type == "text/html; charset=utf-8"
