"""What an AI player chooses by: the view of its seat, in the terms of a decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from engine.cards import CARDS, Card, Rank
from engine.rules import AceMode, is_wild
from engine.shuffle import pack
from engine.solver.hands import kernel, points_after_discard
from engine.solver.prospects import LookaheadKernel
from engine.view import View


@dataclass(frozen=True, slots=True)
class Position:
    """A seat that is to move: its hand, the upcard, and what it knows of all other cards.

    `upcard` is None if the pile is empty, as it may be while a discard is due. `unseen` has for
    each kind of card, by index, how many are in places unknown to the seat: in the stock or in
    other hands. `turn` is the number of the seat's own turn in the round, from 1.
    """

    hand: tuple[Card, ...]
    wild: Rank
    aces: AceMode
    upcard: Card | None
    unseen: bytes
    turn: int
    final: bool

    @classmethod
    def of(cls, seen: View) -> Position:
        """The position of a view, which must be that of the seat to move."""
        own, turn, dealt = seen.you, seen.turn, seen.round
        if own is None or own.hand is None or turn is None or dealt is None:
            raise ValueError("only a seat that is to move has a position")
        left = Counter(pack(seen.rules.jokers))
        left.subtract(_placed(seen, own.seat, own.hand))
        upcard = seen.pile[-1] if seen.pile else None
        unseen = bytes([left[card] for card in CARDS])
        return cls(own.hand, dealt.wild, seen.rules.aces, upcard, unseen, turn.number, turn.final)

    @property
    def kernel(self) -> LookaheadKernel:
        """The kernel that prices this position's hands."""
        return kernel(self.wild, self.aces)

    @property
    def unseen_count(self) -> int:
        """How many cards are in places unknown to the seat."""
        return sum(self.unseen)

    @property
    def unseen_kinds(self) -> int:
        """How many kinds of card the seat might draw from the stock."""
        return len(self.unseen) - self.unseen.count(0)

    def natural_discard_costs(self) -> dict[Card, int]:
        """For each distinct natural of the hand, the least points after its discard."""
        least = points_after_discard(self.hand, self.wild, self.aces)
        return {card: cost for card, cost in least.items() if not is_wild(card, self.wild)}


def _placed(seen: View, seat: int, hand: tuple[Card, ...]) -> Iterator[Card]:
    """Every card whose place the seat knows."""
    yield from hand
    yield from seen.pile
    for other in seen.seats:
        if other.seat != seat:
            yield from other.shown if other.hand is None else other.hand
