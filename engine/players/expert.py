"""The expert player: how good the cards to come may be, over every card it cannot place.

A round goes on for some turns more, and each turn offers two cards, the upcard and the stock's:
the seat will keep the best of those to come, not a card by chance. So the *prospect* of a hand is
the least deadwood to be expected after one turn that has the best of three unseen cards. It gives
more weight than the plain average to hands that a few cards would improve much.

The expert discards to the least prospect. It takes the upcard if the prospect then is less than
that after a draw from the stock, averaged over the unseen cards, with the best discard each time;
there only the `WIDTH` discards that leave the least points are looked at. Each look costs one
solve for each kind of card that may be drawn. Where the budget does not allow the comparison it
draws by the points alone, and where it does not allow every discard it looks at those that leave
the least points.
"""

from __future__ import annotations

from engine.cards import Card
from engine.players import anti_stall, endgame, forced_moves
from engine.players.medium import greedy_discard
from engine.players.position import Position
from engine.round import Source
from engine.rules import TURN_SOLVES, points
from engine.shuffle import Stream
from engine.solver.arrangement import packed
from engine.view import View

WIDTH = 3


class ExpertPlayer:
    """The best prospect over the unseen cards."""

    def choose_draw(self, seen: View, chance: Stream, budget: int = TURN_SOLVES) -> Source:
        """The upcard if it promises more than the stock, else the stock."""
        position = Position.of(seen)
        settled = forced_moves.settled_draw(position)
        if settled is not None:
            return settled
        if budget < _draw_solves(position):
            return endgame.draw_of(position)
        return Source.DISCARD if _pays(position) else Source.STOCK

    def choose_discard(self, seen: View, chance: Stream, budget: int = TURN_SOLVES) -> Card:
        """The natural whose discard leaves the best prospect; out at once where that goes out."""
        position = Position.of(seen)
        settled = forced_moves.settled_discard(position, chance)
        if settled is not None:
            return settled
        return _best_discard(position, budget) or greedy_discard(position)


def _pays(position: Position) -> bool:
    """Whether the upcard promises more than the stock."""
    hand, upcard, unseen = packed(position.hand), position.upcard, position.unseen
    assert upcard is not None, "the pile has a top card at every draw"
    kernel = position.kernel
    taken = kernel.best_prospect(hand + packed((upcard,)), unseen, WIDTH)
    if taken >= kernel.prospect(hand, unseen):
        return False  # a draw from the stock may always be discarded again
    total, scale = kernel.draw_prospect(hand, unseen, WIDTH)
    return taken * scale < total * position.unseen_count**3


def _draw_solves(position: Position) -> int:
    """Hands that the comparison of upcard and stock may solve."""
    kinds = position.unseen_kinds
    return (kinds + 1) * (WIDTH * kinds + len(position.hand) + 1)


def _best_discard(position: Position, budget: int) -> Card | None:
    """The discard of the best prospect; None if the budget allows no look."""
    least = anti_stall.kept_wilds(position)
    affordable = budget // max(1, position.unseen_kinds)
    chosen = sorted(least, key=lambda card: (least[card], _order(position, card)))[:affordable]
    hand = packed(position.hand)
    totals = position.kernel.prospects(hand, packed(tuple(chosen)), position.unseen)
    return min(chosen, key=lambda card: (totals[card.index], _order(position, card)), default=None)


def _order(position: Position, card: Card) -> tuple[int, int]:
    """Equally good discards: the card that costs more first, then the higher."""
    return -points(card, position.wild, position.aces), -card.index
