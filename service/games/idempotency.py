"""Idempotency keys, and the records that give a repeated request its first answer again.

A record holds an answer byte for byte. Where the answer shows a token or invites, the record holds
none of them: they are derived again from the stored salt and the client's key.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson

from service.errors import KeyReusedError
from service.games import tokens
from service.games.responses import GameResponse
from service.games.tokens import token_hash
from service.store.models import RecordKey

RECORD_TTL_SECONDS = 86_400
NO_RECORD = b"{}"
"""What is stored where a request came without a key: nobody can ask for its answer again."""
_KEYLESS = "own"
_NONCE_BYTES = 16
_CANONICAL = json.JSONEncoder(sort_keys=True)


@dataclass(frozen=True, slots=True)
class Idempotency:
    """A request's idempotency key, None without one, and the fingerprint of the request."""

    key: str | None
    fingerprint: str


def fingerprint(operation: str, path: str, body: object) -> str:
    """The SHA-256 of operation, path and parsed body: the same for the same request.

    Records that are stored hold it: it must not change from one version to the next.
    """
    text = _CANONICAL.encode([operation, path, body])
    return hashlib.sha256(text.encode()).hexdigest()


def record_key(owner: str, idempotency: Idempotency) -> RecordKey:
    """Where the record of a request is stored; `owner` is a seat's token hash or an operation.

    Requests without a key share one name in their game, so that only the newest is stored; the
    nonce tells them apart.
    """
    if idempotency.key is None:
        return RecordKey(_KEYLESS, secrets.token_hex(_NONCE_BYTES))
    return RecordKey(f"{owner}:{token_hash(idempotency.key).hex()}")


def dump_record(response: GameResponse, idempotency: Idempotency, salt: bytes | None) -> bytes:
    """The record of an answered request; with a `salt` its tokens and invites are left out."""
    if idempotency.key is None:
        return NO_RECORD
    fields = {
        "fingerprint": idempotency.fingerprint,
        "status": response.status,
        "etag": response.etag,
        "location": response.location,
        "salt": None if salt is None else salt.hex(),
        "body": response.body.decode() if salt is None else _without_tokens(response.body),
    }
    return orjson.dumps(fields)


def recorded_response(record: bytes, idempotency: Idempotency) -> GameResponse:
    """The first answer to a request; raises KeyReusedError if it was another request."""
    fields = orjson.loads(record)
    if fields["fingerprint"] != idempotency.fingerprint:
        raise KeyReusedError("the key belongs to another request")
    body = fields["body"].encode()
    if fields["salt"] is not None:
        body = _with_tokens(body, idempotency.key, bytes.fromhex(fields["salt"]))
    return GameResponse(fields["status"], body, fields["etag"], fields["location"], replayed=True)


def _without_tokens(body: bytes) -> str:
    return _filled(body, token=lambda _: None, invite=lambda _: None).decode()


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
