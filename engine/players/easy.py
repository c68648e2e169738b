"""The easy player: a beginner who always draws from the stock.

It discards the card just drawn if that is in no meld and no other card of the hand has its rank.
Otherwise it discards the card outside its melds that costs most. Like every level it keeps its
wilds and its melds, goes out when it can, and plays its final turn exactly.
"""

from __future__ import annotations

from engine.cards import Card, without
from engine.players import final_turn, forced_moves
from engine.players.greedy import greedy_discard
from engine.players.position import DiscardPosition, DrawPosition
from engine.round import Source
from engine.rules import TURN_SOLVES, is_wild, points
from engine.shuffle import Stream
from engine.solver.arrangement import arrange
from engine.view import View


class EasyPlayer:
    """Draws from the stock, except in its final turn."""

    def choose_draw(self, seen: View, random: Stream, budget: int = TURN_SOLVES) -> Source:
        """The stock; in a final turn the source that leaves fewer points on average."""
        is_final = seen.turn is not None and seen.turn.final
        return final_turn.best_draw(DrawPosition.of(seen)) if is_final else Source.STOCK

    def choose_discard(self, seen: View, random: Stream, budget: int = TURN_SOLVES) -> Card:
        """The natural just drawn if nothing matches it, else the dearest outside the melds."""
        position = DiscardPosition.of(seen)
        forced = forced_moves.forced_discard(position, random)
        return forced or _loose_discard(position) or greedy_discard(position)


def _loose_discard(position: DiscardPosition) -> Card | None:
    """The natural outside the melds to discard; None if there is none."""
    wild, aces = position.wild, position.aces
    loose = arrange(position.hand, wild, aces).deadwood
    naturals = [card for card in loose if not is_wild(card, wild)]
    if position.drawn in naturals and not _is_matched(position.hand, position.drawn):
        return position.drawn
    return max(naturals, key=lambda card: (points(card, wild, aces), card), default=None)


def _is_matched(hand: tuple[Card, ...], card: Card) -> bool:
    """Whether another card of the hand has the same rank."""
    return any(other.rank == card.rank for other in without(hand, card))
