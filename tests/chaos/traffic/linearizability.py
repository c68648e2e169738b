"""A checker of linearizability, and a checker of the event log.

Every move of a game makes the next version, so the order of the moves is known and need not be
searched for: a history is linearizable if the order of the versions does not contradict the times.
An operation lasts from the invocation, when its request is sent first, to the response. Requests
with the same key are one move, however often and by whom they are sent.

    operations -> moves by key -> versions without duplicates or gaps -> versions against times
    acknowledged moves -> the event log has the events of each move, once
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate
from typing import Any


class Kind(Enum):
    """A read returns a version, a move makes a new one."""

    READ = "read"
    MOVE = "move"


@dataclass(frozen=True, slots=True)
class Operation:
    """A read or a move, with its invocation and response in seconds of one clock.

    `version` is the one that the read returned or that the move made. A move of unknown outcome
    has no version and no response: it may still take effect.
    """

    game: str
    kind: Kind
    key: str
    invoked: float
    responded: float = math.inf
    version: int | None = None


@dataclass(frozen=True, slots=True)
class AcknowledgedMove:
    """An answered move: the version it made, and its events as its seat may see them."""

    key: str
    version: int
    events: Sequence[Mapping[str, Any]]


def linearizability_violations(operations: Iterable[Operation]) -> list[str]:
    """What contradicts that the operations of each game took effect one after another."""
    games: defaultdict[str, list[Operation]] = defaultdict(list)
    for operation in operations:
        games[operation.game].append(operation)
    return [f"game {game}: {violation}" for game in games for violation in _violations(games[game])]


def _violations(operations: Sequence[Operation]) -> Iterator[str]:
    moves = list(_moves_by_key(each for each in operations if each.kind is Kind.MOVE))
    reads = [each for each in operations if each.kind is Kind.READ]
    known = [each for each in moves + reads if each.version is not None]
    yield from _duplicates(each for each in moves if each.version is not None)
    yield from _missing_versions(known, [each.invoked for each in moves if each.version is None])
    yield from _order_violations(known)


def _moves_by_key(moves: Iterable[Operation]) -> Iterator[Operation]:
    """Each move once for each version that its answers name, which should be one.

    It lasts from its first invocation to its first response.
    """
    by_key: defaultdict[str, list[Operation]] = defaultdict(list)
    for move in moves:
        by_key[move.key].append(move)
    for key, requests in by_key.items():
        invoked = min(each.invoked for each in requests)
        ends: dict[int | None, float] = {}
        for each in requests:
            ends[each.version] = min(each.responded, ends.get(each.version, math.inf))
        if len(ends) > 1:
            ends.pop(None, None)
        for version, responded in ends.items():
            yield Operation(requests[0].game, Kind.MOVE, key, invoked, responded, version)


def _duplicates(moves: Iterable[Operation]) -> Iterator[str]:
    versions: dict[str, int | None] = {}
    keys: dict[int | None, str] = {}
    for move in moves:
        first = versions.setdefault(move.key, move.version)
        if first != move.version:
            yield f"move {move.key} was made twice, as version {first} and as {move.version}"
        other = keys.setdefault(move.version, move.key)
        if other != move.key:
            yield f"version {move.version} was made twice, by move {other} and by {move.key}"


def _missing_versions(known: Sequence[Operation], unknown: Iterable[float]) -> Iterator[str]:
    """Versions that no known move made and no move of unknown outcome can have made.

    Version v existed before the response of every operation that made or returned v or more. The
    gaps are filled in order, each by the unknown move that was invoked first: that leaves the most
    possibilities for the others.
    """
    made = {each.version for each in known if each.kind is Kind.MOVE}
    waiting = sorted(unknown, reverse=True)
    for version, existed in _earliest_responses(known):
        if version in made:
            continue
        if waiting and waiting[-1] < existed:
            waiting.pop()
        else:
            yield f"version {version} was made by no known move"


def _earliest_responses(known: Sequence[Operation]) -> Iterator[tuple[int, float]]:
    """Each version up to the last, with the earliest response that had it or a later one."""
    last = max((each.version or 0 for each in known), default=0)
    earliest = [math.inf] * (last + 1)
    for each in known:
        earliest[each.version or 0] = min(earliest[each.version or 0], each.responded)
    from_last = list(accumulate(reversed(earliest), min))
    return zip(range(1, last + 1), reversed(from_last[:-1]), strict=True)


def _order_violations(known: Sequence[Operation]) -> Iterator[str]:
    """Operations that were invoked after another's response, but have no later version."""
    responses: list[tuple[float, int]] = []
    newest = 0
    for each in sorted(known, key=lambda one: one.invoked):
        while responses and responses[0][0] < each.invoked:
            newest = max(newest, heapq.heappop(responses)[1])
        version = each.version or 0
        if each.kind is Kind.READ and version < newest:
            yield f"version {newest} was returned, but a later read returned version {version}"
        if each.kind is Kind.MOVE and version <= newest:
            yield f"version {newest} was returned before move {each.key} made version {version}"
        heapq.heappush(responses, (each.responded, version))


def event_log_violations(
    log: Sequence[Mapping[str, Any]], acknowledged: Iterable[AcknowledgedMove], unknown: int
) -> Iterator[str]:
    """Where a game's event log does not have the events of each acknowledged move once.

    `unknown` is the number of moves of unknown outcome, which may have events in the log as well.
    """
    if [event["seq"] for event in log] != list(range(1, len(log) + 1)):
        yield "the events of the log are not numbered from 1 without gaps"
    owners: dict[int, str] = {}
    for move in acknowledged:
        for event in move.events:
            seq = event["seq"]
            if owners.setdefault(seq, move.key) != move.key:
                yield f"event {seq} was caused by move {owners[seq]} and by move {move.key}"
            if seq > len(log) or not _is_same_event(event, log[seq - 1]):
                yield f"event {seq} of acknowledged move {move.key} is not in the log"
    unowned = set(range(1, len(log) + 1)) - set(owners)
    runs = sum(seq - 1 not in unowned for seq in unowned)
    if runs > unknown:
        yield f"events {sorted(unowned)} belong to no move, and {unknown} are of unknown outcome"


def _is_same_event(answered: Mapping[str, Any], logged: Mapping[str, Any]) -> bool:
    """Whether two events are equal, where either may hide the card that the other shows."""
    return all(
        name in logged and (value == logged[name] or None in (value, logged[name]))
        for name, value in answered.items()
    )
