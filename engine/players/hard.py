"""The hard player, which also counts what its cards may become.

A card is worth one point more for each unseen card that would make a meld of it and another
natural of the hand: a card of the same rank, a neighbour in the suit, or one that fills the gap
between them. The hard player ranks its discards by the points that they leave plus this worth,
and of the first two it takes the one that leaves the lower prospect (see `expert`). It takes
the upcard if it would keep it and the stock leaves more points on average.
"""

from __future__ import annotations

from functools import cache

from engine.cards import JOKER_INDEX, Card
from engine.players import forced_moves
from engine.players.expectation import draw_by_points
from engine.players.position import DiscardPosition, DrawPosition
from engine.round import Source
from engine.rules import TURN_SOLVES, WILD_CARDS, card_points
from engine.shuffle import Stream
from engine.solver.hands import packed
from engine.view import View

CANDIDATES = 2
"""How many discards are compared by their prospects."""
FARTHEST = 8
"""The most by which two cards that one card more makes a meld differ: two ranks of a suit."""


class HardPlayer:
    """Keeps cards that may become melds, and draws by the exact expectation."""

    def choose_draw(self, seen: View, random: Stream, budget: int = TURN_SOLVES) -> Source:
        """The upcard if it stays and the stock leaves more points on average, else the stock."""
        position = DrawPosition.of(seen)
        forced = forced_moves.forced_draw(position)
        if forced is not None:
            return forced
        return draw_by_points(position, lambda taken: _best_discard(taken, budget))

    def choose_discard(self, seen: View, random: Stream, budget: int = TURN_SOLVES) -> Card:
        """The better of the two discards that cost least."""
        position = DiscardPosition.of(seen)
        return forced_moves.forced_discard(position, random) or _best_discard(position, budget)


def _best_discard(position: DiscardPosition, budget: int) -> Card:
    """Of the two cheapest discards the one of lower prospect; on a small budget the cheapest."""
    ranked = _ranked(position)
    if budget < (CANDIDATES + 1) * position.unseen_kinds:  # one more, for the stock in the draw
        return ranked[0]
    candidates = ranked[:CANDIDATES]
    hand, discards = packed(position.hand), packed(tuple(candidates))
    prospects = position.kernel.prospects(hand, discards, position.unseen)
    return min(candidates, key=lambda card: prospects[card])


def _ranked(position: DiscardPosition) -> list[Card]:
    """The naturals, the cheapest first; among equals that of more points, then the higher."""
    costs, worth = position.natural_discard_costs, _meld_worth(position)
    price = card_points(position.wild, position.aces)
    return sorted(costs, key=lambda card: (costs[card] + worth[card], -price[card], -card))


def _meld_worth(position: DiscardPosition) -> dict[Card, int]:
    """For each natural, the unseen cards that would meld with it and another one; their sum."""
    wilds, unseen = WILD_CARDS[position.wild], position.unseen
    naturals = [card for card in position.hand if card not in wilds]
    worth = [0] * len(naturals)  # by place: the copies of a card have the same
    for place, low in enumerate(naturals):
        for other, high in enumerate(naturals[place + 1 :], place + 1):
            if high - low > FARTHEST:
                break
            for card in _completing(low, high):
                worth[place] += unseen[card]
                worth[other] += unseen[card]
    return dict(zip(naturals, worth, strict=True))


@cache
def _completing(low: int, high: int) -> tuple[int, ...]:
    """The cards that make a meld of two naturals, by index."""
    if low // 4 == high // 4:
        return tuple(range(low // 4 * 4, low // 4 * 4 + 4))
    if high - low == 4:
        return tuple(card for card in (low - 4, high + 4) if 0 <= card < JOKER_INDEX)
    return (low + 4,) if high - low == 8 else ()
