"""The use cases on a real store that notes every commit and lets another request go first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from engine.events import Event
from engine.game import Game
from engine.snapshot import dump
from service.games.repository import GameRepository
from service.games.stored.event_log import LoggedEvent, pack
from service.games.stored.meta import Lifetimes, Meta
from service.games.tokens import game_id
from service.games.transactions import Transactions
from service.store.game_store import GameStore
from service.store.models import (
    Commit,
    Committed,
    Deleted,
    MoveKey,
    Nonce,
    Outcome,
    RecordKey,
    Stale,
    StoredGame,
)
from tests.clock import Clock

DAY = 86_400
LIFETIMES = Lifetimes(played=14 * DAY, unplayed=DAY)


@dataclass
class ObservedStore:
    """The store; `commits` are those that were asked for, `before` is run before them in turn.

    `before_deletion` is run before deletions in turn.
    """

    store: GameStore
    commits: list[Commit] = field(default_factory=list)
    before: list[Callable[[Commit], object]] = field(default_factory=list)
    before_deletion: list[Callable[[], object]] = field(default_factory=list)
    reads: int = 0

    def read(self, game_id: str, key: RecordKey | MoveKey | None = None) -> Any:
        self.reads += 1
        return self.store.read(game_id, key)

    def has_record(self, game_id: str, key: RecordKey) -> bool:
        self.reads += 1
        return self.store.has_record(game_id, key)

    def events(self, game_id: str, after: int, limit: int) -> list[bytes]:
        return self.store.events(game_id, after, limit)

    def events_at(self, game_id: str, seqs: Sequence[int]) -> list[bytes]:
        return self.store.events_at(game_id, seqs)

    def delete(self, game_id: str, expected: int) -> Deleted | Stale:
        if self.before_deletion:
            self.before_deletion.pop(0)()
        return self.store.delete(game_id, expected)

    def commit(self, commit: Commit) -> Outcome:
        self.commits.append(commit)
        if self.before:
            self.before.pop(0)(commit)
        return self.store.commit(commit)

    def overtake(self, commit: Commit) -> None:
        """Commit another version of the game, otherwise the same, before this commit."""
        stored, _ = self.store.read(commit.game_id)
        assert stored is not None
        rival = replace(
            commit,
            stored=replace(stored, version=stored.version + 1),
            events=[],
            key=Nonce(b"rival %d" % stored.version),
            record=b"",
        )
        assert self.store.commit(rival) == Committed()


def first_commit(observed: ObservedStore, game: Game, meta: Meta, events: Sequence[Event]) -> str:
    """The id of a game that is stored at version 1, its events at the time of its last change."""
    commit = Commit(
        game_id=game_id(None),
        expected=0,
        stored=StoredGame(1, dump(game), meta.dump()),
        events=[pack(LoggedEvent(event, meta.updated_at)) for event in events],
        logged=0,
        key=Nonce(b"first"),
        record=b"",
        record_ttl=DAY,
        game_ttl=DAY,
    )
    assert observed.store.commit(commit) == Committed()
    return commit.game_id


@pytest.fixture
def observed(store: GameStore) -> ObservedStore:
    return ObservedStore(store)


@pytest.fixture
def repository(observed: ObservedStore) -> GameRepository:
    return GameRepository(observed, LIFETIMES)  # type: ignore[arg-type]


@pytest.fixture
def transactions(repository: GameRepository, clock: Clock) -> Transactions:
    return Transactions(repository, clock)
