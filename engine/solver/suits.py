"""The cards of one suit: what runs leave over of them, for every number of wilds.

`SuitTable` caches each holding of a suit that was asked for. Its recursion is exact because:

- A run of six or more splits into runs of three to five.
- A natural can take the place of a wild in a run of its suit, from wherever that natural is.
- Wilds before the lowest natural of a run can be moved behind its highest, except at the top.
- One natural with two wilds counts as a run here: a set needs two naturals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mypy_extensions import i64

from engine.solver.costs import (
    BELOW_TOP_BIT,
    EACH,
    EACH_SUIT,
    HIGH_ACE,
    MOST,
    MOST_WILDS,
    NOTHING_TO_DISCARD,
    POINTS,
    SUIT,
    bit,
    count,
    highest,
    join,
    join_discards,
    lower,
    ones,
    spend,
    without,
)

SLOTS: Final = 1 << 16
"""How many holdings with twins, the rarer kind, are cached at most: some 7 MB."""


class Holding:
    """The cards of one suit with their costs: with every card kept, and after the best discard."""

    def __init__(self, cards: i64, twins: i64, keep: i64, discard: i64) -> None:
        self.cards: i64 = cards
        self.twins: i64 = twins
        self.keep: i64 = keep
        self.discard: i64 = discard


class SuitTable:
    """What runs leave over of the cards of one suit, with a cache; one for each ace mode."""

    def __init__(self, aces: str) -> None:
        ace = 1 if aces == "low" else 15
        self.points: bytes = bytes([ace, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, ace])
        self.top: i64 = HIGH_ACE - 1 if aces == "low" else HIGH_ACE
        self.either: bool = aces == "both"
        self.unknown: Holding = Holding(0, 0, -1, -1)
        self.singles: list[Holding] = [self.unknown] * (1 << (HIGH_ACE + 1))
        self.singles[0] = Holding(0, 0, 0, NOTHING_TO_DISCARD)
        self.others: list[Holding] = [self.unknown] * SLOTS
        self.one_by_one: dict[i64, list[int]] = {0: [0] * (MOST_WILDS + 1)}

    def holding(self, cards: i64, twins: i64) -> Holding:
        """The holding of a suit."""
        if twins:
            return self._holding_with_twins(cards, twins)
        cached = self.singles[cards]
        if cached is self.unknown:
            cached = Holding(cards, 0, self._keep(cards, 0), -1)
            self.singles[cards] = cached
        return cached

    def _holding_with_twins(self, cards: i64, twins: i64) -> Holding:
        # Each has one slot, where it takes the place of another; a dict would make objects of keys.
        slot: i64 = (cards + twins * 24_153) & (SLOTS - 1)
        cached = self.others[slot]
        if cached.twins != twins or cached.cards != cards:
            cached = Holding(cards, twins, self._keep(cards, twins), -1)
            self.others[slot] = cached
        return cached

    def discard(self, holding: Holding) -> i64:
        """The costs of a holding after its best discard."""
        if holding.discard < 0:
            holding.discard = self._discard(holding.cards, holding.twins)
        return holding.discard

    def _discard(self, cards: i64, twins: i64) -> i64:
        best: i64 = MOST
        left: i64 = cards
        while left:
            card: i64 = left & -left
            left ^= card
            rest, rest_twins = without(cards, twins, card)
            best = lower(best, self.holding(rest, rest_twins).keep)
        return best

    def _keep(self, cards: i64, twins: i64) -> i64:
        best: i64 = MOST
        for left, left_twins, wilds, points in self._ways(cards, twins):
            keep = self.holding(left, left_twins).keep
            best = lower(best, spend(keep + points * EACH, wilds))
        return best

    def costs_one_by_one(self, cards: i64, twins: i64) -> list[int]:
        """The least points of a suit for every number of wilds."""
        key: i64 = cards | (twins << 16)
        least = self.one_by_one.get(key)
        if least is None:
            least = [POINTS] * (MOST_WILDS + 1)
            for left, left_twins, spent, points in self._ways(cards, twins):
                rest = self.costs_one_by_one(left, left_twins)
                for wilds in range(spent, MOST_WILDS + 1):
                    least[wilds] = min(least[wilds], points + rest[wilds - spent])
            self.one_by_one[key] = least
        return least

    def _ways(self, cards: i64, twins: i64) -> list[tuple[i64, i64, i64, i64]]:
        """The ways to use the lowest card: it is left over, or it is in a run of three to five.

        Each way is the cards and twins that remain, the wilds spent, and the points left over.
        """
        lowest = highest(cards & -cards)
        left, left_twins = without(cards, twins, bit(lowest))
        ways: list[tuple[i64, i64, i64, i64]] = [(left, left_twins, 0, self.points[lowest])]
        if self.either and cards >> HIGH_ACE:
            left, left_twins = without(cards, twins, bit(HIGH_ACE))
            ways.append((left | 1, left_twins | (left & 1), 0, 0))
        first: i64 = min(lowest, self.top - 2)
        last: i64 = first + 2
        while last <= min(first + 4, self.top):
            if last == first + 2 or (cards >> last) & 1:
                places: i64 = (BELOW_TOP_BIT >> (60 - last)) & (BELOW_TOP_BIT << first)
                left, left_twins = without(cards, twins, cards & places)
                ways.append((left, left_twins, last + 1 - first - ones(cards & places), 0))
            last += 1
        return ways

    def keep_costs(self, cards: i64, twins: i64, wilds: i64) -> i64:
        """The costs of all suits without any set."""
        clubs = self.holding(cards & SUIT, twins & SUIT).keep
        diamonds = self.holding((cards >> 16) & SUIT, (twins >> 16) & SUIT).keep
        hearts = self.holding((cards >> 32) & SUIT, (twins >> 32) & SUIT).keep
        spades = self.holding(cards >> 48, twins >> 48).keep
        return join(join(clubs, diamonds, wilds), join(hearts, spades, wilds), wilds)

    def turn_costs(self, cards: i64, twins: i64, wilds: i64) -> tuple[i64, i64]:
        """The costs of all suits without any set: with all cards kept, and after one discard."""
        clubs = self.holding(cards & SUIT, twins & SUIT)
        diamonds = self.holding((cards >> 16) & SUIT, (twins >> 16) & SUIT)
        hearts = self.holding((cards >> 32) & SUIT, (twins >> 32) & SUIT)
        spades = self.holding(cards >> 48, twins >> 48)
        minors = join(clubs.keep, diamonds.keep, wilds)
        majors = join(hearts.keep, spades.keep, wilds)
        keep = join(minors, majors, wilds)
        discard = join_discards(
            minors,
            join_discards(
                clubs.keep, self.discard(clubs), diamonds.keep, self.discard(diamonds), wilds
            ),
            majors,
            join_discards(
                hearts.keep, self.discard(hearts), spades.keep, self.discard(spades), wilds
            ),
            wilds,
        )
        return keep, lower(discard, spend(keep, 1))

    def reach(self, cards: i64, twins: i64, ranks: i64) -> i64:
        """The points of all cards of the ranks that can have a set without a wild."""
        points: i64 = 0
        while ranks:
            place = highest(ranks)
            ranks ^= bit(place)
            column: i64 = EACH_SUIT << place
            held: i64 = count((cards & column) + (twins & column), place)
            if held >= 3:
                points += held * self.points[place]
        return points

    def keep_with_many_wilds(self, cards: i64, twins: i64, wilds: i64) -> i64:
        """The least points of all suits without any set, for more wilds than costs hold."""
        joined = [0] * (wilds + 1)
        suit: i64 = 0
        while suit < 64:
            costs = self.costs_one_by_one((cards >> suit) & SUIT, (twins >> suit) & SUIT)
            for total in range(wilds, -1, -1):
                least = POINTS
                for spent in range(total + 1):
                    least = min(least, joined[total - spent] + costs[spent])
                joined[total] = least
            suit += 16
        return joined[wilds]
