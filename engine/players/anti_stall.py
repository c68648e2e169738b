"""The anti-stall rule: what keeps a round from going on for ever.

Each player may hold the cards that the others need, so that nobody ever goes out. In long rounds
a player therefore gives up some points to bring other cards into play. It draws from the stock
unless the upcard is wild or completes its hand. It discards a natural at random, out of those
whose discard costs little more than the cheapest.
"""

from __future__ import annotations

from engine.cards import Card
from engine.players.position import Position
from engine.shuffle import Stream

START_AFTER = 15
"""The rule applies after so many turns of the seat in a round."""
POINTS_PER_TURN = 1
"""What a discard may cost above the cheapest, for each turn beyond `START_AFTER`."""


def applies(position: Position) -> bool:
    """Whether the round is so long that the rule applies; never in a final turn."""
    return not position.final and position.turn > START_AFTER


def discard(position: Position, costs: dict[Card, int], random: Stream) -> Card:
    """The card that the rule discards; `costs` has the least points after each possible discard."""
    most = min(costs.values()) + POINTS_PER_TURN * (position.turn - START_AFTER)
    affordable = [card for card, cost in costs.items() if cost <= most]
    return affordable[random.uniform(len(affordable))]
