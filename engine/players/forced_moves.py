"""The moves that the levels make alike; where there is none, each level compares in its own way.

A final turn is played exactly. A player goes out if it can, takes a wild upcard, and follows the
anti-stall rule in a long round. (`easy` shares the discards alone: it takes no upcard before its
final turn.)
"""

from __future__ import annotations

from engine.cards import Card
from engine.players import anti_stall, final_turn
from engine.players.greedy import greedy_discard, greedy_draw
from engine.players.position import DiscardPosition, DrawPosition
from engine.round import Source
from engine.rules import is_wild
from engine.shuffle import Stream


def forced_draw(position: DrawPosition) -> Source | None:
    """The draw that the levels make alike; None where they differ.

    If it is None, the upcard does not let the seat go out, and the anti-stall rule does not apply.
    """
    if position.final:
        return final_turn.best_draw(position)
    if _has_wild_upcard(position):
        return _draw_with_wild_upcard(position)
    after = min(position.with_upcard.natural_discard_costs.values())
    if after == 0:
        return greedy_draw(position)
    return Source.STOCK if anti_stall_draws(position) else None


def anti_stall_draws(position: DrawPosition) -> bool:
    """Whether the anti-stall rule decides the draw: the upcard is no wild and ends nothing."""
    ends = min(position.with_upcard.natural_discard_costs.values(), default=0) == 0
    return anti_stall.applies(position) and not ends and not _has_wild_upcard(position)


def anti_stall_discards(position: DiscardPosition) -> bool:
    """Whether the anti-stall rule decides the discard: the seat cannot go out."""
    ends = min(position.natural_discard_costs.values(), default=0) == 0
    return anti_stall.applies(position) and not ends


def _has_wild_upcard(position: DrawPosition) -> bool:
    return is_wild(position.upcard, position.wild)


def _draw_with_wild_upcard(position: DrawPosition) -> Source:
    """The wild, for which a natural goes; a hand of wilds alone melds and draws from the stock."""
    has_natural = any(not is_wild(card, position.wild) for card in position.hand)
    return Source.DISCARD if has_natural else Source.STOCK


def forced_discard(position: DiscardPosition, random: Stream) -> Card | None:
    """The discard that the levels make alike; None where they differ."""
    if position.final:
        return final_turn.best_discard(position)
    costs = position.natural_discard_costs
    if min(costs.values(), default=0) == 0:
        return greedy_discard(position)
    return anti_stall.discard(position, costs, random) if anti_stall_discards(position) else None
