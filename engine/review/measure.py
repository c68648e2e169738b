"""What each possible move leaves, in points of deadwood, by the measure of the expert player.

Fewer points are better. The expert compares prospects: the least points to be expected after one
more turn (`engine/players/expert.py`). In a final turn, and where its budget is too small, it
compares the deadwood of this turn. The measure changes with it, so that the move which the expert
compares and takes is the one of the least value.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import Card
from engine.players.expert import (
    DRAW_CANDIDATES,
    affordable_discards,
    best_discard,
    draw_solves,
    prospects_after_discards,
)
from engine.players.position import DiscardPosition, DrawPosition
from engine.solver.hands import packed, points_after_discard
from engine.solver.prospects import weighted


@dataclass(frozen=True, slots=True)
class DrawValues:
    """What the draws leave: `upcard`, and `stock` on average over the unseen cards.

    `after` has for each kind of card, by index, what its draw from the stock leaves, multiplied by
    `scale`; it says nothing of a kind of which none is unseen. If no card is unseen, `stock` is 0.
    """

    upcard: float
    stock: float
    after: list[int]
    scale: int

    def luck(self, drawn: Card) -> float:
        """By how much a card from the stock leaves less than the unseen cards do on average."""
        return self.stock - _points(self.after[drawn], self.scale)


def discard_values(position: DiscardPosition, budget: int) -> dict[Card, float]:
    """For each distinct card of the hand, what is left without it."""
    if position.final or not affordable_discards(position, budget):
        least = points_after_discard(position.hand, position.wild, position.aces)
        return {card: float(points) for card, points in least.items()}
    cards, ways = tuple(sorted(set(position.hand))), position.unseen_count**3
    hand, discards = packed(position.hand), packed(cards)
    prospects = position.kernel.prospects(hand, discards, position.unseen)
    return {card: _points(prospects[card], ways) for card in cards}


def draw_values(position: DrawPosition, budget: int) -> DrawValues:
    """What each source leaves."""
    if position.final:
        after = position.kernel.least_after_turns(packed(position.hand))
        return _values(position, after[position.upcard], after, 1)
    if budget < draw_solves(position):
        return _values_by_points(position, budget)
    return _values_by_prospects(position, budget)


def _values_by_points(position: DrawPosition, budget: int) -> DrawValues:
    """By the points of this turn; an upcard that is discarded again leaves the hand as it was."""
    after = position.kernel.least_after_turns(packed(position.hand))
    taken = position.with_upcard
    is_kept = best_discard(taken, budget) != position.upcard
    upcard = min(taken.natural_discard_costs.values(), default=0) if is_kept else position.points()
    return _values(position, upcard, after, 1)


def _values_by_prospects(position: DrawPosition, budget: int) -> DrawValues:
    """By prospects; a hand of wilds alone melds, whatever it draws."""
    kernel, hand, unseen = position.kernel, packed(position.hand), position.unseen
    count, stay = position.unseen_count, kernel.prospect(hand, unseen)
    after = kernel.stock_prospects(hand, unseen, DRAW_CANDIDATES, stay)
    taken = prospects_after_discards(position.with_upcard, budget)
    upcard = _points(min(taken.values(), default=0), count**3)
    return _values(position, upcard, after, count**3 * (count - 1) ** 3)


def _values(position: DrawPosition, upcard: float, after: list[int], scale: int) -> DrawValues:
    total = weighted(after, position.unseen)
    return DrawValues(upcard, _points(total, scale * position.unseen_count), after, scale)


def _points(total: int, ways: int) -> float:
    """A sum over so many ways as points; 0 where there is no way."""
    return total / ways if ways else 0.0
