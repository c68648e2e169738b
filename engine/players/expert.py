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
from engine.players import final_turn, forced_moves
from engine.players.greedy import greedy_discard
from engine.players.position import Position
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
        position = Position.of(seen)
        forced = forced_moves.forced_draw(position)
        if forced is not None:
            return forced
        if budget < _draw_solves(position):
            return final_turn.best_draw(position)
        return Source.DISCARD if _upcard_is_better(position) else Source.STOCK

    def choose_discard(self, seen: View, random: Stream, budget: int = TURN_SOLVES) -> Card:
        """One that goes out, else the natural whose discard leaves the least prospect."""
        position = Position.of(seen)
        forced = forced_moves.forced_discard(position, random)
        if forced is not None:
            return forced
        return _best_discard(position, budget) or greedy_discard(position)


def _upcard_is_better(position: Position) -> bool:
    """Whether the prospect after taking the upcard is less than the stock's."""
    hand, upcard, unseen = packed(position.hand), position.upcard, position.unseen
    assert upcard is not None, "the pile has a top card at every draw"
    kernel = position.kernel
    taken = kernel.best_prospect(hand + packed((upcard,)), unseen, DRAW_CANDIDATES)
    stay = kernel.prospect(hand, unseen)
    if taken >= stay:
        return False  # a draw from the stock may always be discarded again
    total, scale = kernel.draw_prospect(hand, unseen, DRAW_CANDIDATES, stay)
    return taken * scale < total * position.unseen_count**3


def _draw_solves(position: Position) -> int:
    """Hands that the comparison of upcard and stock may solve."""
    kinds = position.unseen_kinds
    return (kinds + 1) * (DRAW_CANDIDATES * kinds + len(position.hand) + 1)


def _best_discard(position: Position, budget: int) -> Card | None:
    """The discard of the least prospect; None if the budget is too small for one prospect."""
    costs = position.natural_discard_costs()
    affordable = budget // max(1, position.unseen_kinds)
    chosen = sorted(costs, key=lambda card: (costs[card], _order(position, card)))[:affordable]
    hand = packed(position.hand)
    totals = position.kernel.prospects(hand, packed(tuple(chosen)), position.unseen)
    return min(chosen, key=lambda card: (totals[card.index], _order(position, card)), default=None)


def _order(position: Position, card: Card) -> tuple[int, int]:
    """Equally good discards: the card that costs more first, then the higher."""
    return -points(card, position.wild, position.aces), -card.index
