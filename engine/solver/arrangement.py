"""The exact arrangement of a hand: melds and deadwood with the least points.

`kernel.py` knows the least points of any hand; here its answers become cards and melds. The hand
is decomposed meld by meld. The lowest natural that remains goes into a meld if some meld of it
still allows the least points; else it is deadwood. Small melds suffice: a run of six or more
splits into shorter runs, and a set takes as many cards of its rank as the least points need.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations

from engine.cards import JOKER_INDEX, Card, Rank, without
from engine.melds import MIN_MELD, POSITIONS, SUIT_LINES, Arrangement, Meld, MeldKind
from engine.rules import WILD_CARDS, AceMode, total_points
from engine.solver.hands import kernel, packed, points_after_discard, preferred

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
        wilds = WILD_CARDS[wild]
        self._wild = wild
        self._aces = aces
        self._kernel = kernel(wild, aces)
        self._naturals = tuple(
            sorted(
                (card for card in cards if card not in wilds),
                key=_with_high_aces if aces is AceMode.HIGH else None,
            )
        )
        self._wilds = tuple(sorted(card for card in cards if card in wilds))

    def melds_and_deadwood(self) -> tuple[list[Meld], tuple[Card, ...]]:
        """The melds, and the sorted deadwood, with the least points."""
        melds: list[Meld] = []
        deadwood: list[Card] = []
        least = self._least(self._naturals, self._wilds)
        while self._points(self._naturals) > least:
            places = self._best_meld(least)
            if places is None:
                lowest, self._naturals = self._naturals[:1], self._naturals[1:]
                deadwood += lowest
                least -= self._points(lowest)
            else:
                melds.append(self._remove_meld(places))
        melds, spare = self._with_spare(melds)
        return melds, tuple(sorted([*deadwood, *self._naturals, *spare]))

    def _best_meld(self, least: int) -> Places | None:
        """A meld of the lowest natural that still allows the least points; None if none does."""
        for places in sorted([*self._sets(), *self._runs()], key=_needed):
            rest = _without_places(self._naturals, places)
            if self._least(rest, self._wilds[_needed(places) :]) == least:
                return places
        return None

    def _least(self, naturals: tuple[Card, ...], wilds: tuple[Card, ...]) -> int:
        return self._kernel.least_of_naturals(packed(naturals + wilds))

    def _points(self, naturals: tuple[Card, ...]) -> int:
        return total_points(naturals, self._wild, self._aces)

    def _sets(self) -> Iterator[Places]:
        """The sets of the lowest natural for which there are wilds enough, larger ones first."""
        lowest, *others = self._naturals
        mates = [card for card in others if card // 4 == lowest // 4]
        for size in range(len(mates), 0 if self._wilds else 1, -1):
            for chosen in dict.fromkeys(combinations(mates, size)):
                yield (lowest, *chosen, *(None,) * (MIN_MELD - 1 - size))

    def _runs(self) -> Iterator[Places]:
        """The runs of the lowest natural for which there are wilds enough, shorter ones first."""
        held = set(self._naturals)
        for run in _runs_from(self._naturals[0], self._aces):
            if len(run) - len(held.intersection(run)) <= len(self._wilds):
                yield tuple(card if card in held else None for card in run)

    def _remove_meld(self, places: Places) -> Meld:
        """Remove the cards of these places from what remains, and return their meld."""
        needed = _needed(places)
        wilds, self._wilds = self._wilds[:needed], self._wilds[needed:]
        self._naturals = _without_places(self._naturals, places)
        fill = iter(wilds)
        cards = tuple(next(fill) if card is None else card for card in places)
        if len(cards) == needed + 1:  # a set: the natural comes first
            cards = tuple(sorted(cards, key=wilds.__contains__))
        return self._meld(cards)

    def _meld(self, cards: tuple[Card, ...]) -> Meld:
        return Meld(cards, self._wild, self._aces)

    def _with_spare(self, melds: list[Meld]) -> tuple[list[Meld], tuple[Card, ...]]:
        """The melds with every wild that remains, and the wilds that are deadwood."""
        spare = self._wilds
        if len(spare) >= MIN_MELD:
            return [*melds, self._meld(spare)], ()
        if not spare or not melds:
            return melds, spare
        host = min(melds, key=lambda meld: (meld.kind is MeldKind.RUN, meld.stands_for))
        melds.remove(host)
        return [*melds, self._extended(host, spare)], ()

    def _extended(self, host: Meld, spare: tuple[Card, ...]) -> Meld:
        """A meld with up to two more wilds: a run at its upper end first, then at its lower end."""
        if host.kind is MeldKind.SET:
            naturals = tuple(card for card in host.cards if card not in WILD_CARDS[self._wild])
            wilds = sorted((*host.cards[len(naturals) :], *spare))
            return self._meld((*naturals, *wilds))
        last = host.stands_for[-1] // 4 + 1
        room = 0 if last == Rank.ACE else POSITIONS[self._aces][-1][-1] - last
        return self._meld(spare[room:] + host.cards + spare[:room])


def _with_high_aces(card: Card) -> int:
    """The place of a natural in the order in which aces stand above the kings."""
    return (card - 4) % JOKER_INDEX


def _needed(places: Places) -> int:
    """How many wilds a meld needs."""
    return places.count(None)


@cache
def _runs_from(lowest: Card, aces: AceMode) -> tuple[tuple[Card, ...], ...]:
    """The runs of three to five whose lowest natural is the given one."""
    low, high = POSITIONS[aces][0][0], POSITIONS[aces][-1][-1]
    line = SUIT_LINES[lowest % 4][low - 1 : high]
    first = min(line.index(lowest), len(line) - MIN_MELD)
    lengths = range(MIN_MELD, LONGEST_RUN + 1)
    runs = [line[first : first + length] for length in lengths if first + length <= len(line)]
    if aces is AceMode.BOTH and lowest.rank == Rank.ACE:
        runs += [line[-length:] for length in lengths]
    return tuple(runs)


def _without_places(cards: tuple[Card, ...], places: Places) -> tuple[Card, ...]:
    left = list(cards)
    for card in places:
        if card is not None:
            left.remove(card)
    return tuple(left)
