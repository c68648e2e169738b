"""What players who look ahead have in common."""

from __future__ import annotations

from engine.cards import Card
from engine.players import anti_stall, endgame
from engine.players.medium import greedy_discard
from engine.players.position import Position
from engine.round import Source
from engine.rules import is_wild
from engine.shuffle import Stream


def settled_draw(position: Position) -> Source | None:
    """The draw that leaves nothing to weigh up; None where there is a choice.

    That of a final turn, a wild upcard, or whatever loosens up a long round.
    """
    if position.final:
        return endgame.draw_of(position)
    if anti_stall.is_lost(position):
        return Source.DISCARD if anti_stall.keeps_upcard(position) else Source.STOCK
    upcard = position.upcard
    assert upcard is not None, "the pile has a top card at every draw"
    return Source.DISCARD if is_wild(upcard, position.wild) else None


def settled_discard(position: Position, chance: Stream) -> Card | None:
    """The discard that leaves nothing to weigh up; None where there is a choice.

    That of a final turn, the one that goes out, the one that loosens up a long round.
    """
    if position.final:
        return endgame.discard_of(position)
    best = greedy_discard(position)
    if anti_stall.kept_wilds(position).get(best, 0) == 0:
        return best
    return anti_stall.let_go(position, chance) if anti_stall.is_lost(position) else None
