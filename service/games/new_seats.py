"""Who sits where in a new game: defaults, names, and what a table may be.

Without seats a table has its human creator at the bottom and AI players at left, top and right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.players import DEFAULT_LEVEL
from engine.seats import AiSeat, HumanSeat, Level, Seat, SeatKind
from engine.view import position
from service.errors import Fault, InvalidRequestError

CREATOR = 0
DEFAULT_SEATS = 4
_DEFAULT_TABLE = ({"kind": "human"}, *({"kind": "ai"},) * (DEFAULT_SEATS - 1))


def seats_of(asked: Sequence[Mapping[str, Any]] | None, *, seeded: bool) -> tuple[Seat, ...]:
    """The seats of a new game, from the request's list; raises InvalidRequestError.

    Seat 0 is the creator's and so a human's; every other human has yet to join.
    """
    table = _DEFAULT_TABLE if asked is None else asked
    faults = list(_faults(table, seeded=seeded))
    if faults:
        raise InvalidRequestError(*faults)
    return tuple(_seat(seat, number, len(table)) for number, seat in enumerate(table))


def _faults(table: Sequence[Mapping[str, Any]], *, seeded: bool) -> list[Fault]:
    faults = []
    if table[0]["kind"] != "human":
        faults.append(Fault("/seats/0/kind", "seat 0 is the creator's: it must be human"))
    for number, seat in enumerate(table):
        if seat["kind"] == "human" and seat.get("level") is not None:
            faults.append(Fault(f"/seats/{number}/level", "only an AI player has a level"))
        if number and seat["kind"] == "human" and seeded:
            reason = "a seeded game has one human: its creator could know every hand"
            faults.append(Fault(f"/seats/{number}/kind", reason))
    return faults


def _seat(seat: Mapping[str, Any], number: int, seats: int) -> Seat:
    kind = SeatKind(seat["kind"])
    name = seat.get("name") or _default_name(kind, number, seats)
    if kind is SeatKind.HUMAN:
        return HumanSeat(name, joined=number == CREATOR)
    return AiSeat(name, Level(seat.get("level") or DEFAULT_LEVEL))


def _default_name(kind: SeatKind, number: int, seats: int) -> str:
    if kind is SeatKind.HUMAN:
        return f"Player {number + 1}"
    place = position(number, seats)
    return f"AI {number + 1}" if place is None else place.capitalize()
