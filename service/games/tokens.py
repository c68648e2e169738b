"""Game ids, seat tokens and invites, and the hashes that are stored of them.

Ids and tokens carry 132 and 256 random bits. Of a token only its SHA-256 is stored. Where a client
creates a game with an idempotency key, the game's id is derived from the key, and the token from
the key and a stored salt, so that the store holds no token.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence

ID_LENGTH = 22
ID_PATTERN = f"[A-Za-z0-9_-]{{{ID_LENGTH}}}"
SALT_BYTES = 32
HASH_BYTES = 32
_TOKEN_BYTES = 32


def new_salt() -> bytes:
    """A random salt, from which the tokens and invites of one request are derived."""
    return secrets.token_bytes(SALT_BYTES)


def game_id(key: str | None) -> str:
    """A game's id: random, or derived from the key of the request that creates it."""
    if key is None:
        return _text(secrets.token_bytes(_TOKEN_BYTES))[:ID_LENGTH]
    return _text(hashlib.sha256(f"three-thirteen/game/{key}".encode()).digest())[:ID_LENGTH]


def rematch_id(of: str, key: str | None) -> str:
    """The id of the game that follows game `of`: random, or derived from the request's key."""
    if key is None:
        return game_id(None)
    return _text(hashlib.sha256(f"three-thirteen/rematch/{of}/{key}".encode()).digest())[:ID_LENGTH]


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


def token_hash(token: str) -> bytes:
    """The SHA-256 of a token or an invite: all that is stored of it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def seat_of(token: str, hashes: Sequence[bytes | None]) -> int | None:
    """The seat whose stored hash is this token's, compared in constant time; None if none is."""
    given = token_hash(token)
    match = None
    for seat, stored in enumerate(hashes):
        if stored is not None and hmac.compare_digest(given, stored):
            match = seat
    return match


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode("ascii")
