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
    """A key whose record stays whole for its lifetime; `name` is unique within the game."""

    name: str


@dataclass(frozen=True, slots=True)
class MoveKey:
    """A key of a move: of each owner the newest records stay, and the ids of all keys.

    `owner` is unique within the game, `key_id` within the owner. `now`: the time, in s since 1970,
    that decides whether the key's lifetime is over.
    """

    owner: str
    key_id: bytes
    now: int


@dataclass(frozen=True, slots=True)
class Nonce:
    """Random bytes that a commit without a client's key is known by, until the next such commit."""

    value: bytes


@dataclass(frozen=True, slots=True)
class KeyExpired:
    """The key's commit was made, and its record has made room for newer ones."""


Record = bytes | KeyExpired | None
"""What is stored under a key: its record, that there was one, or nothing."""


@dataclass(frozen=True, slots=True)
class Commit:
    """Everything that one move writes.

    `expected` is the version that the move was decided on (0: no game yet), `logged` the number
    of events before it. `key` is what the commit is known by: with a Nonce it has no `record`.
    Lifetimes are in seconds.
    """

    game_id: str
    expected: int
    stored: StoredGame
    events: Sequence[bytes]
    logged: int
    key: RecordKey | MoveKey | Nonce
    record: bytes
    record_ttl: int
    game_ttl: int


@dataclass(frozen=True, slots=True)
class Committed:
    """The commit was made."""


@dataclass(frozen=True, slots=True)
class AlreadyCommitted:
    """The commit had been made before; `record` is what it wrote then, empty without a key."""

    record: bytes


@dataclass(frozen=True, slots=True)
class Deleted:
    """The game was deleted."""


@dataclass(frozen=True, slots=True)
class Stale:
    """The game is at another version than expected, 0 if it is gone; nothing was written."""

    version: int


Outcome = Committed | AlreadyCommitted | KeyExpired | Stale
