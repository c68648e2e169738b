"""Advice from the strongest player, with the figures behind it, from one seat's view alone."""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import Card, without
from engine.players import LEVELS, STRONGEST_LEVEL
from engine.players.position import DrawPosition, Position
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
    """A card to discard: the deadwood it leaves, and what the next turn may make of that.

    `expected`: the least deadwood to be expected after one draw from the stock and the best
    discard more; in a final turn, after which nothing follows, the deadwood itself. `improving`:
    how many unseen cards would lower the deadwood.
    """

    card: Card
    deadwood: int
    expected: float
    improving: int


@dataclass(frozen=True, slots=True)
class Hint:
    """The recommended move, why, and the figures of every move there is."""

    phase: Phase
    action: Source | Card
    reason: str
    options: tuple[DrawOption, ...] | tuple[DiscardOption, ...]


def hint(seen: View, random: Stream, budget: int) -> Hint:
    """What the strongest player would do in the place of the seat to move, whose view it is."""
    player = LEVELS[STRONGEST_LEVEL]
    if seen.turn is not None and seen.turn.phase is Phase.DRAW:
        drawing = DrawPosition.of(seen)
        source = player.choose_draw(seen, random, budget)
        draws = _draw_options(drawing)
        return Hint(Phase.DRAW, source, _why_draw(drawing, source, draws), draws)
    position = Position.of(seen)
    card = player.choose_discard(seen, random, budget)
    discards = tuple(_discard_option(position, each) for each in sorted(set(position.hand)))
    return Hint(Phase.DISCARD, card, _why_discard(position, card, discards), discards)


def _draw_options(position: DrawPosition) -> tuple[DrawOption, ...]:
    after = position.kernel.least_after_turns(packed(position.hand))
    stock = _average(after, position.unseen)
    return DrawOption(Source.STOCK, stock), DrawOption(Source.DISCARD, after[position.upcard.index])


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
    """The weighted mean of values, to three decimals."""
    total = sum(value * weight for value, weight in zip(values, weights, strict=True) if weight)
    return round(total / sum(weights), 3)


def _why_draw(position: DrawPosition, source: Source, options: tuple[DrawOption, ...]) -> str:
    stock, upcard = (option.expected for option in options)
    figures = f"it leaves you {_points(upcard)}, the stock {stock:.1f} on average"
    if source is Source.DISCARD and upcard <= stock:
        return f"Take the {position.upcard}: {figures}."
    if source is Source.DISCARD:
        return f"Take the {position.upcard}: it promises more for the turns to come."
    return (
        f"Draw from the stock: it leaves you {stock:.1f} points on average, the upcard {upcard:g}."
    )


def _why_discard(position: Position, card: Card, options: tuple[DiscardOption, ...]) -> str:
    chosen = next(option for option in options if option.card == card)
    if chosen.deadwood == 0:
        ends = "this last turn costs you nothing" if position.final else "you go out"
        return f"Discard the {card}: every other card is in a meld, so {ends}."
    left = f"it leaves you {_points(chosen.deadwood)}"
    if position.final:
        return f"Discard the {card}: {left}, the least you can have in this last turn."
    cards = "card" if chosen.improving == 1 else "cards"
    return f"Discard the {card}: {left}, and {chosen.improving} unseen {cards} would lower that."


def _points(points: float) -> str:
    return "1 point" if points == 1 else f"{points:g} points"
