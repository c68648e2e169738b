"""The records of answers, as they are stored under idempotency keys.

A record holds an answer byte for byte, its body compressed. Where the answer shows a token or
invites, the record holds none of them: they are derived again from the stored salt and the client's
key.

Earlier versions of the service stored JSON after an empty line. It is still read.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import msgspec
import orjson
from msgspec.structs import replace

from service.errors import CorruptGameError, KeyReusedError
from service.games import tokens
from service.games.answers.responses import GameResponse
from service.games.idempotency import Idempotency

_OLD = b"\n"
_LEVEL = 1
"""Of zlib: the levels above take longer, and save little."""


class _Record(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """An answer to the request with this fingerprint; `body` is compressed, unless it is empty."""

    fingerprint: bytes
    status: int
    etag: str | None
    location: str | None
    salt: bytes | None
    body: bytes


class _OldRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An answer as earlier versions stored it; `fingerprint` and `salt` in hex."""

    fingerprint: str
    status: int
    etag: str | None
    location: str | None
    salt: str | None
    body: str


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Record).decode
_decode_old = msgspec.json.Decoder(_OldRecord).decode


def dump_record(response: GameResponse, idempotency: Idempotency, salt: bytes | None) -> bytes:
    """The record of an answered request; with a `salt` its tokens and invites are left out.

    Empty for a request without a key: nobody can ask for its answer again.
    """
    if idempotency.key is None:
        return b""
    body = response.body if salt is None else _without_tokens(response.body)
    packed = zlib.compress(body, _LEVEL) if body else b""
    status, etag, location = response.status, response.etag, response.location
    return _encode(_Record(idempotency.fingerprint, status, etag, location, salt, packed))


def recorded_response(stored: bytes, idempotency: Idempotency) -> GameResponse:
    """The first answer to a request; raises KeyReusedError, CorruptGameError."""
    try:
        record = _parse_old(stored) if stored.startswith(_OLD) else _parse(stored)
    except (ValueError, zlib.error) as error:
        raise CorruptGameError("an idempotency record is damaged") from error
    if record.fingerprint != idempotency.fingerprint:
        raise KeyReusedError("the key belongs to another request")
    body = record.body
    if record.salt is not None:
        body = _with_tokens(body, idempotency.key, record.salt)
    return GameResponse(record.status, body, record.etag, record.location, replayed=True)


def _parse(stored: bytes) -> _Record:
    """A record with its body as it was."""
    record = _decode(stored)
    return replace(record, body=zlib.decompress(record.body)) if record.body else record


def _parse_old(stored: bytes) -> _Record:
    old = _decode_old(stored)
    fingerprint, body = bytes.fromhex(old.fingerprint), old.body.encode()
    salt = None if old.salt is None else bytes.fromhex(old.salt)
    return _Record(fingerprint, old.status, old.etag, old.location, salt, body)


def _without_tokens(body: bytes) -> bytes:
    return _filled(body, token=lambda _: None, invite=lambda _: None)


def _with_tokens(body: bytes, key: str | None, salt: bytes) -> bytes:
    return _filled(
        body,
        token=lambda seat: tokens.seat_token(key, salt, seat),
        invite=lambda seat: tokens.invite_code(key, salt, seat),
    )


def _filled(
    body: bytes,
    *,
    token: Callable[[int], str | None],
    invite: Callable[[int], str | None],
) -> bytes:
    """The body with another token, and another code in each invite, by seat."""
    fields: dict[str, Any] = orjson.loads(body)
    changed: dict[str, object] = {"token": token(fields["seat"])}
    if "invites" in fields:
        changed["invites"] = [{**each, "code": invite(each["seat"])} for each in fields["invites"]]
    return orjson.dumps(fields | changed)
