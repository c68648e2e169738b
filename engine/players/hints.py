"""Hints: what the strongest player would do, and the figures, from one seat's view alone."""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import Card, without
from engine.players import LEVELS, STRONGEST_LEVEL
from engine.players.position import DiscardPosition, DrawPosition, Position
from engine.round import Phase, Source
from engine.shuffle import Stream
from engine.solver.hands import packed
from engine.view import View


@dataclass(frozen=True, slots=True)
class DrawOption:
    """A source, and the least deadwood to be expected after drawing from it and discarding."""

    source: Source
    expected: float


@dataclass(frozen=True, slots=True)
class DiscardOption:
    """A card to discard: the deadwood that it leaves, and what one more turn makes of that.

    `expected`: the least deadwood to be expected after one draw from the stock and the best
    discard; in a final turn, which nothing follows, the deadwood itself. `improving`: how many
    unseen cards would lower the deadwood.
    """

    card: Card
    deadwood: int
    expected: float
    improving: int


@dataclass(frozen=True, slots=True)
class DrawHint:
    """The recommended source, the reason, and the figures of both sources."""

    source: Source
    reason: str
    options: tuple[DrawOption, ...]


@dataclass(frozen=True, slots=True)
class DiscardHint:
    """The recommended discard, the reason, and the figures of every distinct card of the hand."""

    card: Card
    reason: str
    options: tuple[DiscardOption, ...]


Hint = DrawHint | DiscardHint


def hint(seen: View, random: Stream, budget: int) -> Hint:
    """What the strongest player would do; raises ValueError unless the view's seat is to move."""
    if seen.turn is not None and seen.turn.phase is Phase.DRAW:
        return _draw_hint(seen, random, budget)
    return _discard_hint(seen, random, budget)


def _draw_hint(seen: View, random: Stream, budget: int) -> DrawHint:
    position = DrawPosition.of(seen)
    source = LEVELS[STRONGEST_LEVEL].choose_draw(seen, random, budget)
    after = position.kernel.least_after_turns(packed(position.hand))
    stock = DrawOption(Source.STOCK, _average(after, position.unseen))
    upcard = DrawOption(Source.DISCARD, after[position.upcard])
    reason = _draw_reason(position.upcard, source, stock.expected, upcard.expected)
    return DrawHint(source, reason, (stock, upcard))


def _discard_hint(seen: View, random: Stream, budget: int) -> DiscardHint:
    position = DiscardPosition.of(seen)
    card = LEVELS[STRONGEST_LEVEL].choose_discard(seen, random, budget)
    options = {each: _discard_option(position, each) for each in sorted(set(position.hand))}
    reason = _discard_reason(options[card], position.final)
    return DiscardHint(card, reason, tuple(options.values()))


def _discard_option(position: Position, card: Card) -> DiscardOption:
    hand = packed(without(position.hand, card))
    deadwood = position.kernel.least(hand)
    if position.final:
        return DiscardOption(card, deadwood, deadwood, 0)
    after = position.kernel.least_after_turns(hand)
    improving = sum(
        count
        for least, count in zip(after, position.unseen, strict=True)
        if count and least < deadwood
    )
    return DiscardOption(card, deadwood, _average(after, position.unseen), improving)


def _average(values: list[int], weights: bytes) -> float:
    """The weighted mean of the values, to three decimals."""
    total = sum(value * weight for value, weight in zip(values, weights, strict=True) if weight)
    return round(total / sum(weights), 3)


def _draw_reason(upcard: Card, source: Source, after_stock: float, after_upcard: float) -> str:
    if source is Source.STOCK:
        figures = f"{after_stock:.1f} points on average, the upcard {after_upcard:g}"
        return f"Draw from the stock: it leaves you {figures}."
    if after_upcard <= after_stock:
        figures = f"{_points(after_upcard)}, the stock {after_stock:.1f} on average"
        return f"Take the {upcard}: it leaves you {figures}."
    return f"Take the {upcard}: it promises more for the turns to come."


def _discard_reason(chosen: DiscardOption, final: bool) -> str:
    if chosen.deadwood == 0:
        ends = "this last turn costs you nothing" if final else "you go out"
        return f"Discard the {chosen.card}: every other card is in a meld, so {ends}."
    leaves = f"Discard the {chosen.card}: it leaves you {_points(chosen.deadwood)}"
    if final:
        return f"{leaves}, the least you can have in this last turn."
    cards = "card" if chosen.improving == 1 else "cards"
    return f"{leaves}, and {chosen.improving} unseen {cards} would lower that."


def _points(points: float) -> str:
    return "1 point" if points == 1 else f"{points:g} points"
