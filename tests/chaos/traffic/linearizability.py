"""Whether what clients were told of a game could have happened one move after another.

Every move of a game makes its next version, so the order of the moves is known and need not be
searched for: a history is linearizable if the order of the versions does not contradict the
order of time. An operation is what one client was told by one request, or by one request and
its repeats; requests with the same key are one move, whoever sent them and how often.

    operations -> merged by key -> versions without gaps or twins -> versions against time
    acknowledged moves -> the event log has the events of each, once

`Record` is where the clients of one run write down what they are told.
"""

from __future__ import annotations

import heapq
import math
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate
from typing import Any

_HOPELESS = 50  # violations


class Kind(Enum):
    """Whether an operation makes a version or sees one."""

    READ = "read"
    MOVE = "move"


@dataclass(frozen=True, slots=True)
class Operation:
    """A read or a move of a game, with its times in seconds of one clock.

    `version` is the one that the read saw or that the move made. A move of which nobody knows
    whether it was made has none, and no end: it may still happen.
    """

    game: str
    kind: Kind
    key: str
    started: float
    ended: float = math.inf
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A move's answer: the version it made and the events that it caused, as its seat sees them."""

    key: str
    version: int
    events: Sequence[Mapping[str, Any]]


def history_violations(operations: Iterable[Operation]) -> list[str]:
    """What contradicts one order of all moves, game by game."""
    games: defaultdict[str, list[Operation]] = defaultdict(list)
    for operation in operations:
        games[operation.game].append(operation)
    return [f"game {game}: {violation}" for game in games for violation in _violations(games[game])]


def _violations(operations: Sequence[Operation]) -> Iterator[str]:
    moves = list(_merged(each for each in operations if each.kind is Kind.MOVE))
    reads = [each for each in operations if each.kind is Kind.READ]
    known = [each for each in moves + reads if each.version is not None]
    yield from _twins(each for each in moves if each.version is not None)
    yield from _gaps(known, [each.started for each in moves if each.version is None])
    yield from _out_of_order(known)


def _merged(moves: Iterable[Operation]) -> Iterator[Operation]:
    """Each move once for each version it is said to have made, which should be one.

    It began with the first request and was over when the first answer came.
    """
    by_key: defaultdict[str, list[Operation]] = defaultdict(list)
    for move in moves:
        by_key[move.key].append(move)
    for key, requests in by_key.items():
        begun = min(each.started for each in requests)
        ends: dict[int | None, float] = {}
        for each in requests:
            ends[each.version] = min(each.ended, ends.get(each.version, math.inf))
        if len(ends) > 1:
            ends.pop(None, None)
        for version, ended in ends.items():
            yield Operation(requests[0].game, Kind.MOVE, key, begun, ended, version)


def _twins(moves: Iterable[Operation]) -> Iterator[str]:
    versions: dict[str, int | None] = {}
    keys: dict[int | None, str] = {}
    for move in moves:
        first = versions.setdefault(move.key, move.version)
        if first != move.version:
            yield f"move {move.key} was made twice, as version {first} and as {move.version}"
        other = keys.setdefault(move.version, move.key)
        if other != move.key:
            yield f"version {move.version} was made twice, by move {other} and by {move.key}"


def _gaps(known: Sequence[Operation], unknown: Iterable[float]) -> Iterator[str]:
    """Versions that no move made, unless one of unknown outcome, by its start, may have.

    Version v was there before the end of anything that made or saw v or more. The gaps are
    filled in order, each by the move that began first, which leaves the most to the others.
    """
    made = {each.version for each in known if each.kind is Kind.MOVE}
    waiting = sorted(unknown, reverse=True)
    for version, there in _first_ends(known):
        if version in made:
            continue
        if waiting and waiting[-1] < there:
            waiting.pop()
        else:
            yield f"version {version} was made by no known move"


def _first_ends(known: Sequence[Operation]) -> Iterator[tuple[int, float]]:
    """Each version up to the last with the first time at which it or a later one was told."""
    last = max((each.version or 0 for each in known), default=0)
    told = [math.inf] * (last + 1)
    for each in known:
        told[each.version or 0] = min(told[each.version or 0], each.ended)
    from_last = list(accumulate(reversed(told), min))
    return zip(range(1, last + 1), reversed(from_last[:-1]), strict=True)


def _out_of_order(known: Sequence[Operation]) -> Iterator[str]:
    """Operations that began after another had ended, but come before it by their versions."""
    over: list[tuple[float, int]] = []
    seen = 0
    for each in sorted(known, key=lambda one: one.started):
        while over and over[0][0] < each.started:
            seen = max(seen, heapq.heappop(over)[1])
        version = each.version or 0
        if each.kind is Kind.READ and version < seen:
            yield f"version {seen} was told, but a read that began later saw version {version}"
        if each.kind is Kind.MOVE and version <= seen:
            yield f"version {seen} was told before move {each.key} of version {version} began"
        heapq.heappush(over, (each.ended, version))


def event_log_violations(
    log: Sequence[Mapping[str, Any]], acknowledged: Iterable[Acknowledged], unknown: int
) -> Iterator[str]:
    """Where a game's event log is not the events of its acknowledged moves, each move once.

    Moves whose outcome nobody knows, `unknown` of them, may have left events there as well.
    """
    if [event["seq"] for event in log] != list(range(1, len(log) + 1)):
        yield "the log does not count its events from 1 without gaps"
    owners: dict[int, str] = {}
    for move in acknowledged:
        for event in move.events:
            seq = event["seq"]
            if owners.setdefault(seq, move.key) != move.key:
                yield f"event {seq} was caused by move {owners[seq]} and by move {move.key}"
            if seq > len(log) or not _same(event, log[seq - 1]):
                yield f"event {seq} of acknowledged move {move.key} is not in the log"
    strange = set(range(1, len(log) + 1)) - set(owners)
    runs = sum(seq - 1 not in strange for seq in strange)
    if runs > unknown:
        yield f"events {sorted(strange)} belong to no move, and {unknown} are of unknown outcome"


def _same(told: Mapping[str, Any], logged: Mapping[str, Any]) -> bool:
    """Whether two tell the same event, one of them perhaps without a card that it may not show."""
    return all(
        name in logged and (value == logged[name] or None in (value, logged[name]))
        for name, value in told.items()
    )


class Record:
    """Everything that the clients of one run were told; safe to share between threads."""

    def __init__(self) -> None:
        self.tally: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._operations: list[Operation] = []
        self._moves: defaultdict[str, dict[str, Acknowledged]] = defaultdict(dict)
        self._views: dict[tuple[str, int, int | None], Mapping[str, Any]] = {}
        self._violations: list[str] = []

    @property
    def moves(self) -> int:
        """How many moves were acknowledged, each counted once."""
        return self.tally["moves"]

    @property
    def is_hopeless(self) -> bool:
        """Whether so much is broken that there is no point in going on."""
        return len(self._violations) >= _HOPELESS

    def count(self, what: str) -> None:
        """Count something that is worth a number in the end."""
        with self._lock:
            self.tally[what] += 1

    def violation(self, words: str) -> None:
        """Note a broken promise that shows at once."""
        with self._lock:
            self._violations.append(words)

    def unknown(self, game: str, key: str, begun: float) -> None:
        """Note a move of which nobody knows whether it was made."""
        with self._lock:
            self.tally["unknown"] += 1
            self._operations.append(Operation(game, Kind.MOVE, key, begun))

    def saw(self, game: str, kind: Kind, key: str, begun: float, view: Mapping[str, Any]) -> None:
        """Note an operation that was just answered with a view; a version is one state for ever."""
        ended = time.monotonic()
        version, you = view["version"], view["you"]
        viewer = None if you is None else you["seat"]
        with self._lock:
            self._operations.append(Operation(game, kind, key, begun, ended, version))
            if self._views.setdefault((game, version, viewer), view) != view:
                self._violations.append(f"game {game}: two views of version {version} differ")

    def acknowledge(self, game: str, move: Acknowledged) -> None:
        """Note a move's answer; a repeat is the same move."""
        with self._lock:
            self.tally["moves"] += move.key not in self._moves[game]
            self._moves[game].setdefault(move.key, move)

    def acknowledged(self) -> dict[str, list[Acknowledged]]:
        """All moves that were answered so far, by game."""
        with self._lock:
            return {game: list(moves.values()) for game, moves in self._moves.items()}

    def hold_against(self, game: str, log: Sequence[Mapping[str, Any]]) -> None:
        """Compare the acknowledged moves of a game with its whole event log."""
        with self._lock:
            unknown = sum(each.game == game and each.version is None for each in self._operations)
            found = event_log_violations(log, self._moves[game].values(), unknown)
            self._violations += [f"game {game}: {violation}" for violation in found]

    def violations(self) -> list[str]:
        """What showed at once, and what the history shows."""
        return self._violations + self.history()

    def history(self) -> list[str]:
        """What the history alone shows."""
        with self._lock:
            return history_violations(self._operations)
