"""The seats of a game as a snapshot has them: a list for each seat, in one of two forms.

    up to format 3    kind, name, level, whether it has joined, whether it is away
    since format 4    kind, name; then of a human the two flags, and of an AI player the level

In the older form a human's level is null, and an AI player has always joined and is never away. The
seats of a game seldom change, so those that were met last are remembered.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, assert_never

from engine import stored_values as stored
from engine.errors import SnapshotError
from engine.seats import AiSeat, HumanSeat, Level, Seat, SeatKind

_REMEMBERED = 256
_LONG = 5
"""How many members the list of the older form has."""
_HUMAN, _AI = SeatKind.HUMAN.value, SeatKind.AI.value
_NO_SEAT = "a stored seat is neither a human's nor an AI player's"


@lru_cache(maxsize=_REMEMBERED)
def plain(seats: tuple[Seat, ...]) -> list[list[object]]:
    """The seats in the form since format 4."""
    return [_plain(seat) for seat in seats]


@lru_cache(maxsize=_REMEMBERED)
def long_plain(seats: tuple[Seat, ...]) -> list[list[object]]:
    """The seats in the older form."""
    return [[seat.kind.value, seat.name, _level(seat), seat.joined, seat.away] for seat in seats]


def seat(value: object) -> Seat:
    """A seat from the form since format 4; raises SnapshotError, InvalidTableError, ValueError."""
    members = stored.items(value)
    try:
        return _parsed(*members)
    except TypeError:  # a list or an object, which cannot be remembered
        return _parsed.__wrapped__(*members)


def long_seat(value: object) -> Seat:
    """A seat from the older form; raises as `seat`."""
    members = stored.items(value, _LONG)
    try:
        return _long_parsed(*members)
    except TypeError:
        return _long_parsed.__wrapped__(*members)


def _plain(seat: Seat) -> list[object]:
    match seat:
        case HumanSeat(name, joined, away):
            return [_HUMAN, name, joined, away]
        case AiSeat(name, level):
            return [_AI, name, level.value]
        case _:
            assert_never(seat)


def _level(seat: Seat) -> str | None:
    return None if seat.level is None else seat.level.value


@lru_cache(maxsize=_REMEMBERED, typed=True)  # 1 and True are equal, but only one is a flag
def _parsed(*members: Any) -> Seat:
    match members:
        case [SeatKind.HUMAN.value, name, joined, away]:
            return HumanSeat(name, joined, away)
        case [SeatKind.AI.value, name, level]:
            return AiSeat(name, Level(level))
        case _:
            raise SnapshotError(_NO_SEAT)


@lru_cache(maxsize=_REMEMBERED, typed=True)
def _long_parsed(kind: object, name: Any, level: Any, joined: Any, away: Any) -> Seat:
    if kind == _HUMAN and level is None:
        return HumanSeat(name, joined, away)
    if kind == _AI and joined is True and away is False:
        return AiSeat(name, Level(level))
    raise SnapshotError(_NO_SEAT)
