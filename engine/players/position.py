"""What an AI player chooses by: its seat's view, in the terms of a decision."""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import Card, Rank
from engine.rules import AceMode
from engine.view import View


@dataclass(frozen=True, slots=True)
class Position:
    """A seat that is to move: its hand, the upcard, and how far the round has come.

    `upcard` is None if the pile is empty, as it may be while a discard is due. `turn` is the
    number of the seat's own turn in the round, from 1.
    """

    hand: tuple[Card, ...]
    wild: Rank
    aces: AceMode
    upcard: Card | None
    turn: int
    final: bool

    @classmethod
    def of(cls, seen: View) -> Position:
        """The position of a view, which must be that of the seat to move."""
        own, turn, dealt = seen.you, seen.turn, seen.round
        if own is None or own.hand is None or turn is None or dealt is None:
            raise ValueError("only a seat that is to move has a position")
        upcard = seen.pile[-1] if seen.pile else None
        return cls(own.hand, dealt.wild, seen.rules.aces, upcard, turn.number, turn.final)
