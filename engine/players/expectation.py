"""The comparison of upcard and stock by the points that each leaves in this turn."""

from __future__ import annotations

from engine.cards import Card
from engine.players.position import DrawPosition
from engine.round import Source
from engine.solver.hands import packed


def draw_by_points(position: DrawPosition, discard: Card) -> Source:
    """The upcard if it stays and leaves fewer points than the stock on average, else the stock.

    `discard` is the card that the player would discard after taking the upcard. If that is the
    upcard, taking it would leave the hand as it is, and no draw from the stock leaves it worse: a
    card from the stock may be discarded again. Both sides count the best discard of this turn; on
    the upcard's side a wild is not discarded.
    """
    if discard == position.upcard:
        return Source.STOCK
    after_upcard = min(position.with_upcard().natural_discard_costs().values())
    after_stock = position.kernel.draw_total(packed(position.hand), position.unseen)
    better = after_upcard * position.unseen_count < after_stock
    return Source.DISCARD if better else Source.STOCK
