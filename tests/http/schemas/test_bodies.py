"""Bodies as they come: JSON and what merely looks like it, how it is declared, how much it is."""

from __future__ import annotations

import gzip
import io
import time

import pytest
from flask.testing import FlaskClient

from service.config import Config
from tests.player import QUICK, Player, create, refused


@pytest.fixture
def quick(client: FlaskClient) -> Player:
    return create(client, QUICK)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"nonsense",
        b"{'source': 'stock'}",
        b'{"source": "stock",}',
        b'{"source": "stock", "source": "stock"}',
        b'{"source": NaN}',
        b'{"source": -Infinity}',
        b'{"source": 1e999}',
        b'{"source": ' + b"9" * 5000 + b"}",
        b'{"source": "\\ud800"}',
        b'{"source": "\xff"}',
        b"\xff\xfe",
        b'{"source":' * 17 + b"1" + b"}" * 17,
        b"[" * 1000 + b"]" * 1000,
        b"[" * 8000,
        b"{} {}",
        b"\xef\xbb\xbf\xef\xbb\xbf{}",
        b" \xef\xbb\xbf{}",
    ],
)
def test_hostile_json_is_malformed(quick: Player, body: bytes) -> None:
    answer = quick.client.post(
        quick.path + "/draw", data=body, headers=quick.auth, content_type="application/json"
    )
    refused(answer, 400, "malformed-json")
    assert quick.get().get_json()["version"] == 1


def test_a_string_that_never_ends_is_refused_in_no_time(client: FlaskClient) -> None:
    body = b'"' + b'\\"' * 8190
    began = time.perf_counter()
    refused(
        client.post("/v1/games", data=body, content_type="application/json"), 400, "malformed-json"
    )
    assert time.perf_counter() - began < 0.2


def test_a_body_that_ends_too_soon_creates_nothing(client: FlaskClient) -> None:
    for body in (b"", b"{}"):
        answer = client.post(
            "/v1/games",
            input_stream=io.BytesIO(body),
            environ_overrides={"CONTENT_LENGTH": "60"},
            content_type="application/json",
        )
        refused(answer, 400, "malformed-json")


def test_a_large_body_without_a_length_is_not_cut_off(client: FlaskClient, config: Config) -> None:
    for body in (b"{}" + b" " * config.max_body_bytes, b" " * 20_000, b"{}" + b" " * 16_400 + b"x"):
        answer = client.post(
            "/v1/games",
            input_stream=io.BytesIO(body),
            environ_overrides={"wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"},
            content_type="application/json",
        )
        refused(answer, 413, "body-too-large")


def test_a_body_that_breaks_off_is_malformed(client: FlaskClient) -> None:
    class Broken(io.RawIOBase):
        def readinto(self, buffer: object) -> int:
            raise OSError("invalid chunk")

        def readable(self) -> bool:
            return True

    answer = client.post(
        "/v1/games",
        environ_overrides={"wsgi.input": Broken(), "wsgi.input_terminated": True},
        content_type="application/json",
    )
    refused(answer, 400, "malformed-json")


def test_brackets_within_strings_do_not_nest(client: FlaskClient) -> None:
    body = {"seats": [{"kind": "human", "name": '[[[[[[[[[[[[[[[[[["\\"{{{{{{{'}, {"kind": "ai"}]}
    assert client.post("/v1/games", json=body).status_code == 201


@pytest.mark.parametrize(
    "media", ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "", None]
)
def test_a_body_that_is_not_declared_as_json_is_refused(quick: Player, media: str | None) -> None:
    answer = quick.client.post(
        quick.path + "/draw", data=b'{"source": "stock"}', headers=quick.auth, content_type=media
    )
    refused(answer, 415, "unsupported-media-type")
    assert quick.get().get_json()["version"] == 1


def test_a_byte_order_mark_before_a_body_is_left_out(quick: Player) -> None:
    mark, body = b"\xef\xbb\xbf", b'{"source": "stock"}'
    headers = {**quick.auth, "Idempotency-Key": "marked"}
    answers = [
        quick.client.post(
            quick.path + "/draw", data=data, headers=headers, content_type="application/json"
        )
        for data in (mark + body, body)
    ]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].data == answers[1].data
    assert quick.client.post("/v1/games", data=mark).status_code == 201


@pytest.mark.parametrize("coding", ["gzip", "br", "GZIP", "identity, br", "deflate,gzip", "x"])
def test_an_encoded_body_is_refused_whatever_is_in_it(quick: Player, coding: str) -> None:
    plain = b'{"source": "stock"}'
    for body in (plain, gzip.compress(plain), b" "):
        headers = {**quick.auth, "Content-Encoding": coding}
        answer = quick.client.post(
            quick.path + "/draw", data=body, headers=headers, content_type="application/json"
        )
        assert repr(coding) in refused(answer, 415, "unsupported-media-type")["detail"]
        assert answer.headers["Accept-Encoding"] == "identity"
    assert quick.get().get_json()["version"] == 1


@pytest.mark.parametrize("coding", ["identity", "IDENTITY", " Identity ", "identity,identity", ""])
def test_a_body_that_is_said_not_to_be_encoded_is_taken(quick: Player, coding: str) -> None:
    assert quick.draw(content_encoding=coding).status_code == 200


def test_without_a_body_there_is_nothing_encoded(client: FlaskClient) -> None:
    answer = client.post("/v1/games", headers={"Content-Encoding": "gzip"})
    assert answer.status_code == 201


def test_who_calls_is_checked_before_how_the_body_is_encoded(quick: Player) -> None:
    headers = {"Content-Encoding": "gzip"}
    answer = quick.client.post(quick.path + "/draw", json={}, headers=headers)
    refused(answer, 401, "token-required")


def test_only_an_encoded_body_is_answered_with_the_encoding_that_is_taken(quick: Player) -> None:
    answer = quick.client.post(quick.path + "/draw", data=b"x", headers=quick.auth)
    refused(answer, 415, "unsupported-media-type")
    assert "Accept-Encoding" not in answer.headers


@pytest.mark.parametrize("media", ["application/json; charset=utf-8", "application/hal+json"])
def test_json_may_be_declared_in_other_words(quick: Player, media: str) -> None:
    answer = quick.client.post(
        quick.path + "/draw", data=b'{"source": "stock"}', headers=quick.auth, content_type=media
    )
    assert answer.status_code == 200


def test_a_large_body_is_refused(client: FlaskClient, config: Config) -> None:
    body = b" " * (config.max_body_bytes + 1)
    answer = client.post("/v1/games", data=body, content_type="application/json")
    refused(answer, 413, "body-too-large")
