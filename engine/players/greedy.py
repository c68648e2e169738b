"""Greedy play: the points of this turn alone. No wild is discarded while a natural is held."""

from __future__ import annotations

from engine.cards import Card
from engine.players.position import DiscardPosition, DrawPosition
from engine.round import Source
from engine.solver.hands import points_after_discard, preferred


def greedy_draw(position: DrawPosition) -> Source:
    """The upcard if the greedy discard after it leaves less than the hand has now, else the stock.

    Throwing the upcard back would leave just what the hand has now, so it is never taken for that.
    """
    costs = position.with_upcard.natural_discard_costs
    return Source.DISCARD if min(costs.values()) < position.points() else Source.STOCK


def greedy_discard(position: DiscardPosition) -> Card:
    """The natural whose discard leaves the least points; a wild if the hand has no natural."""
    wild, aces = position.wild, position.aces
    costs = position.natural_discard_costs or points_after_discard(position.hand, wild, aces)
    return preferred(costs, wild, aces)
