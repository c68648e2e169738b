"""What the engine refuses, one class each; every error carries the data that explains it.

A refused move changes nothing: every engine value is frozen, and an error means that no new
value was made.
"""

from __future__ import annotations


class EngineError(Exception):
    """Anything the engine refuses."""


class CardCodeError(EngineError):
    """A text that is no card code."""

    def __init__(self, code: object) -> None:
        super().__init__(
            f"{code!r} is not a card: write the rank (A 2 3 4 5 6 7 8 9 T J Q K) and the suit "
            "(C D H S), as in TS for the ten of spades, or JK for a joker"
        )
        self.code = code


class RankCodeError(EngineError):
    """A text that is no rank code."""

    def __init__(self, code: object) -> None:
        super().__init__(f"{code!r} is not a rank: write one of A 2 3 4 5 6 7 8 9 T J Q K")
        self.code = code


class IllegalMeldError(EngineError):
    """Cards that form neither a set nor a run."""

    def __init__(self, codes: tuple[str, ...]) -> None:
        super().__init__(f"{' '.join(codes)} is neither a set nor a run")
        self.codes = codes


class InvalidTableError(EngineError):
    """Seats or rules that no game can be made of."""


class SnapshotError(EngineError):
    """A stored game that cannot be read or that breaks a rule."""


class ReplayError(EngineError):
    """Events that do not repeat the game which they are said to be of; the text shows no card."""


class MoveError(EngineError):
    """A move that is refused as the game stands."""


class GameWaitingError(MoveError):
    """A move before all human seats have joined."""


class GameFinishedError(MoveError):
    """A move after the game is over."""


class GameNotFinishedError(EngineError):
    """A question that only a finished game answers."""


class SeatTakenError(MoveError):
    """A human seat that has been joined already."""


class NotYourTurnError(MoveError):
    """A move by a seat that is not to move.

    Attributes: `seat` asked to move; `expected` is the seat that is to move.
    """

    def __init__(self, seat: int, expected: int) -> None:
        super().__init__(f"it is the turn of seat {expected}, not of seat {seat}")
        self.seat = seat
        self.expected = expected


class WrongPhaseError(MoveError):
    """A draw where a discard is due, or the other way round; `expected` names the phase due."""

    def __init__(self, expected: str) -> None:
        super().__init__(f"the phase is {expected}")
        self.expected = expected


class CardNotInHandError(MoveError):
    """A discard of a card that the hand does not hold; `code` is that card's code."""

    def __init__(self, code: str) -> None:
        super().__init__(f"the hand holds no {code}")
        self.code = code
