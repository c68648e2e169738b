"""The easy player: a beginner who plays from the stock and keeps what looks like something.

A card from the stock goes at once if it is in no meld and matches no rank of the hand; otherwise
the dearest loose card goes. The player is never silly: it keeps its wilds and its melds, goes out
when it can, and counts right in its final turn.
"""

from __future__ import annotations

from engine.cards import Card, without
from engine.players import endgame, forced_moves
from engine.players.medium import greedy_discard
from engine.players.position import Position
from engine.round import Source
from engine.rules import TURN_SOLVES, is_wild, points
from engine.shuffle import Stream
from engine.solver.arrangement import arrange
from engine.view import View


class EasyPlayer:
    """Plays from the stock, the final turn aside."""

    def choose_draw(self, seen: View, chance: Stream, budget: int = TURN_SOLVES) -> Source:
        """The stock; in the final turn whatever promises fewer points."""
        position = Position.of(seen)
        return endgame.draw_of(position) if position.final else Source.STOCK

    def choose_discard(self, seen: View, chance: Stream, budget: int = TURN_SOLVES) -> Card:
        """A loose natural: the one just drawn if nothing matches it, else the dearest."""
        position = Position.of(seen)
        settled = forced_moves.settled_discard(position, chance)
        if settled is not None:
            return settled
        drawn = None if seen.you is None else seen.you.drawn
        return _loose_discard(position, drawn) or greedy_discard(position)


def _loose_discard(position: Position, drawn: Card | None) -> Card | None:
    """The natural outside the melds that goes; None if there is none."""
    wild, aces = position.wild, position.aces
    loose = arrange(position.hand, wild, aces).deadwood
    naturals = [card for card in loose if not is_wild(card, wild)]
    if drawn in naturals and not _is_matched(position.hand, drawn):
        return drawn
    return max(naturals, key=lambda card: (points(card, wild, aces), card), default=None)


def _is_matched(hand: tuple[Card, ...], card: Card) -> bool:
    """Whether another card of the hand has the same rank."""
    return any(other.rank == card.rank for other in without(hand, card))
