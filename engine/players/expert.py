"""The expert player, which compares hands by their prospect.

The *prospect* of a hand is the least points to be expected after one more turn that has the best
of three unseen cards. A round goes on for some turns, each turn offers the upcard and a card of
the stock, and the seat keeps the best of them. So the prospect weighs the few cards that would
improve a hand much more heavily than the average over all cards does.

The expert discards to the least prospect. It takes the upcard if the prospect is then less than
after a draw from the stock, averaged over the unseen cards; of each card drawn from the stock it
compares only the `DRAW_CANDIDATES` discards that leave the least points. A prospect costs one
solve for each kind of card that may be drawn. Where the budget is too small to compare the draws,
the expert draws by the points alone. Where it is too small to compare every discard, the expert
compares those that leave the least points.
"""

from __future__ import annotations

from engine.cards import Card
from engine.players import forced_moves
from engine.players.expectation import draw_by_points
from engine.players.greedy import greedy_discard
from engine.players.position import DiscardPosition, DrawPosition
from engine.round import Source
from engine.rules import TURN_SOLVES, points
from engine.shuffle import Stream
from engine.solver.hands import packed
from engine.view import View

DRAW_CANDIDATES = 3
"""How many discards are compared for each card that the stock may give."""


class ExpertPlayer:
    """Plays for the least prospect."""

    def choose_draw(self, seen: View, random: Stream, budget: int = TURN_SOLVES) -> Source:
        """The upcard if its prospect is less than the stock's, else the stock."""
        position = DrawPosition.of(seen)
        return forced_moves.forced_draw(position) or _best_draw(position, budget)

    def choose_discard(self, seen: View, random: Stream, budget: int = TURN_SOLVES) -> Card:
        """One that goes out, else the natural whose discard leaves the least prospect."""
        position = DiscardPosition.of(seen)
        return forced_moves.forced_discard(position, random) or best_discard(position, budget)


def _best_draw(position: DrawPosition, budget: int) -> Source:
    """The upcard if its prospect is less than the stock's; by points alone on a small budget."""
    if budget < draw_solves(position):
        return draw_by_points(position, lambda taken: best_discard(taken, budget))
    hand, unseen, kernel = packed(position.hand), position.unseen, position.kernel
    after_upcard = min(prospects_after_discards(position.with_upcard, budget).values())
    stay = kernel.prospect(hand, unseen)
    if after_upcard >= stay:
        return Source.STOCK  # a card from the stock may be discarded again
    is_worse = kernel.stock_is_worse(hand, unseen, DRAW_CANDIDATES, stay, after_upcard)
    return Source.DISCARD if is_worse else Source.STOCK


def draw_solves(position: DrawPosition) -> int:
    """The most hands that the comparison of upcard and stock by their prospects solves."""
    kinds, size = position.unseen_kinds, len(position.hand) + 1
    upcard = size * (kinds + 2)
    stock = kinds * (DRAW_CANDIDATES * kinds + size)
    return upcard + kinds + stock


def best_discard(position: DiscardPosition, budget: int) -> Card:
    """The discard of the least prospect; the greedy one if the budget is too small for any."""
    prospects = prospects_after_discards(position, budget)
    if not prospects:
        return greedy_discard(position)
    return min(prospects, key=lambda card: (prospects[card], _order(position, card)))


def prospects_after_discards(position: DiscardPosition, budget: int) -> dict[Card, int]:
    """The prospects after the naturals that cost least, as many of them as the budget allows."""
    costs, most = position.natural_discard_costs, affordable_discards(position, budget)
    cheapest = sorted(costs, key=lambda card: (costs[card], _order(position, card)))[:most]
    hand, discards = packed(position.hand), packed(tuple(cheapest))
    prospects = position.kernel.prospects(hand, discards, position.unseen)
    return {card: prospects[card] for card in cheapest}


def affordable_discards(position: DiscardPosition, budget: int) -> int:
    """How many discards are compared by their prospects."""
    return max(0, budget // max(1, position.unseen_kinds) - 1)  # one for the stock in a draw


def _order(position: DiscardPosition, card: Card) -> tuple[int, int]:
    """Equally good discards: the card that costs more first, then the higher."""
    return -points(card, position.wild, position.aces), -card
