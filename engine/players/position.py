"""What an AI player chooses by: the view of its seat, in the terms of a decision.

A seat that must draw has a `DrawPosition`, one that must discard a `DiscardPosition`. What both
share is a `Position`. What the discards cost is asked of the solver once, when the position is
made: several decisions of one choice compare it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.cards import Card, Rank
from engine.rules import WILD_CARDS, AceMode
from engine.shuffle import pack_counts
from engine.solver.hands import kernel, packed
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
        return Position(*_shared(seen))

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
    """A seat that must discard; `drawn` is the card that it has just drawn.

    `natural_discard_costs` has, for each distinct natural of the hand, the least points after its
    discard.
    """

    drawn: Card
    natural_discard_costs: dict[Card, int] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Ask the solver, once for all that compare the discards."""
        wilds, least = WILD_CARDS[self.wild], self.kernel.least_after_discards(packed(self.hand))
        costs = {card: least[card] for card in self.hand if card not in wilds}
        object.__setattr__(self, "natural_discard_costs", costs)

    @classmethod
    def of(cls, seen: View) -> DiscardPosition:
        """The position of a view; raises ValueError unless the view's seat must discard."""
        shared = _shared(seen)
        if seen.you is None or seen.you.drawn is None:
            raise ValueError("only a seat that has drawn must discard")
        return cls(*shared, seen.you.drawn)


@dataclass(frozen=True, slots=True)
class DrawPosition(Position):
    """A seat that must draw; `upcard` is the card that it may take from the discard pile.

    `with_upcard` is the position after taking it: exactly what the seat's next view will give.
    """

    upcard: Card
    with_upcard: DiscardPosition = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Take the upcard, once for all that look at what that gives."""
        hand = tuple(sorted((*self.hand, self.upcard)))
        taken = DiscardPosition(
            hand, self.wild, self.aces, self.unseen, self.turn, self.final, self.upcard
        )
        object.__setattr__(self, "with_upcard", taken)

    @classmethod
    def of(cls, seen: View) -> DrawPosition:
        """The position of a view; raises ValueError unless the view's seat must draw."""
        shared = _shared(seen)
        if seen.you is None or not seen.you.draws:
            raise ValueError("only a seat that has not drawn must draw")
        return cls(*shared, seen.pile[-1])


def _shared(seen: View) -> tuple[tuple[Card, ...], Rank, AceMode, bytes, int, bool]:
    """The members of `Position`, in order."""
    own, turn, dealt = seen.you, seen.turn, seen.round
    if own is None or own.hand is None or turn is None or turn.seat != own.seat or not dealt:
        raise ValueError("only a seat that is to move has a position")
    unseen = _unseen(seen, own.seat, own.hand)
    return own.hand, dealt.wild, seen.rules.aces, unseen, turn.number, turn.final


def _unseen(seen: View, seat: int, hand: tuple[Card, ...]) -> bytes:
    """By card, how many there are beside those whose place the seat knows."""
    unseen = bytearray(pack_counts(seen.rules.jokers))
    for card in hand + seen.pile:
        unseen[card] -= 1
    for other in seen.seats:
        if other.seat != seat:
            for card in other.shown if other.hand is None else other.hand:
                unseen[card] -= 1
    return bytes(unseen)
