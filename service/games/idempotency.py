"""Idempotency keys: the same key with the same request gives the first answer again.

The keys of a seat's holder (draw, discard, leave) are recognised for 24 hours, and the answers to
the newest of them come again. The answers to create and join come again for 24 hours.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from service.games.tokens import token_hash
from service.store.models import MoveKey, RecordKey

RECORD_TTL_SECONDS = 86_400
_OWNER_BYTES = 8
_KEY_ID_BYTES = 12
_CANONICAL = json.JSONEncoder(sort_keys=True)


@dataclass(frozen=True, slots=True)
class Idempotency:
    """A request's idempotency key, None without one, and the fingerprint of the request."""

    key: str | None
    fingerprint: bytes


def fingerprint(operation: str, path: str, body: object) -> bytes:
    """The SHA-256 of operation, path and parsed body: the same for the same request.

    Records that are stored hold it: it must not change from one version to the next.
    """
    text = _CANONICAL.encode([operation, path, body])
    return hashlib.sha256(text.encode()).digest()


def record_key(owner: str, idempotency: Idempotency) -> RecordKey | None:
    """Where the answer to a request of `owner` is stored whole; None without a client's key."""
    if idempotency.key is None:
        return None
    return RecordKey(f"{owner}:{token_hash(idempotency.key).hex()}")


def move_key(token: str, idempotency: Idempotency, now: int) -> MoveKey | None:
    """Where the answer to the holder of a token, void or not, is stored; None without a key.

    `now`: ms since 1970.
    """
    if idempotency.key is None:
        return None
    owner = token_hash(token)[:_OWNER_BYTES].hex()
    return MoveKey(owner, token_hash(idempotency.key)[:_KEY_ID_BYTES], now // 1000)


def old_move_key(token: str, idempotency: Idempotency) -> RecordKey | None:
    """Where earlier versions of the service stored the answer to the holder of a token."""
    return record_key(token_hash(token).hex(), idempotency)
