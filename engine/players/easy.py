"""The easy player: a beginner who plays from the stock and throws the dearest loose card.

It is never silly: it keeps its wilds, goes out when it can, and counts right in its final turn.
"""

from __future__ import annotations

from engine.cards import Card
from engine.players import endgame, patience
from engine.players.medium import greedy_discard
from engine.players.position import Position
from engine.round import Source
from engine.rules import TURN_SOLVES, is_wild, points
from engine.shuffle import Stream
from engine.solver import arrange
from engine.view import View


class EasyPlayer:
    """Plays from the stock, the final turn aside."""

    def choose_draw(self, seen: View, chance: Stream, budget: int = TURN_SOLVES) -> Source:
        """The stock; in the final turn whatever promises fewer points."""
        position = Position.of(seen)
        return endgame.draw_of(position) if position.final else Source.STOCK

    def choose_discard(self, seen: View, chance: Stream, budget: int = TURN_SOLVES) -> Card:
        """The dearest natural that is in no meld of the hand as it stands."""
        position = Position.of(seen)
        if position.final:
            return endgame.discard_of(position)
        if patience.is_lost(position):
            loose = patience.let_go(position, chance)
            if loose is not None:
                return loose
        best = greedy_discard(position)
        if patience.kept_wilds(position).get(best) == 0:
            return best
        return _dearest_loose(position) or best


def _dearest_loose(position: Position) -> Card | None:
    """The natural of most points outside the melds, the highest of equals."""
    wild, aces = position.wild, position.aces
    loose = arrange(position.hand, wild, aces).deadwood
    naturals = [card for card in loose if not is_wild(card, wild)]
    return max(naturals, key=lambda card: (points(card, wild, aces), card), default=None)
