"""Melds and arrangements: legal by construction.

A `Meld` is given its cards in order and finds out itself whether they are a set or a run and
what every card stands for; cards that form no meld raise. An `Arrangement` parts a hand into
melds and deadwood.

Positions in a run: 1 is an ace below the two, 2 to 13 are the ranks, 14 is an ace above the
king. Which of them a run may use depends on the ace mode, and no run uses both 1 and 14.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from engine.cards import Card, Rank, Suit
from engine.errors import IllegalMeldError
from engine.rules import AceMode, is_wild

MIN_MELD = 3
HIGH_ACE = 14


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
        naturals = {card.rank for card in self.cards if not is_wild(card, self.wild)}
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
        for first in self._first_positions():
            places = self._places_from(first)
            if places is not None:
                return places
        return None

    def _first_positions(self) -> Iterator[int]:
        last = len(self.cards) - 1
        if self.aces is not AceMode.HIGH:
            yield from range(1, HIGH_ACE - last)
        if self.aces is not AceMode.LOW:
            yield from range(2, HIGH_ACE - last + 1)

    def _places_from(self, first: int) -> tuple[Card, ...] | None:
        suits = {card.suit for card in self.cards if not is_wild(card, self.wild)}
        suit = next(iter(suits))
        if len(suits) != 1 or suit is None:
            return None
        places = tuple(
            Card.of(position_rank(first + step), suit) for step in range(len(self.cards))
        )
        fits = all(
            card == place or is_wild(card, self.wild)
            for card, place in zip(self.cards, places, strict=True)
        )
        return places if fits else None


def position_rank(position: int) -> Rank:
    """The rank of a position 1 to 14 in a run."""
    return Rank.ACE if position == HIGH_ACE else Rank(position)


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A hand parted into melds and deadwood.

    `points` are the deadwood's. `melds` stand in the order of their first card's meaning;
    `deadwood` is sorted.
    """

    melds: tuple[Meld, ...]
    deadwood: tuple[Card, ...]
    points: int
