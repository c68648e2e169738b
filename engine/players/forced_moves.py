"""The moves in which a level has no choice: those of final turns, wilds, going out, anti-stall."""

from __future__ import annotations

from engine.cards import Card
from engine.players import anti_stall, final_turn
from engine.players.greedy import greedy_discard
from engine.players.position import Position
from engine.round import Source
from engine.rules import is_wild
from engine.shuffle import Stream


def forced_draw(position: Position) -> Source | None:
    """The draw of a final turn, that of the anti-stall rule, or a wild upcard; else None."""
    if position.final:
        return final_turn.best_draw(position)
    if anti_stall.applies(position):
        return Source.DISCARD if anti_stall.takes_upcard(position) else Source.STOCK
    upcard = position.upcard
    assert upcard is not None, "the pile has a top card at every draw"
    return Source.DISCARD if is_wild(upcard, position.wild) else None


def forced_discard(position: Position, random: Stream) -> Card | None:
    """The discard of a final turn, one that goes out, or that of the anti-stall rule; else None."""
    if position.final:
        return final_turn.best_discard(position)
    best = greedy_discard(position)
    if position.natural_discard_costs().get(best, 0) == 0:
        return best
    return anti_stall.discard(position, random) if anti_stall.applies(position) else None
