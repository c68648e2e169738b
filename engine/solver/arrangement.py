"""The exact arrangement of a hand: melds and deadwood with the least points.

`kernel.py` knows the least points of any hand; here its answers become cards and melds. The hand
is decomposed meld by meld. The lowest natural that remains goes into a meld if some meld of it
still allows the least points; else it is deadwood. Small melds suffice: a run of six or more
splits into shorter runs, and a set takes as many cards of its rank as the least points need.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from engine.cards import CARDS, JOKER_INDEX, Card, Rank, without
from engine.melds import HIGH_ACE, MIN_MELD, Arrangement, Meld, MeldKind, position_rank
from engine.rules import AceMode, is_wild, total_points
from engine.solver.hands import kernel, points_after_discard, preferred

LONGEST_RUN = 5
"""Longer runs are put together of shorter ones."""

Places = tuple[Card | None, ...]
"""The cards of a meld in order; None where a wild is needed."""


def arrange(cards: tuple[Card, ...], wild: Rank, aces: AceMode) -> Arrangement:
    """The arrangement of up to 14 cards, in any order, with the least deadwood points.

    Among equal arrangements the choice depends on the multiset of cards alone.
    """
    melds, deadwood = _Decomposition(cards, wild, aces).melds_and_deadwood()
    ordered = tuple(sorted(melds, key=lambda meld: (meld.stands_for, meld.cards)))
    return Arrangement(ordered, deadwood, total_points(deadwood, wild, aces))


def best_discard(cards: tuple[Card, ...], wild: Rank, aces: AceMode) -> tuple[Card, Arrangement]:
    """The preferred discard of all that leave the least points, and the arrangement it leaves."""
    card = preferred(points_after_discard(cards, wild, aces), wild, aces)
    return card, arrange(without(cards, card), wild, aces)


class _Decomposition:
    """The decomposition of one hand; `_naturals` and `_wilds` are the cards that remain, sorted."""

    def __init__(self, cards: tuple[Card, ...], wild: Rank, aces: AceMode) -> None:
        ordered = sorted(cards)
        self._wild = wild
        self._aces = aces
        self._kernel = kernel(wild, aces)
        self._naturals = sorted(
            (card for card in ordered if not is_wild(card, wild)), key=self._position
        )
        self._wilds = [card for card in ordered if is_wild(card, wild)]

    def melds_and_deadwood(self) -> tuple[list[Meld], tuple[Card, ...]]:
        """The melds, and the sorted deadwood, with the least points."""
        melds: list[Meld] = []
        deadwood: list[Card] = []
        while self._naturals:
            places = self._best_meld()
            if places is None:
                deadwood.append(self._naturals.pop(0))
            else:
                melds.append(self._remove_meld(places))
        melds, spare = self._with_spare(melds)
        return melds, tuple(sorted([*deadwood, *spare]))

    def _position(self, card: Card) -> tuple[int, int]:
        """Where a natural stands in the order of its suit's runs."""
        is_high = self._aces is AceMode.HIGH and card.rank == Rank.ACE
        return (HIGH_ACE if is_high else card // 4 + 1, card % 4)

    def _best_meld(self) -> Places | None:
        """A meld of the lowest natural that still allows the least points; None if none does."""
        least = self._least(self._naturals, len(self._wilds))
        candidates = [*_sets_with_first(self._naturals), *self._runs()]
        for places in sorted(candidates, key=lambda places: places.count(None)):
            spent = places.count(None)
            if spent <= len(self._wilds):
                rest = _without_places(self._naturals, places)
                if self._least(rest, len(self._wilds) - spent) == least:
                    return places
        return None

    def _least(self, naturals: list[Card], wilds: int) -> int:
        hand = bytes(naturals) + bytes([JOKER_INDEX]) * wilds
        return self._kernel.least_of_naturals(hand)

    def _runs(self) -> Iterator[Places]:
        """The runs of three to five whose lowest natural is the first that remains."""
        lowest = self._naturals[0]
        position, suit = self._position(lowest)
        top = HIGH_ACE - 1 if self._aces is AceMode.LOW else HIGH_ACE
        first = min(position, top - MIN_MELD + 1)
        starts = [(first, length) for length in range(MIN_MELD, LONGEST_RUN + 1)]
        if self._aces is AceMode.BOTH and lowest.rank == Rank.ACE:
            starts += [(top - length + 1, length) for length in range(MIN_MELD, LONGEST_RUN + 1)]
        for start, length in starts:
            if start + length - 1 <= top:
                yield self._run(start, length, suit)

    def _run(self, start: int, length: int, suit: int) -> Places:
        naturals = [
            CARDS[4 * (position_rank(place) - 1) + suit] for place in range(start, start + length)
        ]
        return tuple(card if card in self._naturals else None for card in naturals)

    def _remove_meld(self, places: Places) -> Meld:
        """Remove the cards of these places from what remains, and return their meld."""
        self._naturals = _without_places(self._naturals, places)
        cards = [self._wilds.pop(0) if card is None else card for card in places]
        if sum(card is not None for card in places) == 1:  # a set: the natural comes first
            cards.sort(key=lambda card: (is_wild(card, self._wild), card))
        return self._meld(cards)

    def _meld(self, cards: list[Card]) -> Meld:
        return Meld(tuple(cards), self._wild, self._aces)

    def _with_spare(self, melds: list[Meld]) -> tuple[list[Meld], list[Card]]:
        """The melds with every wild that remains, and the wilds that are deadwood."""
        spare = self._wilds
        if len(spare) >= MIN_MELD:
            return [*melds, self._meld(spare)], []
        if not spare or not melds:
            return melds, spare
        host = min(melds, key=lambda meld: (meld.kind is MeldKind.RUN, meld.stands_for))
        melds.remove(host)
        return [*melds, self._extended(host, spare)], []

    def _extended(self, host: Meld, spare: list[Card]) -> Meld:
        """A meld with up to two more wilds: a run at its upper end first, then at its lower end."""
        cards = list(host.cards)
        if host.kind is MeldKind.SET:
            wilds = [card for card in cards if is_wild(card, self._wild)]
            return self._meld(cards[: len(cards) - len(wilds)] + sorted(wilds + spare))
        last = host.stands_for[-1] // 4 + 1
        top = HIGH_ACE - 1 if self._aces is AceMode.LOW else HIGH_ACE
        room = 0 if last == Rank.ACE else top - last
        return self._meld(spare[room:] + cards + spare[:room])


def _sets_with_first(naturals: list[Card]) -> Iterator[Places]:
    """The sets of the first natural and others of its rank, larger ones first."""
    first = naturals[0]
    mates = [card for card in naturals[1:] if card.rank == first.rank]
    for size in range(len(mates), 0, -1):
        for others in dict.fromkeys(combinations(mates, size)):
            yield (first, *others, *(None,) * (MIN_MELD - 1 - size))


def _without_places(cards: list[Card], places: Places) -> list[Card]:
    left = list(cards)
    for card in places:
        if card is not None:
            left.remove(card)
    return left
