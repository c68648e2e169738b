"""The seats of a table: each is a human's or an AI player's, never half of both."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import ClassVar

from engine.errors import InvalidTableError

MAX_NAME = 40
"""Characters of the longest name."""


class SeatKind(Enum):
    """Who plays a seat."""

    HUMAN = "human"
    AI = "ai"


class Level(StrEnum):
    """The strengths of AI players, the weakest first."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    EXPERT = "expert"


@dataclass(frozen=True, slots=True)
class HumanSeat:
    """A human's seat.

    `joined`: whether the human has come. `away`: whether that human let its time run out and is
    not back yet. Raises InvalidTableError.
    """

    kind: ClassVar[SeatKind] = SeatKind.HUMAN
    level: ClassVar[None] = None
    name: str
    joined: bool = True
    away: bool = False

    def __post_init__(self) -> None:
        """Refuse a name that is none, and a human who is away without having come."""
        _check_name(self.name)
        _check_flags(self.joined, self.away)
        if self.away and not self.joined:
            raise InvalidTableError("a human who has not joined cannot be away")


@dataclass(frozen=True, slots=True)
class AiSeat:
    """An AI player's seat, who has always come and is never away; raises InvalidTableError."""

    kind: ClassVar[SeatKind] = SeatKind.AI
    joined: ClassVar[bool] = True
    away: ClassVar[bool] = False
    name: str
    level: Level

    def __post_init__(self) -> None:
        """Refuse a name or a level that is none."""
        _check_name(self.name)
        if type(self.level) is not Level:
            raise InvalidTableError("there is no such level")


Seat = HumanSeat | AiSeat


def has_joined(seat: Seat) -> bool:
    """Whether whoever plays the seat has come: an AI player always has."""
    return seat.joined


def is_away(seat: Seat) -> bool:
    """Whether an AI player moves for the seat's human."""
    return seat.away


def _check_flags(*flags: object) -> None:
    if any(type(flag) is not bool for flag in flags):
        raise InvalidTableError("whether a human has joined or is away is true or false")


def _check_name(name: str) -> None:
    """Refuse what is no text of 1 to 40 characters, each of which UTF-8 can write."""
    if type(name) is not str or not 1 <= len(name) <= MAX_NAME:
        raise InvalidTableError(f"a name has 1 to {MAX_NAME} characters")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise InvalidTableError("a name has no lone surrogate in it") from None
