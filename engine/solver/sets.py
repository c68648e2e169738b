"""The choice of sets that leaves the least points, where runs take what the sets leave.

Where a rank has a set, a card of the rank belongs in the set unless a run needs the card. A run
may need it only if another natural of its suit is at most two places away; without wilds, only if
it is one of three in a row. With a natural farther away, the two wilds between them meld that
natural without the card.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_extensions import i64

from engine.solver.costs import EACH_SUIT, MANY, SUIT, bit, count, highest, lane
from engine.solver.suits import SuitTable


def set_ranks(cards: i64, twins: i64, wilds: i64) -> i64:
    """The places, as bits of one suit, of the ranks that have enough cards for a set."""
    clubs: i64 = cards & SUIT
    diamonds: i64 = (cards >> 16) & SUIT
    hearts: i64 = (cards >> 32) & SUIT
    spades: i64 = cards >> 48
    minor: i64 = clubs | diamonds
    major: i64 = hearts | spades
    two: i64 = (clubs & diamonds) | (hearts & spades) | (minor & major)
    twin: i64 = (twins | (twins >> 16) | (twins >> 32) | (twins >> 48)) & SUIT
    if wilds:
        return two | twin
    return (clubs & diamonds & major) | (hearts & spades & minor) | (two & twin)


def rank_mates(cards: i64, twins: i64, wilds: i64) -> i64:
    """The places, as bits of one suit, of the ranks of which one more card can be in a set."""
    if wilds:
        return (cards | (cards >> 16) | (cards >> 32) | (cards >> 48)) & SUIT
    return set_ranks(cards, twins, 1)


class SetSearch:
    """A search for the choice of sets that leaves the least points.

    `keep` and `goal` are costs without any set. `keep` is with all cards kept. `goal` is what is
    asked for: the same, or the costs after a discard. `least` is the least points found so far.
    `complete` says that every card melds; a search for a discard then ends without an answer.
    """

    def __init__(
        self, table: SuitTable, near: i64, keep: i64, goal: i64, discards: bool, most: i64
    ) -> None:
        self.table: SuitTable = table
        self.near: i64 = near
        self.keep: i64 = keep
        self.goal: i64 = goal
        self.discards: bool = discards
        self.least: i64 = most
        self.complete: bool = False

    def choose(self, cards: i64, twins: i64, ranks: i64, wilds: i64, reach: i64) -> None:
        """Try every choice of sets of these ranks, the highest rank first.

        `reach` is what sets may save at most: the points of the sets chosen so far, and of all
        cards of the ranks that can have a set without a wild.
        """
        if self._is_hopeless(ranks, wilds, reach):
            return
        if ranks:
            place = highest(ranks)
            self._choose_at(place, cards, twins, ranks ^ bit(place), wilds, reach)
        else:
            self._join(cards, twins, wilds)

    def _is_hopeless(self, ranks: i64, wilds: i64, reach: i64) -> bool:
        """Whether no choice of sets of these ranks lowers the least points or melds every card.

        Runs save at most what they save of the whole hand. A set without a wild saves at most the
        points of its rank, a set with a wild at most two cards of the highest rank.
        """
        saved: i64 = reach
        if ranks:
            saved += 2 * wilds * self.table.points[highest(ranks)]
        counted: i64 = min(wilds, MANY - 1)
        return lane(self.goal, counted) - saved >= self.least and lane(self.keep, counted) > saved

    def _choose_at(
        self, place: i64, cards: i64, twins: i64, ranks: i64, wilds: i64, reach: i64
    ) -> None:
        """Try every set of the rank at `place`, and none; go on with the other ranks.

        The cards of the rank that runs may need are left out of the set in every combination.
        """
        column: i64 = EACH_SUIT << place
        held: i64 = count((cards & column) + (twins & column), place)
        price: i64 = self.table.points[place]
        if held >= 3:
            reach -= held * price
        loose: i64 = self.near & cards & column
        out: i64 = 0
        while True:
            twins_out: i64 = out & twins
            both_out: i64 = 0
            while True:
                size: i64 = held - count(out + both_out, place)
                spare: i64 = wilds if size >= 3 else wilds - 1
                if size >= 2 and spare >= 0 and self.least:
                    left: i64 = (cards & ~column) | out
                    left_twins: i64 = (twins & ~column) | both_out
                    self.choose(left, left_twins, ranks, spare, reach + size * price)
                both_out = (both_out - twins_out) & twins_out
                if both_out == 0:
                    break
            out = (out - loose) & loose
            if out == 0:
                break
        if held - count(loose + (loose & twins), place) < 3:
            self.choose(cards, twins, ranks, wilds, reach)

    def _join(self, cards: i64, twins: i64, wilds: i64) -> None:
        """Compute what runs leave of the cards that are in no set, and lower `least` to it."""
        if wilds >= MANY:
            self.least = min(self.least, self.table.keep_with_many_wilds(cards, twins, wilds))
        elif self.discards:
            keep, goal = self.table.turn_costs(cards, twins, wilds)
            self.least = min(self.least, lane(goal, wilds))
            if lane(keep, wilds) == 0:
                self.complete = True
                self.least = 0
        else:
            self.least = min(self.least, lane(self.table.keep_costs(cards, twins, wilds), wilds))
