"""Melds and arrangements: legal by construction.

A `Meld` is given its cards in order and finds out itself whether they are a set or a run and
what every card stands for; cards that form no meld raise. An `Arrangement` parts a hand into
melds and deadwood.

Positions in a run: 1 is an ace below the two, 2 to 13 are the ranks, 14 is an ace above the
king. Which of them a run may use depends on the ace mode, and no run uses both 1 and 14.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from engine.cards import Card, Rank, Suit
from engine.errors import IllegalMeldError
from engine.rules import WILD_CARDS, AceMode

MIN_MELD = 3
HIGH_ACE = 14
_WITH_LOW_ACE, _WITH_HIGH_ACE = range(1, HIGH_ACE), range(2, HIGH_ACE + 1)
POSITIONS = {
    AceMode.LOW: (_WITH_LOW_ACE,),
    AceMode.HIGH: (_WITH_HIGH_ACE,),
    AceMode.BOTH: (_WITH_LOW_ACE, _WITH_HIGH_ACE),
}
"""By ace mode, the positions that a run may use: all of it lies in one of these ranges."""
SUIT_LINES = tuple(tuple(Card.of(rank, suit) for rank in (*Rank, Rank.ACE)) for suit in Suit)
"""By suit, its cards in the positions 1 to 14."""


class MeldKind(Enum):
    """The two kinds of meld."""

    SET = "set"
    RUN = "run"


@dataclass(frozen=True, slots=True)
class Meld:
    """A set or a run; raises IllegalMeldError if the cards are neither.

    `cards` are in the order of the run; in a set, naturals come before wilds. `stands_for` has
    for each card the natural card whose place it takes. A meld whose naturals share one rank is
    a set, also with one natural or none.
    """

    cards: tuple[Card, ...]
    wild: Rank
    aces: AceMode
    kind: MeldKind = field(init=False)
    stands_for: tuple[Card, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Find kind and meaning of the cards."""
        wilds = WILD_CARDS[self.wild]
        naturals = {card.rank for card in self.cards if card not in wilds}
        kind = MeldKind.SET if len(naturals) <= 1 else MeldKind.RUN
        places = self._set_places(naturals) if kind is MeldKind.SET else self._run_places()
        if places is None or len(self.cards) < MIN_MELD:
            raise IllegalMeldError(tuple(map(str, self.cards)))
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "stands_for", places)

    def _set_places(self, naturals: set[Rank | None]) -> tuple[Card, ...]:
        rank = next(iter(naturals), None) or self.wild
        return tuple(Card.of(rank, card.suit or Suit.CLUBS) for card in self.cards)

    def _run_places(self) -> tuple[Card, ...] | None:
        """The places of a run: its first natural that is no ace determines them."""
        wilds = WILD_CARDS[self.wild]
        step, card = next(
            (step, card)
            for step, card in enumerate(self.cards)
            if card not in wilds and card.rank != Rank.ACE
        )
        first = card // 4 + 1 - step
        last = first + len(self.cards) - 1
        if not any(first in run and last in run for run in POSITIONS[self.aces]):
            return None
        places = SUIT_LINES[card % 4][first - 1 : last]
        fits = all(
            card == place or card in wilds for card, place in zip(self.cards, places, strict=True)
        )
        return places if fits else None


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A hand parted into melds and deadwood.

    `points` are the deadwood's. `melds` stand in the order of their first card's meaning;
    `deadwood` is sorted.
    """

    melds: tuple[Meld, ...]
    deadwood: tuple[Card, ...]
    points: int
