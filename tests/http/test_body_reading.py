"""A body that states its length is read without werkzeug's stream, and as through it."""

from __future__ import annotations

import io
from unittest import mock

import pytest
from flask import Flask, Request
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.exceptions import HTTPException

from service.errors import ServiceError
from service.http import body as body_module
from service.http.body import json_body

LIMIT = 30
BODY = b'{"source": "stock"}'


class Broken(io.RawIOBase):
    """A connection that breaks off."""

    def readinto(self, buffer: object) -> int:
        raise OSError("the peer is gone")

    def read(self, size: int = -1) -> bytes:
        raise OSError("the peer is gone")

    def readable(self) -> bool:
        return True


def application() -> Flask:
    app = Flask(__name__)
    app.config.update(MAX_BODY_BYTES=LIMIT, MAX_CONTENT_LENGTH=LIMIT + 1)
    return app


APP = application()


def outcome(stream: io.IOBase, variables: dict[str, object]) -> object:
    """What becomes of a request's body: its value, or the error with its text."""
    with APP.test_request_context("/", method="POST") as context:
        environ = context.request.environ
        for name in ("CONTENT_LENGTH", "CONTENT_TYPE", "wsgi.input_terminated"):
            environ.pop(name, None)
        environ.update({"wsgi.input": stream, "CONTENT_TYPE": "application/json", **variables})
        try:
            return json_body(Request(environ))
        except (ServiceError, HTTPException) as error:
            return type(error), str(error)


def through_the_stream(stream: io.IOBase, variables: dict[str, object]) -> object:
    """The same where every body is read through werkzeug's stream."""
    with mock.patch.object(body_module, "_body_by_length", return_value=None):
        return outcome(stream, variables)


LENGTHS = st.integers(0, LIMIT + 3).map(str) | st.sampled_from(
    ["", "+5", " 5", "-1", "05", "5 ", "x", "9" * 30, "\u0665"]
)
VARIABLES = st.fixed_dictionaries(
    {},
    optional={
        "CONTENT_LENGTH": LENGTHS | st.just(str(len(BODY))),
        "wsgi.input_terminated": st.just(True),
        "HTTP_TRANSFER_ENCODING": st.sampled_from(["chunked", "identity"]),
        "HTTP_CONTENT_ENCODING": st.sampled_from(["gzip", "identity"]),
        "CONTENT_TYPE": st.sampled_from(["text/plain", "application/json;charset=utf-8"]),
    },
)
BODIES = st.just(BODY) | st.binary(max_size=LIMIT + 5) | st.integers(0, 40).map(lambda n: b" " * n)


@given(BODIES, VARIABLES)
def test_a_body_is_read_as_through_the_stream(body: bytes, variables: dict[str, object]) -> None:
    # A server that says it ends the stream does so where the body ends.
    if "wsgi.input_terminated" in variables and "HTTP_TRANSFER_ENCODING" not in variables:
        stated = str(variables.get("CONTENT_LENGTH", ""))
        body = body[: int(stated)] if stated.isascii() and stated.isdecimal() else body
    read = outcome(io.BytesIO(body), variables)
    assert read == through_the_stream(io.BytesIO(body), variables)


def test_a_body_that_states_its_length_is_read_directly() -> None:
    with mock.patch.object(Request, "get_data", side_effect=AssertionError):
        assert outcome(io.BytesIO(BODY), {"CONTENT_LENGTH": "19"}) == {"source": "stock"}


@pytest.mark.parametrize("terminated", [{}, {"wsgi.input_terminated": True}])
def test_a_connection_that_breaks_off_is_reported_as_through_the_stream(
    terminated: dict[str, object],
) -> None:
    variables = {"CONTENT_LENGTH": "19", **terminated}
    assert outcome(Broken(), variables) == through_the_stream(Broken(), variables)


def test_what_follows_a_body_is_left_in_the_connection() -> None:
    stream = io.BytesIO(BODY + b"GET / HTTP/1.1")
    assert outcome(stream, {"CONTENT_LENGTH": "19"}) == {"source": "stock"}
    assert stream.read() == b"GET / HTTP/1.1"
