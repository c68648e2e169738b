"""getRules over HTTP: which language, which form, and how an answer is cached."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from service.app import create_app
from service.config import Config
from service.http.rulebook import LANGUAGES, rulebook
from tests.player import refused

PATH = "/v1/rules"
MARKDOWN = "text/markdown"
each_language = pytest.mark.parametrize("language", LANGUAGES)


@pytest.fixture
def reader(tmp_path: Path) -> FlaskClient:
    """A client of a service whose store is down: the rules need none."""
    url = f"unix://{tmp_path}/none.sock"
    return create_app(Config(redis_url=url, log_level="CRITICAL")).test_client()


@each_language
def test_json_has_the_sections_in_the_language_asked_for(
    reader: FlaskClient, language: str
) -> None:
    answer = reader.get(PATH, headers={"Accept-Language": language})
    rules = rulebook(language)
    assert answer.status_code == 200
    assert answer.content_type == "application/json"
    assert answer.headers["Content-Language"] == language
    assert answer.get_json() == {
        "language": language,
        "title": rules.title,
        "sections": [
            {"id": section.id, "title": section.title, "text": section.text}
            for section in rules.sections
        ],
    }


@each_language
def test_markdown_is_one_document_in_the_language_asked_for(
    reader: FlaskClient, language: str
) -> None:
    answer = reader.get(PATH, headers={"Accept-Language": language, "Accept": MARKDOWN})
    assert answer.status_code == 200
    assert answer.content_type == "text/markdown; charset=utf-8"
    assert answer.headers["Content-Language"] == language
    assert answer.data.decode() == rulebook(language).markdown


@pytest.mark.parametrize(
    ("stated", "language"),
    [
        ("de-AT", "de"),
        ("de-AT, en;q=0.5", "de"),
        ("vi-VN,vi;q=0.9,en-US;q=0.8,en;q=0.7", "vi"),
        ("en;q=0.1, hi-IN;q=0.9", "hi"),
        ("en-GB, de;q=0.9", "en"),
        ("fr, tr;q=0.2", "tr"),
        ("tr, de", "tr"),
        ("de, tr", "de"),
        ("VI", "vi"),
        ("*", "en"),
        ("hi;q=0.5, *;q=0.1", "hi"),
        ("*, en;q=0", "de"),
        ("fr", "en"),
        ("zh-Hant-TW, ja;q=0.8", "en"),
        ("de;q=0", "en"),
        ("", "en"),
        (";;q=,", "en"),
        ("de;q=none, tr;q=0.1", "tr"),
    ],
)
def test_the_language_is_the_one_preferred_and_english_where_none_is_there(
    reader: FlaskClient, stated: str, language: str
) -> None:
    answer = reader.get(PATH, headers={"Accept-Language": stated})
    assert answer.status_code == 200
    assert answer.headers["Content-Language"] == answer.get_json()["language"] == language


def test_without_a_language_the_rules_are_english(reader: FlaskClient) -> None:
    assert reader.get(PATH).headers["Content-Language"] == "en"


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        (None, "application/json"),
        ("", "application/json"),
        ("*/*", "application/json"),
        ("application/*", "application/json"),
        ("text/html,application/xhtml+xml,*/*;q=0.8", "application/json"),
        ("application/json, text/markdown", "application/json"),
        ("text/markdown, application/json", "application/json"),
        ("application/json;q=0.5, text/markdown", MARKDOWN),
        ("text/markdown;q=0.5, application/json;q=0.6", "application/json"),
        ("text/*", MARKDOWN),
        ("text/html, text/markdown;q=0.1", MARKDOWN),
        ("application/json;q=0, */*", MARKDOWN),
        ("text/markdown;charset=utf-8", MARKDOWN),
        ("application/json;charset=utf-8, text/markdown;q=0.9", "application/json"),
    ],
)
def test_the_form_is_the_one_preferred_and_json_where_both_are_alike(
    reader: FlaskClient, accept: str | None, media_type: str
) -> None:
    headers = {} if accept is None else {"Accept": accept}
    assert reader.get(PATH, headers=headers).mimetype == media_type


@pytest.mark.parametrize("accept", ["text/html", "image/*", "application/json;q=0", "nonsense"])
def test_who_takes_neither_form_gets_none(reader: FlaskClient, accept: str) -> None:
    headers = {"Accept": accept, "Accept-Language": "de"}
    refused(reader.get(PATH, headers=headers), 406, "not-acceptable")


def test_every_text_has_a_tag_of_its_own_that_stays(reader: FlaskClient) -> None:
    forms = [
        {"Accept-Language": language, "Accept": accept}
        for language in LANGUAGES
        for accept in ("application/json", MARKDOWN)
    ]
    tags = [reader.get(PATH, headers=form).headers["ETag"] for form in forms]
    assert len(set(tags)) == len(forms)
    assert [reader.get(PATH, headers=form).headers["ETag"] for form in forms] == tags


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("accept", ["application/json", MARKDOWN])
def test_a_text_that_is_known_is_not_sent_again(
    reader: FlaskClient, method: str, accept: str
) -> None:
    headers = {"Accept-Language": "tr", "Accept": accept}
    first = reader.get(PATH, headers=headers)
    tag = first.headers["ETag"]
    for known in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        again = reader.open(PATH, method=method, headers={**headers, "If-None-Match": known})
        assert (again.status_code, again.data) == (304, b"")
        for name in ("ETag", "Vary", "Cache-Control"):
            assert again.headers[name] == first.headers[name]


def test_the_tag_of_another_language_is_not_enough(reader: FlaskClient) -> None:
    tag = reader.get(PATH, headers={"Accept-Language": "de"}).headers["ETag"]
    answer = reader.get(PATH, headers={"Accept-Language": "vi", "If-None-Match": tag})
    assert answer.status_code == 200
    assert answer.get_json()["language"] == "vi"


@pytest.mark.parametrize("accept", ["application/json", MARKDOWN])
def test_any_cache_may_keep_a_text_for_its_language_and_form(
    reader: FlaskClient, accept: str
) -> None:
    answer = reader.get(PATH, headers={"Accept": accept})
    assert answer.headers["Vary"] == "Accept, Accept-Language"
    assert answer.headers["Cache-Control"] == "public, max-age=3600"


def test_head_says_what_get_would_send(reader: FlaskClient) -> None:
    headers = {"Accept-Language": "hi", "Accept": MARKDOWN}
    got, asked = (reader.open(PATH, method=each, headers=headers) for each in ("GET", "HEAD"))
    assert asked.data == b""
    own = {"X-Request-Id"}
    assert {k: v for k, v in asked.headers if k not in own} == {
        k: v for k, v in got.headers if k not in own
    }
    assert asked.content_length == len(got.data)


def test_a_token_changes_nothing(reader: FlaskClient) -> None:
    plain, with_token = (
        reader.get(PATH, headers=headers)
        for headers in ({}, {"Authorization": "Bearer of-no-seat"})
    )
    assert with_token.status_code == 200
    assert with_token.data == plain.data
    assert with_token.headers["ETag"] == plain.headers["ETag"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_the_rules_cannot_be_changed(reader: FlaskClient, method: str) -> None:
    answer = reader.open(PATH, method=method)
    refused(answer, 405, "method-not-allowed")
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS"
