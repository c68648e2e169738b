"""The final turn. Every level plays it exactly: nothing follows it, so only its points count."""

from __future__ import annotations

from engine.cards import Card
from engine.players.position import DiscardPosition, DrawPosition
from engine.round import Source
from engine.solver.hands import packed, points_after_discard, preferred


def best_draw(position: DrawPosition) -> Source:
    """The upcard if it leaves fewer points than the stock does on average, else the stock."""
    hand = packed(position.hand)
    taken = position.kernel.least_after_draw(hand, position.upcard)
    stock = position.kernel.draw_total(hand, position.unseen)
    return Source.DISCARD if taken * position.unseen_count < stock else Source.STOCK


def best_discard(position: DiscardPosition) -> Card:
    """The card whose discard leaves the least points. It may be a wild."""
    least = points_after_discard(position.hand, position.wild, position.aces)
    return preferred(least, position.wild, position.aces)
