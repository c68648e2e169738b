"""The medium player: exact greedy play.

It takes the upcard if that is wild or lowers the least deadwood after the best discard, and
discards to the least deadwood. It never discards a wild while it holds a natural, unless the
final turn scores less that way.
"""

from __future__ import annotations

from engine.cards import Card
from engine.players import anti_stall, endgame
from engine.players.position import Position
from engine.round import Source
from engine.rules import TURN_SOLVES, is_wild
from engine.shuffle import Stream
from engine.solver.arrangement import packed, points_after_discard, preferred
from engine.view import View


class MediumPlayer:
    """Exact greedy play with a little impatience in long rounds."""

    def choose_draw(self, seen: View, chance: Stream, budget: int = TURN_SOLVES) -> Source:
        """The upcard if it is wild or strictly lowers the least deadwood, else the stock."""
        position = Position.of(seen)
        if position.final:
            return endgame.draw_of(position)
        takes = anti_stall.keeps_upcard if anti_stall.is_lost(position) else _pays
        return Source.DISCARD if takes(position) else Source.STOCK

    def choose_discard(self, seen: View, chance: Stream, budget: int = TURN_SOLVES) -> Card:
        """The discard that leaves the least deadwood, wilds kept."""
        position = Position.of(seen)
        if position.final:
            return endgame.discard_of(position)
        loose = anti_stall.let_go(position, chance) if anti_stall.is_lost(position) else None
        return greedy_discard(position) if loose is None else loose


def greedy_discard(position: Position) -> Card:
    """The natural whose discard leaves the least deadwood; a wild where no natural is left."""
    wild, aces = position.wild, position.aces
    least = anti_stall.kept_wilds(position) or points_after_discard(position.hand, wild, aces)
    return preferred(least, wild, aces)


def _pays(position: Position) -> bool:
    """Whether the upcard is wild or strictly lowers the least deadwood."""
    upcard = position.upcard
    assert upcard is not None, "the pile has a top card at every draw"
    if is_wild(upcard, position.wild):
        return True
    hand = packed(position.hand)
    return position.kernel.least_after_draw(hand, upcard.index) < position.kernel.least(hand)
