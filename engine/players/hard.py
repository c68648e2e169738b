"""The hard player: greedy, with an eye for what its loose cards may become.

It draws by the exact expectation of the stock. It discards to the least deadwood, less a little
for every pair of loose cards that one card more would make a meld of.
"""

from __future__ import annotations

from itertools import combinations

from engine.cards import Card, without
from engine.players import endgame, foresight, patience
from engine.players.position import Position
from engine.round import Source
from engine.rules import TURN_SOLVES, is_wild
from engine.shuffle import Stream
from engine.solver import preferred
from engine.view import View

PAIR = 4
NEIGHBOURS = 4
GAP = 2
"""Points that a pair, two neighbours, or two cards with a gap between promise to save."""


class HardPlayer:
    """Greedy play with potential, and the exact expectation in the draw."""

    def choose_draw(self, seen: View, chance: Stream, budget: int = TURN_SOLVES) -> Source:
        """The upcard if it is wild or leaves fewer points than the stock on average."""
        position = Position.of(seen)
        return foresight.settled_draw(position) or endgame.draw_of(position)

    def choose_discard(self, seen: View, chance: Stream, budget: int = TURN_SOLVES) -> Card:
        """The discard of least deadwood and most potential, wilds kept."""
        position = Position.of(seen)
        settled = foresight.settled_discard(position, chance)
        if settled is not None:
            return settled
        promised = {
            card: cost - _potential(without(position.hand, card), position)
            for card, cost in patience.kept_wilds(position).items()
        }
        return preferred(promised, position.wild, position.aces)


def _potential(hand: tuple[Card, ...], position: Position) -> int:
    """The points that pairs of naturals promise to save."""
    naturals = [card.index for card in hand if not is_wild(card, position.wild)]
    return sum(_promise(low, high) for low, high in combinations(naturals, 2))


def _promise(low: int, high: int) -> int:
    steps, suits = divmod(high, 4)[0] - low // 4, high % 4 - low % 4
    if steps == 0:
        return PAIR
    if suits == 0 and steps <= 2:
        return NEIGHBOURS if steps == 1 else GAP
    return 0
