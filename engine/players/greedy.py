"""The greedy discard, which looks at the points of this turn alone."""

from __future__ import annotations

from engine.cards import Card
from engine.players.position import Position
from engine.solver.hands import points_after_discard, preferred


def greedy_discard(position: Position) -> Card:
    """The natural whose discard leaves the least points; a wild if the hand has no natural."""
    wild, aces = position.wild, position.aces
    costs = position.natural_discard_costs() or points_after_discard(position.hand, wild, aces)
    return preferred(costs, wild, aces)
