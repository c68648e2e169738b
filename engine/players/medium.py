"""The medium player: exact greedy play.

It takes the upcard if that is wild or lowers the least deadwood after the best discard, and
discards to the least deadwood. It never discards a wild while it holds a natural, unless the
final turn scores less that way.

Such players can wait for each other for ever, each holding low cards that the others need. So
from its turn `PATIENCE` + 1 of a round on it loosens up: it lets go of any natural whose loss
costs no more than `PATIENCE_STEP` points for each turn beyond, chosen by chance, and takes the
upcard only if that is wild or completes its hand, so that new cards come into play.
"""

from __future__ import annotations

from engine.cards import Card
from engine.players.position import Position
from engine.round import Source
from engine.rules import is_wild
from engine.shuffle import Stream
from engine.solver import least_points, points_after_discard, preferred
from engine.view import View

PATIENCE = 15
PATIENCE_STEP = 1


class MediumPlayer:
    """Exact greedy play with a little impatience in long rounds."""

    def choose_draw(self, seen: View, chance: Stream) -> Source:
        """The upcard if it is wild or strictly lowers the least deadwood, else the stock."""
        position = Position.of(seen)
        hand, upcard, wild, aces = position.hand, position.upcard, position.wild, position.aces
        assert upcard is not None, "the pile has a top card at every draw"
        if is_wild(upcard, wild):
            return Source.DISCARD
        now = least_points(hand, wild, aces)
        goal = 1 if _slack(position) > 0 else now
        after = points_after_discard((*hand, upcard), wild, aces)
        return Source.DISCARD if min(after.values()) < min(now, goal) else Source.STOCK

    def choose_discard(self, seen: View, chance: Stream) -> Card:
        """The discard that leaves the least deadwood, wilds kept."""
        position = Position.of(seen)
        wild, aces = position.wild, position.aces
        least = points_after_discard(position.hand, wild, aces)
        if not position.final:
            least = {card: cost for card, cost in least.items() if not is_wild(card, wild)} or least
        best = preferred(least, wild, aces)
        slack = _slack(position)
        if slack <= 0 or least[best] == 0:
            return best
        loose = [card for card, cost in least.items() if cost <= least[best] + slack]
        return loose[chance.uniform(len(loose))]


def _slack(position: Position) -> int:
    """Points that a discard may cost beyond the best one, in a long round."""
    return 0 if position.final else PATIENCE_STEP * (position.turn - PATIENCE)
