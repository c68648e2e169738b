"""The comparison of upcard and stock by the points that each leaves in this turn."""

from __future__ import annotations

from engine.cards import Card, without
from engine.players.position import DrawPosition
from engine.round import Source
from engine.solver.hands import packed


def draw_by_points(position: DrawPosition, discard: Card) -> Source:
    """The upcard if it leaves fewer points than the stock does on average, else the stock.

    `discard` is the card that the player would discard after taking the upcard. The stock never
    leaves more than the hand has now, for a card that is drawn may be discarded again. So an
    upcard that would be discarded again is not taken.
    """
    kernel, taken = position.kernel, position.with_upcard()
    after_upcard = kernel.least(packed(without(taken.hand, discard)))
    after_stock = kernel.draw_total(packed(position.hand), position.unseen)
    better = after_upcard * position.unseen_count < after_stock
    return Source.DISCARD if better else Source.STOCK
