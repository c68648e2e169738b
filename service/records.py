"""What is kept beside a game: its times and token hashes, and the records of answered requests.

A record lets the same request with the same idempotency key have its first answer again, byte
for byte. The record of a created game holds no token: where the answer shows one, the record
has a gap that is filled by deriving the token from the stored salt and the client's key.
"""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass, replace

import orjson

from service import jsontext, tokens
from service.answers import Answer, Stamp
from service.errors import CorruptGameError, KeyReusedError
from service.store import RecordKey, Stored
from service.tokens import Idempotency

RECORD_TTL_SECONDS = 86_400
_OWN = "own"
_NONCE_BYTES = 16


@dataclass(frozen=True, slots=True)
class Meta:
    """Times in ms since 1970, the token hash of each human seat, whether a human has moved."""

    created_at: int
    updated_at: int
    expires_at: int
    tokens: tuple[str | None, ...]
    played: bool

    @classmethod
    def read(cls, stored: Stored) -> Meta:
        """The meta of a stored game; raises CorruptGameError."""
        try:
            fields = orjson.loads(stored.meta)
            return cls(**{**fields, "tokens": tuple(fields["tokens"])})
        except (ValueError, TypeError, KeyError) as error:
            raise CorruptGameError(f"the game's meta cannot be read: {error}") from error

    def write(self) -> bytes:
        """The meta as JSON."""
        return jsontext.write(asdict(self))

    def moved(self, now: int, lifetime: int) -> Meta:
        """The meta after a human move at `now` (ms), kept for `lifetime` seconds from then."""
        expires = now + lifetime * 1000
        return replace(self, updated_at=now, expires_at=expires, played=True)

    def stamp(self, game_id: str, version: int) -> Stamp:
        """What a view tells of the game beside the play."""
        return Stamp(game_id, version, self.created_at, self.updated_at, self.expires_at)


def record_key(owner: str, idempotency: Idempotency) -> RecordKey:
    """Where the record of a request is kept; `owner` is a seat's token hash, or an operation."""
    if idempotency.key is None:
        return RecordKey(_OWN, secrets.token_hex(_NONCE_BYTES))
    return RecordKey(f"{owner}:{tokens.token_hash(idempotency.key)}")


def write_record(answer: Answer, idempotency: Idempotency, salt: bytes | None = None) -> bytes:
    """The record of an answered request; with a `salt` the body's token is left out of it."""
    if idempotency.key is None:
        return b"{}"
    fields = {
        "fingerprint": idempotency.fingerprint,
        "status": answer.status,
        "etag": answer.etag,
        "location": answer.location,
        "salt": None if salt is None else salt.hex(),
        "body": answer.body.decode() if salt is None else _without_token(answer.body),
    }
    return jsontext.write(fields)


def read_record(record: bytes, idempotency: Idempotency) -> Answer:
    """The first answer to a request; raises KeyReusedError if it was another request."""
    fields = orjson.loads(record)
    if fields["fingerprint"] != idempotency.fingerprint:
        raise KeyReusedError("the key belongs to another request")
    body = fields["body"].encode()
    if fields["salt"] is not None:
        body = _with_token(body, idempotency.key, bytes.fromhex(fields["salt"]))
    return Answer(fields["status"], body, fields["etag"], fields["location"], replayed=True)


def _without_token(body: bytes) -> str:
    return jsontext.write({**orjson.loads(body), "token": None}).decode()


def _with_token(body: bytes, key: str | None, salt: bytes) -> bytes:
    fields = orjson.loads(body)
    return jsontext.write({**fields, "token": tokens.seat_token(key, salt, fields["seat"])})
