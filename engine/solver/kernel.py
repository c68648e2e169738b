"""The least deadwood points of hands: exact, integers in and out.

A hand is `bytes` of card indices, 4 x (rank - 1) + suit, a joker 52, in any order. Inside the
kernel a hand is two masks and a number: `cards` has a bit for every natural held, `twins` a bit for
every natural held twice, and `wilds` is the number of wilds. The suits of a hand depend on each
other in two ways only: they share sets, and they share the wilds. `suits` computes what runs leave
of each suit, `sets` tries the choices of sets that can lower the points, and joining the costs of
the suits divides the wilds among them.

A turn ends with a discard, so most questions are about fourteen cards of which one is discarded.
Fourteen smaller hands need not be solved: each suit also has its costs after its best discard, and
joins carry both kinds of costs. The best discard is a natural that is in no meld, or a wild, unless
every card melds. Only in that case are the smaller hands solved one by one.

Once a meld exists, every spare wild joins it. So wilds are deadwood only where nothing melds: one
wild beside naturals, or one or two wilds alone.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, final

if TYPE_CHECKING:
    from mypy_extensions import i64

    Parts = tuple[i64, i64, i64, i64, i64]
    """A hand: `cards`, `twins`, `wilds`, the points of all naturals, the points of all wilds."""

from engine.solver.costs import EACH_SUIT, HIGH_ACE, MANY, POINTS, SUIT, bit, lane, without
from engine.solver.sets import SetSearch, rank_mates, set_ranks
from engine.solver.suits import SuitTable

KINDS: Final = 53
JOKER: Final = 52
WILD_POINTS: Final = 15
JOKER_POINTS: Final = 20
WILD: Final = 63
"""In a table of places: the card is wild and has no place."""

NO_LIMIT: Final = 1 << 61
"""More hands than any process can solve."""
QUESTION_COST: Final = 4
"""What a question costs besides the hands that it solves, in hands: the call takes time, too."""

TABLES: Final = {aces: SuitTable(aces) for aces in ("low", "high", "both")}


class BudgetExceededError(BaseException):
    """More hands were asked about than the meter allows.

    It is no `Exception`, so that code which continues after every exception stops as well.
    """


@final
class Meter:
    """Counts the hands that may still be solved."""

    def __init__(self, left: int) -> None:
        self.left: i64 = left

    def spend(self, hands: i64) -> None:
        """Count some hands; raises BudgetExceededError if too few are left, then and ever after."""
        self.left -= hands
        if self.left < 0:
            raise BudgetExceededError("the solver was asked too often")


@cache
def cards_under(wild_rank: int, aces: str) -> tuple[bytes, bytes]:
    """The place and the points of each kind of card under a wild rank and an ace mode."""
    places = []
    points = []
    for card in range(JOKER):
        rank, suit = divmod(card, 4)
        place = HIGH_ACE if rank == 0 and aces != "low" else rank
        is_wild = rank + 1 == wild_rank
        places.append(WILD if is_wild else 16 * suit + place)
        points.append(WILD_POINTS if is_wild else TABLES[aces].points[place])
    return bytes([*places, WILD]), bytes([*points, JOKER_POINTS])


class Kernel:
    """The least points of hands under one wild rank (0 for none) and one ace mode.

    Lists have one number for each kind of card, by index; -1 where a kind was not asked for or
    cannot be drawn or discarded. A hand must not hold a natural more than twice: nothing checks
    it. Kernels that share a `meter` share its limit.
    """

    def __init__(self, wild_rank: int, aces: str, meter: Meter | None = None) -> None:
        self.meter: Meter = Meter(NO_LIMIT) if meter is None else meter
        self.table: SuitTable = TABLES[aces]
        self.either: i64 = EACH_SUIT if aces == "both" else 0
        self.places, self.points = cards_under(wild_rank, aces)

    def least(self, hand: bytes) -> int:
        """The least points of a hand."""
        return self._least(self._parts(hand), POINTS)

    def least_of_naturals(self, hand: bytes) -> int:
        """The least points of a hand if a wild that is left over costs nothing."""
        cards, twins, wilds, _, _ = self._parts(hand)
        return self._least_of_naturals(cards, twins, wilds, POINTS)

    def least_after_discards(self, hand: bytes) -> list[int]:
        """For each kind held, the least points after its discard."""
        parts = self._parts(hand)
        self.meter.spend(len(hand))
        result = [-1] * KINDS
        for card in hand:
            if result[card] < 0:
                result[card] = self._least(self._without(parts, card), POINTS)
        return result

    def least_after_turns(self, hand: bytes) -> list[int]:
        """For each kind, the least points after drawing it and the best discard.

        The hand has at least three cards.
        """
        return self._turns(self._parts(hand), len(hand), b"\1" * KINDS, [-1] * KINDS)

    def least_after_draw(self, hand: bytes, card: int) -> int:
        """The least points after drawing a card and the best discard, which may be that card."""
        wanted = bytes([1 if kind == card else 0 for kind in range(KINDS)])
        return self._turns(self._parts(hand), len(hand), wanted, [-1] * KINDS)[card]

    def _turns(self, parts: Parts, size: i64, wanted: bytes, result: list[int]) -> list[int]:
        """The result with the least points after drawing each wanted kind and the best discard.

        What the result has already is not solved again.
        Two bounds hold: they are at most what discarding the drawn card leaves, and at most what
        the best discard without the drawn card leaves, plus the points of the drawn card. They are
        exact for a card that is in no meld with another natural. For a card that is in no run
        with one, the suit makes no difference.
        """
        same = self._least(parts, POINTS)
        other: i64 = self._least_after_discard(parts, POINTS) if size > 3 else POINTS
        run_mates = self._run_mates(parts[0], parts[2])
        set_mates: i64 = rank_mates(parts[0], parts[1], parts[2]) if size > 3 else SUIT
        with_wild: i64 = -1
        in_no_run = [-1] * (HIGH_ACE + 1)
        solved: i64 = 0
        for card in range(KINDS):
            if not wanted[card]:
                continue
            solved += 1
            if result[card] >= 0:
                continue
            place: i64 = self.places[card]
            if place == WILD:
                if with_wild < 0:
                    with_wild = self._least_after_discard(self._with(parts, card), same)
                result[card] = with_wild
            elif self._can_draw(parts, card):
                most: i64 = min(same, other + self.points[card])
                if run_mates & bit(place):
                    result[card] = self._least_after_discard(self._with(parts, card), most)
                    continue
                rank: i64 = place & 15
                if in_no_run[rank] < 0:
                    if set_mates & bit(rank):
                        most = self._least_after_discard(self._with(parts, card), most)
                    in_no_run[rank] = most
                result[card] = in_no_run[rank]
        self.meter.spend(solved)
        return result

    def _parts(self, hand: bytes) -> Parts:
        """The masks and numbers of a hand; counts the question."""
        self.meter.spend(QUESTION_COST)
        cards: i64 = 0
        twins: i64 = 0
        wilds: i64 = 0
        points: i64 = 0
        wild_points: i64 = 0
        places, prices = self.places, self.points
        size: i64 = len(hand)
        index: i64 = 0
        while index < size:
            card: i64 = hand[index]
            place: i64 = places[card]
            if place == WILD:
                wilds += 1
                wild_points += prices[card]
            else:
                natural = bit(place)
                twins |= cards & natural
                cards |= natural
                points += prices[card]
            index += 1
        return cards, twins, wilds, points, wild_points

    def _can_draw(self, parts: Parts, card: i64) -> bool:
        """Whether the hand holds less than two of a natural; a wild can always be drawn."""
        place: i64 = self.places[card]
        return place == WILD or not parts[1] & bit(place)

    def _with(self, parts: Parts, card: i64) -> Parts:
        """The hand with one more card."""
        cards, twins, wilds, points, wild_points = parts
        place: i64 = self.places[card]
        price: i64 = self.points[card]
        if place == WILD:
            return cards, twins, wilds + 1, points, wild_points + price
        natural = bit(place)
        return cards | natural, twins | (cards & natural), wilds, points + price, wild_points

    def _without(self, parts: Parts, card: i64) -> Parts:
        """The hand without one card that it holds."""
        cards, twins, wilds, points, wild_points = parts
        place: i64 = self.places[card]
        price: i64 = self.points[card]
        if place == WILD:
            return cards, twins, wilds - 1, points, wild_points - price
        left, left_twins = without(cards, twins, bit(place))
        return left, left_twins, wilds, points - price, wild_points

    def _least(self, parts: Parts, most: i64) -> i64:
        """The least points, known to be at most `most`."""
        cards, twins, wilds, points, wild_points = parts
        least = self._least_of_naturals(cards, twins, wilds, most)
        nothing_melds: bool = least == points and 0 < wilds < 3
        return least + wild_points if nothing_melds else least

    def _least_of_naturals(self, cards: i64, twins: i64, wilds: i64, most: i64) -> i64:
        """The least points, at most `most`, if a wild that is left over costs nothing."""
        keep: i64 = 0
        if wilds < MANY:
            keep = self.table.keep_costs(cards, twins, wilds)
            most = min(most, lane(keep, wilds))
        ranks = set_ranks(cards, twins, wilds)
        if most == 0 or (ranks == 0 and wilds < MANY):
            return most
        search = SetSearch(self.table, self._near(cards, wilds), keep, keep, False, most)
        search.choose(cards, twins, ranks, wilds, self.table.reach(cards, twins, ranks))
        return search.least

    def _least_after_discard(self, parts: Parts, most: i64) -> i64:
        """The least points of at least four cards after the best discard, at most `most`."""
        cards, twins, wilds, points, _ = parts
        if wilds >= MANY or most == 0:
            return self._least_one_by_one(cards, twins, wilds, most)
        keep, goal = self.table.turn_costs(cards, twins, wilds)
        if lane(keep, wilds) == 0:
            return self._least_one_by_one(cards, twins, wilds, most)
        ranks = set_ranks(cards, twins, wilds)
        if ranks == 0:
            nothing_melds: bool = wilds == 1 and lane(keep, 1) == points
            return min(most, points if nothing_melds else lane(goal, wilds))
        most = min(most, lane(goal, wilds))
        search = SetSearch(self.table, self._near(cards, wilds), keep, goal, True, most)
        search.choose(cards, twins, ranks, wilds, self.table.reach(cards, twins, ranks))
        if search.complete:
            return self._least_one_by_one(cards, twins, wilds, most)
        return search.least

    def _least_one_by_one(self, cards: i64, twins: i64, wilds: i64, most: i64) -> i64:
        """The least points after the best discard, each discard tried."""
        least: i64 = most
        if wilds and least:
            least = self._least_of_naturals(cards, twins, wilds - 1, least)
        rest: i64 = cards
        while rest and least:
            card: i64 = rest & -rest
            rest ^= card
            left, left_twins = without(cards, twins, card)
            least = self._least_of_naturals(left, left_twins, wilds, least)
        return least

    def _run_mates(self, cards: i64, wilds: i64) -> i64:
        """The places of which a run of three to five may have a card of the hand in it, too."""
        line: i64 = cards | ((cards >> HIGH_ACE) & self.either)
        mates: i64
        if wilds:
            mates = (line << 1) | (line << 2) | (line >> 1) | (line >> 2)
            if wilds > 1:
                mates |= (line << 3) | (line >> 3)
            if wilds > 2:
                mates |= (line << 4) | (line >> 4)
        else:
            mates = (line << 1) & ((line << 2) | (line >> 1))
            mates |= (line >> 1) & (line >> 2)
        return mates | ((mates & self.either) << HIGH_ACE)

    def _near(self, cards: i64, wilds: i64) -> i64:
        """The cards that are near enough to another of their suit to be needed in a run."""
        line: i64 = cards | ((cards >> HIGH_ACE) & self.either)
        near: i64
        if wilds:
            near = (line << 1) | (line << 2) | (line >> 1) | (line >> 2)
        else:
            near = line & (line >> 1) & (line >> 2)
            near |= (near << 1) | (near << 2)
        return (near | ((near & self.either) << HIGH_ACE)) & cards
