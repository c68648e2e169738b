"""A store that fails in every way that a store can, over a model in memory of `commit.lua`.

`ModelStore` holds games, logs and records in dictionaries. Each worker of a simulated service has
its own `FaultyStore` over it. At each call other requests may run first, commands that timed out
before may still arrive, and the call may be refused, lost or slow, or the worker may be killed. One
generator decides all of it, so that a seed determines the run.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NoReturn

from engine.rules import MAX_SEATS
from service.errors import CorruptGameError, OutcomeUnknownError, StorageUnavailableError
from service.store.models import (
    AlreadyCommitted,
    Commit,
    Committed,
    Deleted,
    KeyExpired,
    MoveKey,
    Nonce,
    Outcome,
    Record,
    RecordKey,
    Stale,
    StoredGame,
)
from tests.chaos.simulation.scheduler import Scheduler

NEWEST = 8
"""How many records of an owner stay."""


@dataclass(frozen=True)
class Written:
    """A commit that was written, and the version of the game before it."""

    commit: Commit
    before: int


@dataclass(frozen=True)
class KeyedMove:
    """A move under a key, whose lifetime is over at `end` (s since 1970)."""

    key_id: bytes
    end: int
    record: bytes


class NoSubscription:
    """Tells of no change: in the simulation nobody watches."""

    def watch(self, game_id: str, on_news: Callable[[], None]) -> None:
        raise AssertionError(f"game {game_id} is watched")

    def leave(self, game_id: str) -> None:
        """Nothing is watched."""


class ModelStore:
    """A model of the server's data and of commits; it has lifetimes (s), but only keys expire."""

    newest = NEWEST
    subscription = NoSubscription()

    def __init__(self) -> None:
        self.games: dict[str, StoredGame] = {}
        self.nonces: dict[str, bytes] = {}
        self.logs: dict[str, list[bytes]] = {}
        self.records: dict[tuple[str, str], bytes] = {}
        self.moves: dict[tuple[str, str], list[KeyedMove]] = {}
        self.lifetimes: dict[tuple[str, str], int] = {}
        self.journal: list[Written] = []
        self.reviews: dict[tuple[str, int], bytes] = {}

    def check_ready(self) -> tuple[str, ...]:
        """The model is always ready."""
        return ()

    def close(self) -> None:
        """The model has nothing to close."""

    def has_record(self, game_id: str, key: RecordKey) -> bool:
        return self.recorded(game_id, key) is not None

    def read(
        self, game_id: str, key: RecordKey | MoveKey | None = None
    ) -> tuple[StoredGame | None, Record]:
        return self.games.get(game_id), None if key is None else self.recorded(game_id, key)

    def events(self, game_id: str, after: int, limit: int) -> list[bytes]:
        return self.logs.get(game_id, [])[after : after + limit] if limit > 0 else []

    def events_at(self, game_id: str, seqs: Sequence[int]) -> list[bytes]:
        log = self.logs.get(game_id, [])
        return [log[seq - 1] for seq in seqs if 0 < seq <= len(log)]

    def review(self, game_id: str, seat: int) -> bytes | None:
        return self.reviews.get((game_id, seat))

    def keep_review(self, game_id: str, version: int, seat: int, review: bytes) -> bool:
        is_current = self.version(game_id) == version
        if is_current:
            self.reviews[game_id, seat] = review
        return is_current

    def delete(self, game_id: str, expected: int) -> Deleted | Stale:
        version = self.version(game_id)
        if version != expected:
            return Stale(version)
        self.games.pop(game_id, None)
        self.nonces.pop(game_id, None)
        self.logs.pop(game_id, None)
        for seat in range(MAX_SEATS):
            self.reviews.pop((game_id, seat), None)
        return Deleted()

    def commit(self, commit: Commit) -> Outcome:
        made = self.made(commit)
        if made is not None:
            return made
        version = self.version(commit.game_id)
        if not self.fits(commit, version):
            return Stale(version)
        if not self.follows(commit):
            raise CorruptGameError("the event log does not fit the game")
        self.journal.append(Written(commit, version))
        self.write(commit)
        return Committed()

    def made(self, commit: Commit) -> AlreadyCommitted | KeyExpired | None:
        """What shows that this commit was made before."""
        if isinstance(commit.key, Nonce):
            is_ours = self.nonces.get(commit.game_id) == commit.key.value
            return AlreadyCommitted(b"") if is_ours else None
        recorded = self.recorded(commit.game_id, commit.key)
        return AlreadyCommitted(recorded) if isinstance(recorded, bytes) else recorded

    def recorded(self, game_id: str, key: RecordKey | MoveKey) -> Record:
        """What is stored under a key: of each owner the newest records, and all keys."""
        if isinstance(key, RecordKey):
            return self.records.get((game_id, key.name))
        newest_first = reversed(self.moves.get((game_id, key.owner), []))
        for later, move in enumerate(newest_first):
            if move.key_id == key.key_id and move.end > key.now:
                return move.record if later < self.newest else KeyExpired()
        return None

    def version(self, game_id: str) -> int:
        return self.games[game_id].version if game_id in self.games else 0

    def fits(self, commit: Commit, version: int) -> bool:
        """Whether the game has the version that the commit expects."""
        return version == commit.expected

    def follows(self, commit: Commit) -> bool:
        """Whether the commit's events continue the log."""
        return len(self.logs.get(commit.game_id, [])) == commit.logged

    def write(self, commit: Commit) -> None:
        game_id, key = commit.game_id, commit.key
        self.games[game_id] = commit.stored
        if commit.events:
            self.logs.setdefault(commit.game_id, []).extend(commit.events)
        for name in ("game", "events") if commit.events else ("game",):
            self.lifetimes[game_id, name] = commit.game_ttl
        match key:
            case Nonce(value=value):
                self.nonces[game_id] = value
            case RecordKey(name=name):
                self.records[game_id, name] = commit.record
                self.lifetimes[game_id, f"key:{name}"] = commit.record_ttl
            case MoveKey(owner=owner, key_id=key_id, now=now):
                move = KeyedMove(key_id, now + commit.record_ttl, commit.record)
                self.moves.setdefault((game_id, owner), []).append(move)
                self.lifetimes[game_id, f"keys:{owner}"] = commit.record_ttl
                self.lifetimes[game_id, f"answers:{owner}"] = commit.record_ttl


class Fault(Enum):
    """What may happen to a call."""

    REFUSED = "refused"
    UNSENT = "not executed, and the service cannot know it"
    LOST = "executed, and its answer is lost"
    LATE = "timed out, and will be executed later"
    RETRIED = "lost, and executed again by the store's retry"
    SLOW = "slow"
    KILLED_BEFORE = "worker killed before"
    KILLED_AFTER = "worker killed after"


_KILLED = (Fault.KILLED_BEFORE, Fault.KILLED_AFTER)
_READING = (*_KILLED, *(Fault.REFUSED, Fault.SLOW) * 2)
_DELETING = (*_READING, *(Fault.UNSENT, Fault.LOST, Fault.LATE) * 2)
_COMMITTING = (*_DELETING, *(Fault.RETRIED,) * 2)
_SLOWEST = 15_000
_SOON = 2


class WorkerKilledError(BaseException):
    """The process that served the request was killed."""


@dataclass
class FaultInjector:
    """Injects faults between the workers and the server.

    `rate` is the share of calls that get a fault; `advance` moves the clock by ms; `trace` takes a
    line of the trace; `in_flight` are commands that timed out and have not arrived yet.
    """

    rng: random.Random
    rate: float
    advance: Callable[[int], None]
    trace: Callable[[str], None]
    scheduler: Scheduler
    in_flight: list[Callable[[], Any]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def fault(self, among: Sequence[Fault]) -> Fault | None:
        return self.rng.choice(among) if self.rng.random() < self.rate else None

    def deliver(self, share: float = 0.3) -> None:
        """Execute a share of the commands in flight."""
        waiting, self.in_flight = self.in_flight, []
        for command in waiting:
            if self.rng.random() < share:
                self.trace(f"a late command is executed: {_execute(command)}")
            else:
                self.in_flight.append(command)


def _execute(command: Callable[[], Any]) -> str:
    """The class of the command's result, or its error."""
    try:
        return type(command()).__name__
    except CorruptGameError as error:
        return str(error)


class FaultyStore:
    """The store of one worker."""

    subscription = NoSubscription()

    def __init__(self, model: ModelStore, injector: FaultInjector, name: str) -> None:
        self.killed = False
        self._model = model
        self._injector = injector
        self.name = name

    def check_ready(self) -> tuple[str, ...]:
        warnings: tuple[str, ...] = self._call("check", self._model.check_ready, _READING)
        return warnings

    def close(self) -> None:
        """The model has nothing to close."""

    def read(self, game_id: str, key: RecordKey | MoveKey | None = None) -> Any:
        faults = _READING if key is None else (*_READING, Fault.LOST)
        return self._call("read", lambda: self._model.read(game_id, key), faults)

    def has_record(self, game_id: str, key: RecordKey) -> Any:
        return self._call("read", lambda: self._model.has_record(game_id, key), _READING)

    def events(self, game_id: str, after: int, limit: int) -> Any:
        return self._call("events", lambda: self._model.events(game_id, after, limit), _READING)

    def events_at(self, game_id: str, seqs: Sequence[int]) -> Any:
        return self._call("events", lambda: self._model.events_at(game_id, seqs), _READING)

    def review(self, game_id: str, seat: int) -> Any:
        return self._call("review", lambda: self._model.review(game_id, seat), _READING)

    def keep_review(self, game_id: str, version: int, seat: int, review: bytes) -> Any:
        return self._call(
            "keep", lambda: self._model.keep_review(game_id, version, seat, review), _DELETING
        )

    def delete(self, game_id: str, expected: int) -> Any:
        return self._call("delete", lambda: self._model.delete(game_id, expected), _DELETING)

    def commit(self, commit: Commit) -> Outcome:
        outcome: Outcome = self._call(
            "commit",
            lambda: self._model.commit(commit),
            _COMMITTING,
            has_key=not isinstance(commit.key, Nonce),
        )
        self._injector.counts[type(outcome).__name__] += 1
        return outcome

    def _call(
        self,
        what: str,
        execute: Callable[[], Any],
        faults: Sequence[Fault],
        *,
        has_key: bool = False,
    ) -> Any:
        self._injector.scheduler.switch()
        if self.killed:
            raise WorkerKilledError
        self._injector.deliver()
        fault = self._injector.fault(faults)
        if fault is None:
            return execute()
        self._injector.counts[fault.name] += 1
        self._injector.trace(f"{self.name}: {what} {fault.value}")
        return self._apply_fault(fault, execute, has_key=has_key)

    def _apply_fault(self, fault: Fault, execute: Callable[[], Any], *, has_key: bool) -> Any:
        """The result of a call that gets this fault."""
        match fault:
            case Fault.REFUSED:
                raise StorageUnavailableError("refused", _SOON)
            case Fault.SLOW:
                self._injector.advance(self._injector.rng.randrange(_SLOWEST))
                return execute()
            case Fault.RETRIED:
                return self._repeat_commit(execute, has_key=has_key)
            case Fault.KILLED_BEFORE:
                self._kill_worker()
        if fault is Fault.LATE:
            self._injector.in_flight.append(execute)
        elif fault is not Fault.UNSENT:
            execute()
        if fault is Fault.KILLED_AFTER:
            self._kill_worker()
        raise OutcomeUnknownError(fault.value, _SOON)

    def _repeat_commit(self, execute: Callable[[], Any], *, has_key: bool) -> Any:
        """The retry of the store after a lost answer, which may leave the outcome unknown."""
        if self._injector.rng.random() < 0.7:
            execute()
        self._injector.scheduler.switch()
        if self.killed:
            raise WorkerKilledError
        outcome = execute()
        if isinstance(outcome, Stale) and not has_key:
            raise OutcomeUnknownError("the game went on while the store was lost", _SOON)
        return outcome

    def _kill_worker(self) -> NoReturn:
        self.killed = True
        raise WorkerKilledError
