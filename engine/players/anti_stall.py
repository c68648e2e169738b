"""The anti-stall rule: what keeps a round from going on for ever.

Each player may hold the cards that the others need, so that nobody ever goes out. In long rounds
a player therefore gives up some points to bring other cards into play:

- It takes the upcard only if that is wild or completes its hand.
- It discards a natural at random, of those whose discard costs little more than the cheapest.
"""

from __future__ import annotations

from engine.cards import Card
from engine.players.position import Position
from engine.rules import is_wild
from engine.shuffle import Stream
from engine.solver.hands import packed

START_AFTER = 15
"""The rule applies after so many turns of the seat in a round."""
POINTS_PER_TURN = 1
"""What a discard may cost above the cheapest, for each turn beyond `START_AFTER`."""


def applies(position: Position) -> bool:
    """Whether the round is so long that the rule applies; never in a final turn."""
    return not position.final and position.turn > START_AFTER


def takes_upcard(position: Position) -> bool:
    """Whether the rule takes the upcard."""
    upcard = position.upcard
    assert upcard is not None, "the pile has a top card at every draw"
    if is_wild(upcard, position.wild):
        return True
    hand = packed(position.hand)
    completes = position.kernel.least_after_draw(hand, upcard.index) == 0
    return completes and position.kernel.least(hand) > 0


def discard(position: Position, random: Stream) -> Card | None:
    """The natural that the rule discards; None if the hand can go out or has no natural."""
    costs = position.natural_discard_costs()
    cheapest = min(costs.values(), default=0)
    if cheapest == 0:
        return None
    most = cheapest + POINTS_PER_TURN * (position.turn - START_AFTER)
    affordable = [card for card, cost in costs.items() if cost <= most]
    return affordable[random.uniform(len(affordable))]
