"""Seat tokens, game ids and the keys that make a repeated request safe.

Ids and tokens carry 132 and 256 random bits. Of a token only its SHA-256 is kept. Where a
client creates a game with an idempotency key, the game's id follows from the key and the token
from the key and a stored salt, so that what is stored tells no token.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

ID_LENGTH = 22
ID_PATTERN = f"[A-Za-z0-9_-]{{{ID_LENGTH}}}"
SALT_BYTES = 32
_TOKEN_BYTES = 32


@dataclass(frozen=True, slots=True)
class Idempotency:
    """A request's idempotency key, None without one, and the fingerprint of the request."""

    key: str | None
    fingerprint: str


def fingerprint(operation: str, path: str, body: object) -> str:
    """What makes two requests the same: operation, path and parsed body, as a SHA-256."""
    text = json.dumps([operation, path, body], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def game_id(key: str | None) -> str:
    """A game's id: random, or derived from the key of the request that creates it."""
    if key is None:
        return _text(secrets.token_bytes(_TOKEN_BYTES))[:ID_LENGTH]
    return _text(hashlib.sha256(f"three-thirteen/game/{key}".encode()).digest())[:ID_LENGTH]


def seat_token(key: str | None, salt: bytes, seat: int) -> str:
    """A seat's token: random, or derived from the creating request's key and the salt."""
    if key is None:
        return _text(secrets.token_bytes(_TOKEN_BYTES))
    return _text(hmac.digest(salt, f"token/{seat}/{key}".encode(), "sha256"))


def invite_code(key: str | None, salt: bytes, seat: int) -> str:
    """A seat's single-use invite: random, or derived like a token."""
    if key is None:
        return _text(secrets.token_bytes(_TOKEN_BYTES))
    return _text(hmac.digest(salt, f"invite/{seat}/{key}".encode(), "sha256"))


def token_hash(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def seat_of(token: str, hashes: Sequence[str | None]) -> int | None:
    """The seat whose kept hash is this token's, compared in constant time; None if none is."""
    given = token_hash(token)
    found = None
    for seat, kept in enumerate(hashes):
        if kept is not None and hmac.compare_digest(given, kept):
            found = seat
    return found


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode("ascii")
