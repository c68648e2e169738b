"""What the store holds of a game, what one commit writes, and how a commit may end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game in the store: its version (from 1), its snapshot, and the service's data beside it."""

    version: int
    state: bytes
    meta: bytes


@dataclass(frozen=True, slots=True)
class RecordKey:
    """The name of a commit's idempotency record, unique within the game.

    A `nonce` marks commits that came without a key of the client: these share one name, so that
    only the newest record stays.
    """

    name: str
    nonce: str = ""


@dataclass(frozen=True, slots=True)
class Commit:
    """Everything that one move writes.

    `expected` is the version that the move was decided on (0: no game yet), `logged` the number
    of events before it, `record` the idempotency record; lifetimes are in seconds.
    """

    game_id: str
    expected: int
    stored: StoredGame
    events: Sequence[bytes]
    logged: int
    record_key: RecordKey
    record: bytes
    record_ttl: int
    game_ttl: int


@dataclass(frozen=True, slots=True)
class Committed:
    """The commit was made."""


@dataclass(frozen=True, slots=True)
class AlreadyCommitted:
    """The commit had been made before; `record` is what it wrote then."""

    record: bytes


@dataclass(frozen=True, slots=True)
class Stale:
    """The game is at another version than expected; nothing was written."""

    version: int
