"""getCard: the images of the cards over HTTP, which anybody may ask for and keep."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from flask.testing import FlaskClient

from service.app import create_app
from service.config import Config
from service.http.card_images.images import IMAGE_CODES, card_image
from tests.player import refused

QUEEN = "/v1/cards/QH.svg"


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    """A client of a service whose store cannot be reached."""
    config = Config(redis_url="redis://127.0.0.1:1", data_dir=Path("unused"), log_level="WARNING")
    return create_app(config).test_client()


@pytest.mark.parametrize(("query", "colours"), [("", 2), ("?colours=2", 2), ("?colours=4", 4)])
@pytest.mark.parametrize("code", IMAGE_CODES)
def test_every_image_is_served_without_a_store(
    client: FlaskClient, code: str, query: str, colours: int
) -> None:
    answer = client.get(f"/v1/cards/{code}.svg{query}")

    assert answer.status_code == 200
    assert answer.content_type == "image/svg+xml"
    assert answer.data == card_image(code, colours).svg
    ET.fromstring(answer.data)


def test_an_image_may_be_kept_by_everybody_for_a_year(client: FlaskClient) -> None:
    answer = client.get(QUEEN, headers={"Authorization": "Bearer of-no-seat"})

    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert "Vary" not in answer.headers
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("origin", [{}, {"Origin": "https://elsewhere.example"}])
def test_an_image_that_is_kept_serves_pages_of_every_origin(
    client: FlaskClient, origin: dict[str, str]
) -> None:
    headers = client.get(QUEEN, headers=origin).headers

    assert headers["Access-Control-Allow-Origin"] == "*"
    assert "Vary" not in headers


def test_an_image_has_the_security_headers_of_every_answer(client: FlaskClient) -> None:
    headers = client.get(QUEEN).headers

    assert headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', "*"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_an_image_that_is_known_is_not_sent_again(
    client: FlaskClient, method: str, form: str
) -> None:
    tag = client.get(QUEEN).headers["ETag"]
    again = client.open(QUEEN, method=method, headers={"If-None-Match": form.format(tag)})

    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["ETag"] == tag
    assert again.headers["Cache-Control"] == "public, max-age=31536000, immutable"


def test_the_tag_of_another_image_is_no_match(client: FlaskClient) -> None:
    tag = client.get("/v1/cards/QD.svg").headers["ETag"]

    for path in (QUEEN, "/v1/cards/QD.svg?colours=4"):
        assert client.get(path, headers={"If-None-Match": tag}).status_code == 200


def test_head_tells_what_get_would_answer(client: FlaskClient) -> None:
    answer, head = client.get(QUEEN), client.head(QUEEN)

    assert (head.status_code, head.data) == (200, b"")
    for name in ("Content-Type", "Content-Length", "ETag", "Cache-Control"):
        assert head.headers[name] == answer.headers[name]


@pytest.mark.parametrize("code", ["qh", "10H", "1J", "JOKER", "Back", "XX", "QH.svg", "%20QH"])
def test_an_unknown_code_is_not_found_and_named(client: FlaskClient, code: str) -> None:
    problem = refused(client.get(f"/v1/cards/{code}.svg"), 404, "not-found")

    assert repr(code.replace("%20", " ")) in problem["detail"]


@pytest.mark.parametrize("path", ["/v1/cards", "/v1/cards/", "/v1/cards/.svg", "/v1/cards/QH",
                                  "/v1/cards/QH.png", "/v1/cards/QH.SVG"])  # fmt: skip
def test_there_is_nothing_else_at_this_place(client: FlaskClient, path: str) -> None:
    refused(client.get(path), 404, "not-found")


def test_a_refusal_is_not_kept(client: FlaskClient) -> None:
    for path in ("/v1/cards/XX.svg", f"{QUEEN}?colours=3"):
        assert client.get(path).headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("value", ["3", "", "04", "4.0", "+4", " 4", "four", "\u0664"])
def test_colours_are_two_or_four(client: FlaskClient, value: str) -> None:
    answer = client.get(QUEEN, query_string={"colours": value})

    assert refused(answer, 422, "validation-failed")["errors"] == [
        {"pointer": "/query/colours", "detail": "Must be one of: 2, 4."}
    ]


def test_another_parameter_is_refused(client: FlaskClient) -> None:
    problem = refused(client.get(f"{QUEEN}?colors=4"), 422, "validation-failed")

    assert problem["errors"][0]["pointer"] == "/query/colors"


@pytest.mark.parametrize(
    "accept",
    ["image/svg+xml", "image/*", "image/avif,image/webp,image/apng,image/*;q=0.8,*/*;q=0.5"],
)
def test_who_takes_images_gets_one(client: FlaskClient, accept: str) -> None:
    assert client.get(QUEEN, headers={"Accept": accept}).status_code == 200


@pytest.mark.parametrize("accept", ["application/json", "text/html", "image/png"])
def test_who_takes_other_things_alone_is_told(client: FlaskClient, accept: str) -> None:
    refused(client.get(QUEEN, headers={"Accept": accept}), 406, "not-acceptable")


def test_images_are_only_read(client: FlaskClient) -> None:
    answer = client.put(QUEEN)

    refused(answer, 405, "method-not-allowed")
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS"
