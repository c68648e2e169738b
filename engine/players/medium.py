"""The medium player: exact greedy play, which looks at the points of this turn alone.

It takes the upcard if that is wild or leaves fewer points than the hand has now, and it discards
the card that leaves the least points. It discards no wild while it holds a natural, unless a
final turn scores less that way.
"""

from __future__ import annotations

from engine.cards import Card
from engine.players import forced_moves
from engine.players.greedy import greedy_discard
from engine.players.position import Position
from engine.round import Source
from engine.rules import TURN_SOLVES
from engine.shuffle import Stream
from engine.solver.hands import packed
from engine.view import View


class MediumPlayer:
    """Exact greedy play."""

    def choose_draw(self, seen: View, random: Stream, budget: int = TURN_SOLVES) -> Source:
        """The upcard if it is wild or lowers the points, else the stock."""
        position = Position.of(seen)
        forced = forced_moves.forced_draw(position)
        if forced is not None:
            return forced
        return Source.DISCARD if _upcard_lowers_points(position) else Source.STOCK

    def choose_discard(self, seen: View, random: Stream, budget: int = TURN_SOLVES) -> Card:
        """The natural whose discard leaves the least points."""
        position = Position.of(seen)
        return forced_moves.forced_discard(position, random) or greedy_discard(position)


def _upcard_lowers_points(position: Position) -> bool:
    upcard = position.upcard
    assert upcard is not None, "the pile has a top card at every draw"
    hand = packed(position.hand)
    return position.kernel.least_after_draw(hand, upcard.index) < position.kernel.least(hand)
