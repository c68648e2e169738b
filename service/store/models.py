"""What the store keeps of a game, what one commit writes, and how it may turn out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game as it is kept: its version, its snapshot, and what the service keeps beside it."""

    version: int
    state: bytes
    meta: bytes


@dataclass(frozen=True, slots=True)
class RecordKey:
    """Where the record of a commit is kept.

    `name` is unique within the game. A `nonce` marks records of commits that came without a
    key of the client: they share one name, so that only the newest is kept.
    """

    name: str
    nonce: str = ""


@dataclass(frozen=True, slots=True)
class Commit:
    """Everything that one move writes; `expected` is the version it was judged on (0: none)."""

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
class AlreadyCommitted:
    """The commit had been made before, by the record that is given."""

    record: bytes


@dataclass(frozen=True, slots=True)
class Stale:
    """The game is at another version than expected; nothing was written."""

    version: int


@dataclass(frozen=True, slots=True)
class Committed:
    """The commit was made."""
