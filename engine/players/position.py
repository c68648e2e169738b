"""What an AI player chooses by: the view of its seat, in the terms of a decision.

A seat that must draw has a `DrawPosition`, one that must discard a `DiscardPosition`. What both
share is a `Position`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from engine.cards import CARDS, Card, Rank
from engine.rules import AceMode, is_wild
from engine.shuffle import pack
from engine.solver.hands import kernel, packed, points_after_discard
from engine.solver.prospects import LookaheadKernel
from engine.view import View


@dataclass(frozen=True, slots=True)
class Position:
    """A seat that is to move: its hand, and what it knows of all other cards.

    `unseen` has for each kind of card, by index, how many are in places unknown to the seat: in
    the stock or in other hands. `turn` is the number of the seat's own turn in the round, from 1.
    """

    hand: tuple[Card, ...]
    wild: Rank
    aces: AceMode
    unseen: bytes
    turn: int
    final: bool

    @classmethod
    def of(cls, seen: View) -> Position:
        """The position of a view; raises ValueError unless the view's seat is to move."""
        own, turn, dealt = seen.you, seen.turn, seen.round
        if own is None or own.hand is None or turn is None or turn.seat != own.seat or not dealt:
            raise ValueError("only a seat that is to move has a position")
        left = Counter(pack(seen.rules.jokers))
        left.subtract(_known_cards(seen, own.seat, own.hand))
        unseen = bytes([left[card] for card in CARDS])
        return Position(own.hand, dealt.wild, seen.rules.aces, unseen, turn.number, turn.final)

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

    def points(self) -> int:
        """The least points of the hand, nothing discarded."""
        return self.kernel.least(packed(self.hand))


@dataclass(frozen=True, slots=True)
class DiscardPosition(Position):
    """A seat that must discard; `drawn` is the card that it has just drawn."""

    drawn: Card

    @classmethod
    def of(cls, seen: View) -> DiscardPosition:
        """The position of a view; raises ValueError unless the view's seat must discard."""
        at = Position.of(seen)
        if seen.you is None or seen.you.drawn is None:
            raise ValueError("only a seat that has drawn must discard")
        return cls(at.hand, at.wild, at.aces, at.unseen, at.turn, at.final, seen.you.drawn)

    def natural_discard_costs(self) -> dict[Card, int]:
        """For each distinct natural of the hand, the least points after its discard."""
        least = points_after_discard(self.hand, self.wild, self.aces)
        return {card: cost for card, cost in least.items() if not is_wild(card, self.wild)}


@dataclass(frozen=True, slots=True)
class DrawPosition(Position):
    """A seat that must draw; `upcard` is the card that it may take from the discard pile."""

    upcard: Card

    @classmethod
    def of(cls, seen: View) -> DrawPosition:
        """The position of a view; raises ValueError unless the view's seat must draw."""
        at = Position.of(seen)
        if seen.you is None or not seen.you.draws:
            raise ValueError("only a seat that has not drawn must draw")
        return cls(at.hand, at.wild, at.aces, at.unseen, at.turn, at.final, seen.pile[-1])

    def with_upcard(self) -> DiscardPosition:
        """The position after taking the upcard: exactly what the seat's next view will give."""
        hand = tuple(sorted((*self.hand, self.upcard)))
        return DiscardPosition(
            hand, self.wild, self.aces, self.unseen, self.turn, self.final, self.upcard
        )


def _known_cards(seen: View, seat: int, hand: tuple[Card, ...]) -> Iterator[Card]:
    """Every card whose place the seat knows."""
    yield from hand
    yield from seen.pile
    for other in seen.seats:
        if other.seat != seat:
            yield from other.shown if other.hand is None else other.hand
