"""Records of answers: an answer comes again byte for byte, and a record holds no token."""

from __future__ import annotations

import hashlib
import zlib

import msgspec
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.errors import CorruptGameError, KeyReusedError
from service.games import tokens
from service.games.answers.responses import GameResponse
from service.games.idempotency import (
    Idempotency,
    move_key,
    old_move_key,
    record_key,
)
from service.games.stored.records import dump_record, recorded_response
from service.store.models import MoveKey, RecordKey

KEY = Idempotency("a key", b"f" * 32)
SALT = b"s" * 32
MOVED = GameResponse(200, b'{"game":{},"events":[]}', '"2.0.3"')


@given(
    st.integers(200, 299), st.binary(), st.none() | st.text(), st.none() | st.text(), st.binary()
)
def test_an_answer_comes_again_as_it_was(
    status: int, body: bytes, etag: str | None, location: str | None, other: bytes
) -> None:
    key = Idempotency("a key", other)
    response = GameResponse(status, body, etag, location)
    again = recorded_response(dump_record(response, key, None), key)
    assert again == GameResponse(status, body, etag, location, replayed=True)


def test_an_answer_is_compressed_and_an_empty_one_is_left_alone() -> None:
    long = GameResponse(200, MOVED.body * 50)
    assert len(dump_record(long, KEY, None)) < 120
    (*_, body) = msgspec.msgpack.decode(dump_record(GameResponse(204), KEY, None))
    assert body == b""


def test_a_request_without_a_key_has_no_record() -> None:
    assert dump_record(MOVED, Idempotency(None, b""), None) == b""


def test_tokens_and_invites_are_derived_again() -> None:
    token, code = tokens.seat_token(KEY.key, SALT, 0), tokens.invite_code(KEY.key, SALT, 2)
    body = {"seat": 0, "token": token, "invites": [{"seat": 2, "code": code}], "game": {}}
    response = GameResponse(201, orjson.dumps(body), '"1.0.3"', "/v1/games/x")
    record = dump_record(response, KEY, SALT)
    stored = zlib.decompress(msgspec.msgpack.decode(record)[-1])
    assert token.encode() not in stored
    assert code.encode() not in stored
    assert recorded_response(record, KEY).body == response.body


def test_another_request_under_the_same_key_is_refused() -> None:
    record = dump_record(MOVED, KEY, None)
    with pytest.raises(KeyReusedError):
        recorded_response(record, Idempotency("a key", b"another"))


RECORD = dump_record(MOVED, KEY, None)
OLD = {
    "fingerprint": KEY.fingerprint.hex(),
    "status": 200,
    "etag": None,
    "location": None,
    "salt": None,
    "body": "{}",
}


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"nonsense",
        RECORD[:-1],
        RECORD + b"x",
        msgspec.msgpack.encode([b"", 200, None, None, None, b"no zlib"]),
        msgspec.msgpack.encode([b"", "200", None, None, None, b""]),
        msgspec.msgpack.encode([b"", 200, None, None, None]),
        b"\n",
        b"\nnull",
        b"\n" + orjson.dumps(OLD | {"status": "200"}),
        b"\n" + orjson.dumps(OLD | {"salt": "no hex"}),
        b"\n" + orjson.dumps(OLD | {"another": 1}),
    ],
)
def test_a_damaged_record_is_refused(damaged: bytes) -> None:
    with pytest.raises(CorruptGameError, match=r"^an idempotency record is damaged$"):
        recorded_response(damaged, KEY)


def test_a_record_of_an_earlier_version_is_read() -> None:
    assert recorded_response(b"\n" + orjson.dumps(OLD), KEY) == GameResponse(
        200, b"{}", replayed=True
    )
    code = tokens.invite_code(KEY.key, SALT, 2)
    body = {"seat": 0, "token": None, "invites": [{"seat": 2, "code": None}]}
    old = OLD | {"salt": SALT.hex(), "body": orjson.dumps(body).decode()}
    again = orjson.loads(recorded_response(b"\n" + orjson.dumps(old), KEY).body)
    assert again["token"] == tokens.seat_token(KEY.key, SALT, 0)
    assert again["invites"][0]["code"] == code


def test_a_key_is_stored_as_a_hash_that_is_unique_for_its_owner() -> None:
    hashed = hashlib.sha256(b"a key").digest()
    token = hashlib.sha256(b"Ann").hexdigest()
    assert move_key("Ann", KEY, 1_999) == MoveKey(token[:16], hashed[:12], 1)
    assert old_move_key("Ann", KEY) == RecordKey(f"{token}:{hashed.hex()}")
    assert record_key("create", KEY) == RecordKey(f"create:{hashed.hex()}")
    without = Idempotency(None, b"")
    assert (move_key("Ann", without, 0), record_key("create", without)) == (None, None)
