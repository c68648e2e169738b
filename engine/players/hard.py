"""The hard player: greedy, with an eye for what its loose cards may become.

It counts what it cannot see. A card *promises* a point for each unseen card that would make a meld
of it and another natural of the hand: one of its rank, a neighbour, or one with a gap between. Of
the two discards that cost the least deadwood and promise together, it takes the one that leaves
the better *prospect* (see `expert`). It draws by the exact expectation of the stock.
"""

from __future__ import annotations

from functools import cache

from engine.cards import JOKER_INDEX, Card, without
from engine.players import anti_stall, endgame, forced_moves
from engine.players.position import Position
from engine.round import Source
from engine.rules import TURN_SOLVES, is_wild, points
from engine.shuffle import Stream
from engine.solver.arrangement import packed
from engine.view import View

LOOKS = 2
"""How many discards are looked at closely."""


class HardPlayer:
    """Greedy play with an eye for pairs, and the exact expectation in the draw."""

    def choose_draw(self, seen: View, chance: Stream, budget: int = TURN_SOLVES) -> Source:
        """The upcard if it is wild or leaves fewer points than the stock on average."""
        position = Position.of(seen)
        return forced_moves.settled_draw(position) or endgame.draw_of(position)

    def choose_discard(self, seen: View, chance: Stream, budget: int = TURN_SOLVES) -> Card:
        """The better of the two discards of least deadwood and promise, wilds kept."""
        position = Position.of(seen)
        settled = forced_moves.settled_discard(position, chance)
        if settled is not None:
            return settled
        ranked = _ranked(position)
        if budget < LOOKS * position.unseen_kinds:
            return ranked[0]
        hand, unseen = packed(position.hand), position.unseen
        looked = ranked[:LOOKS]
        totals = position.kernel.prospects(hand, packed(tuple(looked)), unseen)
        return min(looked, key=lambda card: totals[card.index])


def _ranked(position: Position) -> list[Card]:
    """The naturals to discard, the cheapest first; of equals the dearer, higher card."""
    wild, aces = position.wild, position.aces
    price = {
        card: (cost + _promise(position, card), -points(card, wild, aces), -card.index)
        for card, cost in anti_stall.kept_wilds(position).items()
    }
    return sorted(price, key=lambda card: price[card])


def _promise(position: Position, card: Card) -> int:
    """How many unseen cards would make a meld of a card and each other natural, in all."""
    others = [one for one in without(position.hand, card) if not is_wild(one, position.wild)]
    return sum(
        position.unseen[each]
        for one in others
        for each in _completing(*sorted((card.index, one.index)))
    )


@cache
def _completing(low: int, high: int) -> tuple[int, ...]:
    """The cards that make a meld of two naturals, by index."""
    if low // 4 == high // 4:
        return tuple(range(low // 4 * 4, low // 4 * 4 + 4))
    if high - low == 4:
        return tuple(card for card in (low - 4, high + 4) if 0 <= card < JOKER_INDEX)
    return (low + 4,) if high - low == 8 else ()
