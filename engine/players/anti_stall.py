"""What keeps rounds from stalling.

Players can wait for each other for ever, each holding cards that the others need. So in long
rounds a player loosens up: it lets go of any natural whose loss costs no more than `STEP` points
for each turn beyond the first `TURNS`, chosen by chance, and takes the upcard only if that is
wild or completes its hand, so that new cards come into play.
"""

from __future__ import annotations

from engine.cards import Card
from engine.players.position import Position
from engine.rules import is_wild
from engine.shuffle import Stream
from engine.solver.arrangement import packed, points_after_discard

TURNS = 15
STEP = 1


def is_lost(position: Position) -> bool:
    """Whether the round has gone on for so long that the seat loosens up."""
    return not position.final and position.turn > TURNS


def keeps_upcard(position: Position) -> bool:
    """Whether the upcard is worth taking in a long round."""
    upcard = position.upcard
    assert upcard is not None, "the pile has a top card at every draw"
    if is_wild(upcard, position.wild):
        return True
    hand = packed(position.hand)
    completes = position.kernel.least_after_draw(hand, upcard.index) == 0
    return completes and position.kernel.least(hand) > 0


def let_go(position: Position, chance: Stream) -> Card | None:
    """The natural that goes in a long round; None if the hand goes out or holds none."""
    least = kept_wilds(position)
    slack = STEP * (position.turn - TURNS)
    fewest = min(least.values(), default=0)
    if fewest == 0:
        return None
    loose = [card for card, cost in least.items() if cost <= fewest + slack]
    return loose[chance.uniform(len(loose))]


def kept_wilds(position: Position) -> dict[Card, int]:
    """For each distinct natural of the hand, the least points after its discard."""
    least = points_after_discard(position.hand, position.wild, position.aces)
    return {card: cost for card, cost in least.items() if not is_wild(card, position.wild)}
