"""A store that fails in every way a store can, over one in memory that does as `commit.lua`.

`ModelStore` holds games, logs and records in dictionaries. Each worker of a simulated service has
a `FaultyStore` over it: at each call other requests may go first, commands that were given up may
still arrive, and the call may be refused, lost, slow, or the last that its worker makes. All of it
is drawn from one generator, so that a seed says what happens.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NoReturn

from service.errors import CorruptGameError, OutcomeUnknownError, StorageUnavailableError
from service.store.models import Commit, Done, Kept, RecordKey, Stale, Stored
from tests.chaos.simulation.scheduler import Baton

_NONCE_END = b"\n"


@dataclass(frozen=True)
class Written:
    """A commit that was made, and the version that the game had before."""

    commit: Commit
    before: int


class ModelStore:
    """What a server holds and what commits do to it; lifetimes (s) are noted, nothing expires."""

    def __init__(self) -> None:
        self.games: dict[str, Stored] = {}
        self.logs: dict[str, list[bytes]] = {}
        self.records: dict[tuple[str, str], bytes] = {}
        self.lifetimes: dict[tuple[str, str], int] = {}
        self.journal: list[Written] = []

    def ping(self) -> None:
        """It is always there."""

    def close(self) -> None:
        """There is nothing to close."""

    def read(
        self, game_id: str, record: RecordKey | None = None
    ) -> tuple[Stored | None, bytes | None]:
        kept = None if record is None else self.records.get((game_id, record.name))
        return self.games.get(game_id), None if kept is None else _without_nonce(kept)

    def events(self, game_id: str, after: int, limit: int) -> list[bytes]:
        return self.logs.get(game_id, [])[after : after + limit] if limit > 0 else []

    def events_at(self, game_id: str, seqs: Sequence[int]) -> list[bytes]:
        log = self.logs.get(game_id, [])
        return [log[seq - 1] for seq in seqs if 0 < seq <= len(log)]

    def delete(self, game_id: str) -> None:
        self.games.pop(game_id, None)
        self.logs.pop(game_id, None)

    def commit(self, commit: Commit) -> Done | Kept | Stale:
        kept = self.kept(commit)
        if kept is not None:
            return Kept(_without_nonce(kept))
        version = self.version(commit.game_id)
        if not self.fits(commit, version):
            return Stale(version)
        if not self.follows(commit):
            raise CorruptGameError("the event log does not fit the game")
        self.journal.append(Written(commit, version))
        self.write(commit)
        return Done()

    def kept(self, commit: Commit) -> bytes | None:
        """The record that shows that this commit has been made."""
        kept = self.records.get((commit.game_id, commit.record_key.name))
        return kept if kept is not None and kept.startswith(_mark(commit.record_key)) else None

    def version(self, game_id: str) -> int:
        return self.games[game_id].version if game_id in self.games else 0

    def fits(self, commit: Commit, version: int) -> bool:
        """Whether the game is as it was when the commit was judged."""
        return version == commit.expected

    def follows(self, commit: Commit) -> bool:
        """Whether the log ends where the commit goes on."""
        return len(self.logs.get(commit.game_id, [])) == commit.logged

    def write(self, commit: Commit) -> None:
        key = commit.record_key
        self.games[commit.game_id] = commit.stored
        if commit.events:
            self.logs.setdefault(commit.game_id, []).extend(commit.events)
        nonce = key.nonce.encode() + _NONCE_END
        self.records[commit.game_id, key.name] = nonce + commit.record
        for name in ("game", "events") if commit.events else ("game",):
            self.lifetimes[commit.game_id, name] = commit.game_ttl
        self.lifetimes[commit.game_id, f"key:{key.name}"] = commit.record_ttl


def _mark(key: RecordKey) -> bytes:
    """How a record begins that is this key's own; any does where the key is a client's."""
    return key.nonce.encode() + _NONCE_END if key.nonce else b""


def _without_nonce(kept: bytes) -> bytes:
    return kept.partition(_NONCE_END)[2]


class Fault(Enum):
    """What may happen to a call, as seen from the server."""

    REFUSED = "never sent"
    UNSENT = "never arrived, and nobody can tell"
    LOST = "done, the answer lost"
    LATE = "given up, and still to arrive"
    SETTLED = "lost, and run again"
    SLOW = "slow"
    KILLED_BEFORE = "worker killed before"
    KILLED_AFTER = "worker killed after"


_KILLED = (Fault.KILLED_BEFORE, Fault.KILLED_AFTER)
_READING = (*_KILLED, *(Fault.REFUSED, Fault.SLOW) * 2)
_DELETING = (*_READING, *(Fault.UNSENT, Fault.LOST, Fault.LATE) * 2)
_COMMITTING = (*_DELETING, *(Fault.SETTLED,) * 2)
_SLOWEST = 15_000
_SOON = 2


class WorkerKilledError(BaseException):
    """The process that served the request is gone."""


@dataclass
class Weather:
    """How things go between the workers and the server.

    `rate` is the share of calls that a fault befalls; `advance` lets some ms pass; `tell` notes
    what happens; `underway` are commands that nobody waits for any more.
    """

    chance: random.Random
    rate: float
    advance: Callable[[int], None]
    tell: Callable[[str], None]
    baton: Baton
    underway: list[Callable[[], Any]] = field(default_factory=list)
    tally: Counter[str] = field(default_factory=Counter)

    def fault(self, among: Sequence[Fault]) -> Fault | None:
        return self.chance.choice(among) if self.chance.random() < self.rate else None

    def deliver(self, share: float = 0.3) -> None:
        """Let some of what is under way arrive."""
        waiting, self.underway = self.underway, []
        for command in waiting:
            if self.chance.random() < share:
                self.tell(f"a late command arrives: {_arrived(command)}")
            else:
                self.underway.append(command)


def _arrived(command: Callable[[], Any]) -> str:
    try:
        return type(command()).__name__
    except CorruptGameError as error:
        return str(error)


class FaultyStore:
    """One worker's way to the server."""

    def __init__(self, model: ModelStore, weather: Weather, name: str) -> None:
        self.killed = False
        self._model = model
        self._weather = weather
        self.name = name

    def ping(self) -> None:
        self._call("ping", self._model.ping, _READING)

    def close(self) -> None:
        """There is nothing to close."""

    def read(self, game_id: str, record: RecordKey | None = None) -> Any:
        faults = _READING if record is None else (*_READING, Fault.LOST)
        return self._call("read", lambda: self._model.read(game_id, record), faults)

    def events(self, game_id: str, after: int, limit: int) -> Any:
        return self._call("events", lambda: self._model.events(game_id, after, limit), _READING)

    def events_at(self, game_id: str, seqs: Sequence[int]) -> Any:
        return self._call("events", lambda: self._model.events_at(game_id, seqs), _READING)

    def delete(self, game_id: str) -> None:
        self._call("delete", lambda: self._model.delete(game_id), _DELETING)

    def commit(self, commit: Commit) -> Done | Kept | Stale:
        outcome = self._call(
            "commit", lambda: self._model.commit(commit), _COMMITTING, commit.record_key
        )
        self._weather.tally[type(outcome).__name__] += 1
        return outcome

    def _call(
        self,
        what: str,
        execute: Callable[[], Any],
        faults: Sequence[Fault],
        key: RecordKey | None = None,
    ) -> Any:
        self._weather.baton.pass_on()
        if self.killed:
            raise WorkerKilledError
        self._weather.deliver()
        fault = self._weather.fault(faults)
        if fault is None:
            return execute()
        self._weather.tally[fault.name] += 1
        self._weather.tell(f"{self.name}: {what} {fault.value}")
        return self._befallen(fault, execute, key)

    def _befallen(self, fault: Fault, execute: Callable[[], Any], key: RecordKey | None) -> Any:
        """What the caller has of a call that this fault befalls."""
        match fault:
            case Fault.REFUSED:
                raise StorageUnavailableError("refused", _SOON)
            case Fault.SLOW:
                self._weather.advance(self._weather.chance.randrange(_SLOWEST))
                return execute()
            case Fault.SETTLED:
                return self._run_again(execute, key)
            case Fault.KILLED_BEFORE:
                self._die()
        if fault is Fault.LATE:
            self._weather.underway.append(execute)
        elif fault is not Fault.UNSENT:
            execute()
        if fault is Fault.KILLED_AFTER:
            self._die()
        raise OutcomeUnknownError(fault.value, _SOON)

    def _run_again(self, execute: Callable[[], Any], key: RecordKey | None) -> Any:
        """What a store makes of a lost answer: it runs the commit again, and may not be sure."""
        if self._weather.chance.random() < 0.7:
            execute()
        self._weather.baton.pass_on()
        if self.killed:
            raise WorkerKilledError
        outcome = execute()
        if isinstance(outcome, Stale) and key is not None and key.nonce:
            raise OutcomeUnknownError("the game went on while the store was lost", _SOON)
        return outcome

    def _die(self) -> NoReturn:
        self.killed = True
        raise WorkerKilledError
