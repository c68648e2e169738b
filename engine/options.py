"""What a game is created with."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.errors import InvalidTableError
from engine.rules import (
    MAX_SEATS,
    MAX_TURN_SECONDS,
    MAX_TURN_SOLVES,
    MIN_SEATS,
    MIN_TURN_SECONDS,
    TURN_SOLVES,
    Rules,
)
from engine.seats import HumanSeat, Seat


@dataclass(frozen=True, slots=True)
class GameOptions:
    """The options of a new game; raises InvalidTableError where no game can have them.

    `turn_seconds` bounds the turns of humans, None for no bound. `turn_solves` bounds the hands
    that an AI player may have solved in one choice. `seeded`: whether the creator chose the
    secret, and so could know every hand: such a game has one human at most. `first_dealer` is
    None where the secret decides.
    """

    seats: tuple[Seat, ...]
    rules: Rules = field(default_factory=Rules)
    turn_seconds: int | None = None
    turn_solves: int = TURN_SOLVES
    seeded: bool = False
    first_dealer: int | None = None

    def __post_init__(self) -> None:
        """Refuse options that no game can have."""
        seats = len(self.seats)
        if not MIN_SEATS <= seats <= MAX_SEATS:
            raise InvalidTableError(f"a game has {MIN_SEATS} to {MAX_SEATS} seats, not {seats}")
        if self.seeded and sum(isinstance(seat, HumanSeat) for seat in self.seats) > 1:
            raise InvalidTableError("a seeded game has one human: its creator could know all hands")
        if self.first_dealer is not None and not 0 <= self.first_dealer < seats:
            raise InvalidTableError("the first dealer is one of the seats")
        if self.turn_seconds is not None and not (
            MIN_TURN_SECONDS <= self.turn_seconds <= MAX_TURN_SECONDS
        ):
            raise InvalidTableError(f"a turn has {MIN_TURN_SECONDS} to {MAX_TURN_SECONDS} seconds")
        if not 0 <= self.turn_solves <= MAX_TURN_SOLVES:
            raise InvalidTableError(f"a choice has 0 to {MAX_TURN_SOLVES} hands to solve")
