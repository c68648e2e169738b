"""The comparison of upcard and stock by the points that each leaves in this turn."""

from __future__ import annotations

from collections.abc import Callable

from engine.cards import Card
from engine.players.position import DiscardPosition, DrawPosition
from engine.round import Source
from engine.solver.hands import packed


def draw_by_points(position: DrawPosition, discard: Callable[[DiscardPosition], Card]) -> Source:
    """The upcard if it stays and leaves fewer points than the stock on average, else the stock.

    `discard` gives the card that the player would discard after taking the upcard. If that is the
    upcard, taking it would leave the hand as it is, and no draw from the stock leaves it worse: a
    card from the stock may be discarded again. Both sides count the best discard of this turn; on
    the upcard's side a wild is not discarded.
    """
    taken = position.with_upcard
    after_upcard = min(taken.natural_discard_costs.values())
    after_stock = position.kernel.draw_total(packed(position.hand), position.unseen)
    if after_upcard * position.unseen_count >= after_stock:
        return Source.STOCK
    return Source.STOCK if discard(taken) == position.upcard else Source.DISCARD
