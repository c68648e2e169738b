"""What is kept beside a game: its times and token hashes, and the records of answered requests.

A record lets the same request with the same idempotency key have its first answer again, byte
for byte. The record of an answer that shows tokens or invites holds none of them: it has gaps
that are filled by deriving them from the stored salt and the client's key.
"""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass, replace
from typing import Any

import orjson

from engine.game import Game
from service import strict_json
from service.errors import CorruptGameError, KeyReusedError
from service.games import tokens
from service.games.bodies import Answer, Stamp
from service.games.tokens import Idempotency
from service.store.models import RecordKey, Stored

RECORD_TTL_SECONDS = 86_400
_OWN = "own"
_NONCE_BYTES = 16


@dataclass(frozen=True, slots=True)
class Meta:
    """What the service knows of a game beside its play.

    Times in ms since 1970. By seat: the hash of the token, None where no human holds the seat,
    and the hash of the invite, used or not. `played`: whether a human has moved. `deadline` and
    `away` repeat the game's, so that whether anything is due shows without reading the game.
    """

    created_at: int
    updated_at: int
    expires_at: int
    tokens: tuple[str | None, ...]
    invites: tuple[str | None, ...]
    played: bool = False
    deadline: int | None = None
    away: tuple[int, ...] = ()

    @classmethod
    def read(cls, stored: Stored) -> Meta:
        """The meta of a stored game; raises CorruptGameError."""
        try:
            fields = orjson.loads(stored.meta)
            lists = {name: tuple(fields[name]) for name in ("tokens", "invites", "away")}
            return cls(**{**fields, **lists})
        except (ValueError, TypeError, KeyError) as error:
            raise CorruptGameError(f"the game's meta cannot be read: {error}") from error

    def write(self) -> bytes:
        """The meta as JSON."""
        return strict_json.write(asdict(self))

    def after(self, game: Game, now: int, lifetime: int) -> Meta:
        """The meta after a change at `now` (ms) to `game`, kept for `lifetime` seconds then."""
        return replace(
            self,
            updated_at=now,
            expires_at=now + lifetime * 1000,
            deadline=game.deadline,
            away=tuple(number for number, seat in enumerate(game.seats) if seat.away),
        )

    def is_due(self, seat: int, now: int) -> bool:
        """Whether the game has to be brought up to date before this seat's caller is judged."""
        return seat in self.away or (self.deadline is not None and now >= self.deadline)

    def with_token(self, seat: int, token: str | None) -> Meta:
        """The meta with another token for a seat; None voids it."""
        kept = None if token is None else tokens.token_hash(token)
        return replace(self, tokens=(*self.tokens[:seat], kept, *self.tokens[seat + 1 :]))

    def stamp(self, game_id: str, version: int) -> Stamp:
        """What a view tells of the game beside the play."""
        return Stamp(game_id, version, self.created_at, self.updated_at, self.expires_at)


def record_key(owner: str, idempotency: Idempotency) -> RecordKey:
    """Where the record of a request is kept; `owner` is a seat's token hash, or an operation."""
    if idempotency.key is None:
        return RecordKey(_OWN, secrets.token_hex(_NONCE_BYTES))
    return RecordKey(f"{owner}:{tokens.token_hash(idempotency.key)}")


def write_record(answer: Answer, idempotency: Idempotency, salt: bytes | None = None) -> bytes:
    """The record of an answered request; with a `salt` its tokens and invites are left out."""
    if idempotency.key is None:
        return b"{}"
    fields = {
        "fingerprint": idempotency.fingerprint,
        "status": answer.status,
        "etag": answer.etag,
        "location": answer.location,
        "salt": None if salt is None else salt.hex(),
        "body": answer.body.decode() if salt is None else _without_tokens(answer.body),
    }
    return strict_json.write(fields)


def read_record(record: bytes, idempotency: Idempotency) -> Answer:
    """The first answer to a request; raises KeyReusedError if it was another request."""
    fields = orjson.loads(record)
    if fields["fingerprint"] != idempotency.fingerprint:
        raise KeyReusedError("the key belongs to another request")
    body = fields["body"].encode()
    if fields["salt"] is not None:
        body = _with_tokens(body, idempotency.key, bytes.fromhex(fields["salt"]))
    return Answer(fields["status"], body, fields["etag"], fields["location"], replayed=True)


def _without_tokens(body: bytes) -> str:
    fields: dict[str, Any] = orjson.loads(body)
    gaps: dict[str, Any] = {"token": None}
    if "invites" in fields:
        gaps["invites"] = [{**invite, "code": None} for invite in fields["invites"]]
    return strict_json.write(fields | gaps).decode()


def _with_tokens(body: bytes, key: str | None, salt: bytes) -> bytes:
    fields: dict[str, Any] = orjson.loads(body)
    filled: dict[str, Any] = {"token": tokens.seat_token(key, salt, fields["seat"])}
    if "invites" in fields:
        filled["invites"] = [
            {**invite, "code": tokens.invite_code(key, salt, invite["seat"])}
            for invite in fields["invites"]
        ]
    return strict_json.write(fields | filled)
