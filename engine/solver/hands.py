"""What a hand is worth: the kernel's answers, asked with cards.

`kernel.py` computes with integers and bytes; these functions take and return cards. `limited`
bounds how many hands may be solved within a block of code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from engine.cards import CARDS, Card, Rank
from engine.rules import AceMode, is_wild, points
from engine.solver.kernel import Meter
from engine.solver.prospects import LookaheadKernel


@cache
def _unlimited(wild: Rank, aces: AceMode) -> LookaheadKernel:
    return LookaheadKernel(int(wild), aces.value)


_KERNELS: ContextVar[Callable[[Rank, AceMode], LookaheadKernel]] = ContextVar(
    "kernels", default=_unlimited
)


def kernel(wild: Rank, aces: AceMode) -> LookaheadKernel:
    """The kernel of a round's wild rank and a game's ace mode."""
    return _KERNELS.get()(wild, aces)


@contextmanager
def limited(hands: int) -> Iterator[None]:
    """Let whoever runs within it ask about so many hands, by whatever kernels.

    One more raises BudgetExceededError, which is no Exception.
    """
    meter = Meter(hands)
    token = _KERNELS.set(cache(lambda wild, aces: LookaheadKernel(int(wild), aces.value, meter)))
    try:
        yield
    finally:
        _KERNELS.reset(token)


def least_points(cards: tuple[Card, ...], wild: Rank, aces: AceMode) -> int:
    """The least deadwood points of up to 14 cards."""
    return kernel(wild, aces).least(packed(cards))


def points_after_discard(cards: tuple[Card, ...], wild: Rank, aces: AceMode) -> dict[Card, int]:
    """For each distinct card of a hand, in sorted order, the least points without one copy."""
    hand = packed(cards)
    least = kernel(wild, aces).least_after_discards(hand)
    return {CARDS[index]: least[index] for index in sorted(set(hand))}


def preferred(least: dict[Card, int], wild: Rank, aces: AceMode) -> Card:
    """The discard that leaves the least of the given points.

    Among equals a natural goes before a wild, then the card that costs more, then the higher.
    """
    return min(
        least,
        key=lambda card: (least[card], is_wild(card, wild), -points(card, wild, aces), -card),
    )


def packed(cards: tuple[Card, ...]) -> bytes:
    """Cards as the kernel takes them."""
    return bytes(cards)
