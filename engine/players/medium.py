"""The medium player: exact greedy play, which looks at the points of this turn alone.

It takes the upcard if that is wild or if its discard then leaves fewer points than the hand has
now. It discards the natural that leaves the least points. It discards no wild while it holds a
natural, unless a final turn scores less that way.
"""

from __future__ import annotations

from engine.cards import Card
from engine.players import forced_moves
from engine.players.greedy import greedy_discard, greedy_draw
from engine.players.position import DiscardPosition, DrawPosition
from engine.round import Source
from engine.rules import TURN_SOLVES
from engine.shuffle import Stream
from engine.view import View


class MediumPlayer:
    """Exact greedy play."""

    def choose_draw(self, seen: View, random: Stream, budget: int = TURN_SOLVES) -> Source:
        """The upcard if it is wild or lowers the points, else the stock."""
        position = DrawPosition.of(seen)
        return forced_moves.forced_draw(position) or greedy_draw(position)

    def choose_discard(self, seen: View, random: Stream, budget: int = TURN_SOLVES) -> Card:
        """The natural whose discard leaves the least points."""
        position = DiscardPosition.of(seen)
        return forced_moves.forced_discard(position, random) or greedy_discard(position)
