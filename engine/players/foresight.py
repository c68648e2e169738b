"""Looking one turn ahead: what a hand is worth once it has drawn and discarded again.

The kernel prices a discard by every card that may be drawn after it. What the least points after
that turn are worth is a table, so that going out can count for more than the points it saves.
Each discard costs one solve for each kind of card that may be drawn; where all of them would pass
the budget of the turn, only the discards that leave the least points are looked at.
"""

from __future__ import annotations

from engine.cards import Card
from engine.players import endgame, patience
from engine.players.medium import greedy_discard
from engine.players.position import Position
from engine.round import Source
from engine.rules import is_wild
from engine.rules import points as card_points
from engine.shuffle import Stream
from engine.solver import packed


def draw_of(position: Position, worth: list[int]) -> Source:
    """The upcard if it is wild or worth more than the stock is on average, else the stock."""
    if position.final:
        return endgame.draw_of(position)
    if patience.is_lost(position):
        return Source.DISCARD if patience.keeps_upcard(position) else Source.STOCK
    upcard = position.upcard
    if upcard is not None and is_wild(upcard, position.wild):
        return Source.DISCARD
    pays = upcard_total(position, worth) < stock_total(position, worth)
    return Source.DISCARD if pays else Source.STOCK


def settled(position: Position, chance: Stream) -> Card | None:
    """The discard that leaves nothing to weigh up; None where there is a choice.

    That of a final turn, the one that goes out, the one that loosens up a long round.
    """
    if position.final:
        return endgame.discard_of(position)
    best = greedy_discard(position)
    if patience.kept_wilds(position).get(best, 0) == 0:
        return best
    return patience.let_go(position, chance) if patience.is_lost(position) else None


def discard_totals(position: Position, worth: list[int], budget: int) -> dict[Card, int]:
    """For naturals of the hand what their discard is worth, times the number of unseen cards.

    Empty if the budget allows none.
    """
    least = patience.kept_wilds(position)
    affordable = budget // max(1, position.unseen_kinds)
    chosen = sorted(least, key=lambda card: (least[card], _order(position, card)))[:affordable]
    totals = position.kernel.turn_totals(
        packed(position.hand), packed(tuple(chosen)), position.unseen, worth
    )
    return {card: totals[card.index] for card in chosen}


def best_discard(position: Position, worth: list[int], budget: int) -> Card | None:
    """The natural whose discard is worth the fewest points; None if the budget allows no look."""
    totals = discard_totals(position, worth, budget)
    if not totals:
        return None
    return min(totals, key=lambda card: (totals[card], _order(position, card)))


def stock_total(position: Position, worth: list[int]) -> int:
    """What a draw from the stock is worth, times the number of unseen cards."""
    return position.kernel.draw_total(packed(position.hand), position.unseen, worth)


def upcard_total(position: Position, worth: list[int]) -> int:
    """What the upcard is worth, times the number of unseen cards."""
    upcard = position.upcard
    assert upcard is not None, "the pile has a top card at every draw"
    least = position.kernel.least_after_draw(packed(position.hand), upcard.index)
    return worth[least] * position.unseen_count


def _order(position: Position, card: Card) -> tuple[bool, int, int]:
    """Equally good discards: the card that costs more first, then the higher."""
    cost = card_points(card, position.wild, position.aces)
    return is_wild(card, position.wild), -cost, -card.index
