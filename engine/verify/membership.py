"""Who sits at the table: humans come, are away, return and leave.

Neither secret nor actions give these events. So what is checked is that they fit each other, the
turns and the seats: nobody returns who was not away, and who left has an AI player in the end.
"""

from __future__ import annotations

from engine.verify.comparison import first_difference
from engine.verify.listing import ContradictionError, Listing
from engine.verify.replay import JsonObject, Replay

_EVENTS = ("seat_joined", "seat_left", "seat_away", "seat_returned")
_POSITIONS: dict[int, list[str]] = {
    2: ["bottom", "top"],
    3: ["bottom", "left", "right"],
    4: ["bottom", "left", "top", "right"],
}
"""By the number of seats, where each sits; larger tables have no positions."""


class Membership:
    """Follows the events of seats."""

    def __init__(self, replay: Replay, listing: Listing) -> None:
        self._replay, self._listing = replay, listing
        self._joined: set[int] = set()
        self._present: set[int] = set()
        self._away: set[int] = set()

    def follow(self, mover: int | None) -> bool:
        """Read what happens before a seat's move, or before the first deal; whether it follows."""
        while self._listing.next_event.get("type") in _EVENTS:
            self._read(str(self._listing.next_event["type"]), mover)
            if not self._present:
                self._listing.expect("game_abandoned", secret=self._replay.secret.hex())
                return False
        return True

    def check_complete(self) -> None:
        """Refuse a first deal while a human is awaited."""
        humans = {number for number, seat in enumerate(self._replay.seats) if _is_human(seat)}
        if not self._joined or not humans <= self._joined:
            self._listing.fail("the first round is dealt before all humans have joined")

    def check_seats(self, *, was_dealt: bool) -> None:
        """Compare who is there in the end with the seats of the replay."""
        for number, seat in enumerate(self._replay.seats):
            fault = self._fault_of_seat(number, seat, was_dealt)
            if fault is not None:
                raise ContradictionError(f"seats: {fault}")

    def _fault_of_seat(self, number: int, seat: JsonObject, was_dealt: bool) -> str | None:
        positions = _POSITIONS.get(len(self._replay.seats))
        own = {name: seat.get(name) for name in ("name", "kind", "level")}
        expected = {
            "seat": number,
            "position": None if positions is None else positions[number],
            **own,
        }
        difference = first_difference(f"seat {number}", expected, seat)
        if difference is not None:
            return difference
        is_ai = own["kind"] == "ai" and isinstance(own["level"], str)
        if not (_is_human(seat) or is_ai) or not isinstance(own["name"], str):
            return f"seat {number} has no player or no name"
        is_awaited = not was_dealt and number not in self._joined
        if _is_human(seat) != (number in self._present) and not is_awaited:
            return f"seat {number} is not played by whom the events say"
        return None

    def _read(self, kind: str, mover: int | None) -> None:
        """Read the next event, which is one of a seat."""
        seat = self._listing.next_event.get("seat")
        if type(seat) is not int or not 0 <= seat < len(self._replay.seats):
            self._listing.fail("an event names a seat that is not there")
        if kind == "seat_joined":
            self._join(seat, mover)
            return
        if seat not in self._present:
            self._listing.fail(f"{kind}: the human of seat {seat} is not there")
        if kind == "seat_away" and (seat != mover or seat in self._away):
            self._listing.fail(f"{kind}: no human in seat {seat} is to move")
        if kind == "seat_returned" and seat not in self._away:
            self._listing.fail(f"{kind}: seat {seat} was not away")
        self._listing.expect(kind, seat=seat)
        if kind == "seat_away":
            self._away.add(seat)
        else:
            self._away.discard(seat)
        if kind == "seat_left":
            self._present.remove(seat)

    def _join(self, seat: int, mover: int | None) -> None:
        if mover is not None or seat in self._joined:
            self._listing.fail(f"seat {seat} joins when it is not awaited")
        if not self._joined and seat != 0 and not self._replay.is_rematch:
            self._listing.fail("seat 0 is not the first to join")
        self._listing.expect("seat_joined", seat=seat, name=self._replay.seats[seat].get("name"))
        self._joined.add(seat)
        self._present.add(seat)


def _is_human(seat: JsonObject) -> bool:
    return seat.get("kind") == "human" and seat.get("level", "") is None
