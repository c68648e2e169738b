"""What the application does itself, since the frameworks take longer: it does as they would."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

import pytest
from flask import Flask, Response
from flask.globals import app_ctx
from werkzeug.exceptions import HTTPException
from werkzeug.routing import MapAdapter
from werkzeug.test import EnvironBuilder

from service.app import create_app
from service.config import Config
from service.http.middleware import SentResponse
from service.http.replies import Reply
from service.store.game_store import GameStore


@pytest.fixture
def app(redis_url: str, store: GameStore) -> Flask:
    return create_app(Config(redis_url=redis_url, root_path="/cards"), store)


def environ(path: str = "/v1/games", method: str = "GET", **variables: str) -> dict[str, Any]:
    built = {**EnvironBuilder(path, method=method).get_environ(), "SCRIPT_NAME": "/cards"}
    return {**built, "HTTP_HOST": "localhost", **variables}


def found(app: type[Flask], self: Flask, variables: dict[str, Any]) -> object:
    """What an adapter is made of, or why there is none."""
    try:
        adapter = app.create_url_adapter(self, self.request_class(variables))
    except HTTPException as error:
        return type(error), error.code
    assert isinstance(adapter, MapAdapter)
    return vars(adapter)


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"HTTP_HOST": "LocalHost:8000"},
        {"HTTP_HOST": "localhost:80"},
        {"HTTP_HOST": "localhost:443", "wsgi.url_scheme": "https"},
        {"HTTP_HOST": "[::1]:8000"},
        {"HTTP_HOST": ""},
        {"HTTP_HOST": "two..dots"},
        {"HTTP_HOST": "x" * 64},
        {"HTTP_HOST": "no host/at all"},
        {"HTTP_HOST": "\xe9"},
        {"PATH_INFO": ""},
        {"PATH_INFO": "//v1//games"},
        {"PATH_INFO": "/v1/games/\xc3\xa9\xff"},
        {"QUERY_STRING": "a=%20&b=\xc3\xa9"},
        {"REQUEST_METHOD": "HEAD"},
        {"HTTP_UPGRADE": "websocket", "HTTP_CONNECTION": "upgrade"},
        {"HTTP_UPGRADE": "h2c", "HTTP_CONNECTION": "Upgrade"},
        {"SCRIPT_NAME": ""},
    ],
)
def test_an_operation_is_looked_for_as_flask_looks_for_it(
    app: Flask, variables: dict[str, str]
) -> None:
    for _ in range(2):  # the second time from memory
        assert found(type(app), app, environ(**variables)) == found(
            Flask, app, environ(**variables)
        )


def test_a_request_without_a_host_is_found_as_well(app: Flask) -> None:
    variables = environ()
    del variables["HTTP_HOST"]
    assert found(type(app), app, variables) == found(Flask, app, variables)


class _Untyped(Response):
    default_mimetype = None


@pytest.mark.parametrize("status", [200, 204, 304])
@pytest.mark.parametrize("body", [b"", b"{}", "é".encode()])
@pytest.mark.parametrize("headers", [[], [("ETag", '"1"'), ("Content-Type", "application/json")]])
def test_a_reply_is_made_as_a_response_is_made(
    body: bytes, status: int, headers: list[tuple[str, str]]
) -> None:
    made, response = Reply(body, status, [*headers]), _Untyped(body, status, [*headers])
    assert vars(made) | {"headers": None} == vars(response) | {"headers": None}
    assert list(made.headers) == list(response.headers)
    made.headers["ETag"] = "another"
    assert made.headers["etag"] == "another"


def numbers() -> Iterable[bytes]:
    yield b"1"
    yield b"2"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    "response",
    [
        lambda kind: kind(b"{}", 200, [("Content-Type", "application/json"), ("ETag", '"1"')]),
        lambda kind: kind("text", 404),
        lambda kind: kind(b"{}", 201, {"Location": "/v1/games/\xe9"}),
        lambda kind: kind(b"{}", 201, {"Location": "/ga.mes/v1/games/a-_~9"}),
        lambda kind: kind(b"{}", 201, {"Location": "/v1/../games//x"}),
        lambda kind: kind(b"{}", 201, {"Location": "games/x"}),
        lambda kind: kind(b"{}", 201, [("Location", "/v1/a"), ("Location", "/v1/\xe9")]),
        lambda kind: kind(b"{}", 200, {"Content-Location": "/v1/\xe9"}),
        lambda kind: kind(b"", 204),
        lambda kind: kind(b"", 304, {"ETag": '"1"', "Content-Type": "text/html"}),
        lambda kind: kind([b"1", b"2"], 200),
        lambda kind: kind(["1"], 200),
        lambda kind: kind(numbers(), 200),
        lambda kind: kind(None, 200),
    ],
)
def test_an_answer_is_sent_as_flask_sends_it(app: Flask, response: Any, method: str) -> None:
    plain, sent = response(Response), response(SentResponse)
    variables = environ(method=method)
    with app.request_context(variables):
        app_ctx.g.began, app_ctx.g.request_id = 0.0, "of-the-test"
        body, status, headers = plain.get_wsgi_response(variables)
        own_body, own_status, own_headers = sent.get_wsgi_response(variables)
    assert (b"".join(own_body), own_status) == (b"".join(body), status)
    assert own_headers[: len(headers)] == headers
    assert ("X-Request-Id", "of-the-test") in own_headers[len(headers) :]


def test_what_is_to_be_closed_with_an_answer_is_closed(app: Flask) -> None:
    closed: list[bool] = []
    response = SentResponse(io.BytesIO(b"{}"), 200)
    response.call_on_close(lambda: closed.append(True))
    variables = environ()
    with app.request_context(variables):
        app_ctx.g.began, app_ctx.g.request_id = 0.0, "of-the-test"
        body, _, _ = response.get_wsgi_response(variables)
    assert b"".join(body) == b"{}"
    body.close()  # type: ignore[attr-defined]
    assert closed == [True]


def test_nothing_is_registered_that_the_application_passes_over(app: Flask) -> None:
    assert app.before_request_funcs.keys() == {None}
    assert not any(app.url_value_preprocessors.values())
    assert app.secret_key is None


def test_what_is_registered_for_the_end_of_a_request_is_called(app: Flask) -> None:
    ended: list[BaseException | None] = []
    app.teardown_request(ended.append)

    @app.after_request
    def mark(response: Response) -> Response:
        response.headers["X-Mark"] = "seen"
        return response

    for path in ("/v1/problems", "/nowhere"):
        assert app.test_client().get(path).headers["X-Mark"] == "seen"
    assert ended == [None, None]
