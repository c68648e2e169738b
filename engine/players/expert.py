"""The expert player: one turn ahead over every card it cannot place.

It discards what leaves the fewest points to be expected after its next turn, and takes the upcard
if that is worth more than the stock is on average. Going out is worth more than no points: it
stops the others, who are left with theirs.
"""

from __future__ import annotations

from engine.cards import Card
from engine.players import endgame, foresight, patience
from engine.players.medium import greedy_discard
from engine.players.position import Position
from engine.round import Source
from engine.rules import TURN_SOLVES, is_wild
from engine.shuffle import Stream
from engine.view import View

GOING_OUT = 0
"""What going out is worth beyond the points it saves."""
WORTH = [-GOING_OUT, *range(1, 256)]


class ExpertPlayer:
    """Full one-turn expectation over the unseen cards."""

    def __init__(self, worth: list[int] = WORTH) -> None:
        self._worth = worth

    def choose_draw(self, seen: View, chance: Stream, budget: int = TURN_SOLVES) -> Source:
        """The upcard if it is worth more than the stock, else the stock."""
        position = Position.of(seen)
        if position.final:
            return endgame.draw_of(position)
        if patience.is_lost(position):
            return Source.DISCARD if patience.keeps_upcard(position) else Source.STOCK
        upcard = position.upcard
        if upcard is not None and is_wild(upcard, position.wild):
            return Source.DISCARD
        stock = foresight.stock_total(position, self._worth)
        taken = foresight.upcard_total(position, self._worth)
        return Source.DISCARD if taken < stock else Source.STOCK

    def choose_discard(self, seen: View, chance: Stream, budget: int = TURN_SOLVES) -> Card:
        """The discard that promises the most; out at once where the hand goes out."""
        position = Position.of(seen)
        if position.final:
            return endgame.discard_of(position)
        best = greedy_discard(position)
        if patience.kept_wilds(position).get(best) == 0:
            return best
        if patience.is_lost(position):
            return patience.let_go(position, chance) or best
        return foresight.best_discard(position, self._worth, budget) or best
