"""One move beside the one that the expert player would make, from the view of its seat alone.

`loss` is by how much the move leaves more points than the expert's choice. `luck` is by how much a
card from the stock left fewer points than the cards that it could have been. A turn that the
anti-stall rule decides is set aside: the expert then gives points up on purpose, by lot, so nothing
can be lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from engine.cards import Card
from engine.players import LEVELS, STRONGEST_LEVEL
from engine.players.forced_moves import anti_stall_discards, anti_stall_draws
from engine.players.position import DiscardPosition, DrawPosition
from engine.review.measure import DrawValues, discard_values, draw_values
from engine.round import Source
from engine.shuffle import Stream
from engine.view import View

_EXPERT = LEVELS[STRONGEST_LEVEL]
ChoiceT = TypeVar("ChoiceT", Source, Card)


@dataclass(frozen=True, slots=True)
class Judgement(Generic[ChoiceT]):
    """What a move gave away, in points: `loss`, of `most` that the worst possible one had lost.

    `best` is the expert's choice. `luck`: of a draw from the stock, else None.
    """

    best: ChoiceT
    loss: float
    most: float
    luck: float | None = None


def judged_draw(
    seen: View, random: Stream, budget: int, source: Source, drawn: Card
) -> Judgement[Source]:
    """A draw, from the view before it; `drawn` is the card that it gave."""
    position = DrawPosition.of(seen)
    best = _EXPERT.choose_draw(seen, random, budget)
    values = draw_values(position, budget)
    luck = None
    if source is Source.STOCK:
        luck = _values_of_stock(seen, values, budget).luck(drawn)
    if anti_stall_draws(position):
        return Judgement(best, 0.0, 0.0, luck)
    return _compared(
        {Source.STOCK: values.stock, Source.DISCARD: values.upcard}, source, best, luck
    )


def judged_discard(seen: View, random: Stream, budget: int, card: Card) -> Judgement[Card]:
    """A discard, from the view before it; whether the seat went out is not judged."""
    position = DiscardPosition.of(seen)
    best = _EXPERT.choose_discard(seen, random, budget)
    if anti_stall_discards(position):
        return Judgement(best, 0.0, 0.0)
    return _compared(discard_values(position, budget), card, best)


def _values_of_stock(seen: View, values: DrawValues, budget: int) -> DrawValues:
    """The values by which a card from the stock is judged: an empty stock is refilled first.

    The seat sees that, too: all of the pile but its top is then unseen.
    """
    if seen.stock_count:
        return values
    return draw_values(DrawPosition.of(seen._replace(pile=seen.pile[-1:])), budget)


def _compared(
    values: Mapping[ChoiceT, float], played: ChoiceT, best: ChoiceT, luck: float | None = None
) -> Judgement[ChoiceT]:
    least = values[best]
    loss, most = max(0.0, values[played] - least), max(values.values()) - least
    return Judgement(best, loss, most, luck)
