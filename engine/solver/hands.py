"""What a hand is worth: the kernel's answers, asked with cards.

`kernel.py` computes with integers and bytes; these functions take and return cards. `limited`
bounds how many hands may be solved within a block of code.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from engine.cards import Card, Rank
from engine.rules import WILD_CARDS, AceMode, card_points
from engine.solver.kernel import NO_LIMIT, Meter
from engine.solver.prospects import LookaheadKernel


class _Kernels(dict[tuple[Rank, AceMode], LookaheadKernel]):
    """The kernels that share a meter, each made when it is first asked for."""

    def __init__(self, meter: Meter) -> None:
        super().__init__()
        self._meter = meter

    def __missing__(self, key: tuple[Rank, AceMode]) -> LookaheadKernel:
        wild, aces = key
        made = self[key] = LookaheadKernel(wild, aces, self._meter)
        return made


_UNLIMITED = _Kernels(Meter(NO_LIMIT))
_KERNELS: ContextVar[_Kernels] = ContextVar("kernels", default=_UNLIMITED)


def kernel(wild: Rank, aces: AceMode) -> LookaheadKernel:
    """The kernel of a round's wild rank and a game's ace mode."""
    return _KERNELS.get()[wild, aces]


@contextmanager
def limited(hands: int) -> Iterator[None]:
    """Let whoever runs within it ask about so many hands, by whatever kernels.

    One more raises BudgetExceededError, which is no Exception.
    """
    token = _KERNELS.set(_Kernels(Meter(hands)))
    try:
        yield
    finally:
        _KERNELS.reset(token)


def least_points(cards: tuple[Card, ...], wild: Rank, aces: AceMode) -> int:
    """The least deadwood points of up to 14 cards."""
    return kernel(wild, aces).least(packed(cards))


def points_after_discard(cards: tuple[Card, ...], wild: Rank, aces: AceMode) -> dict[Card, int]:
    """For each distinct card of a hand, in sorted order, the least points without one copy."""
    least = kernel(wild, aces).least_after_discards(packed(cards))
    return {card: least[card] for card in sorted(set(cards))}


def preferred(least: dict[Card, int], wild: Rank, aces: AceMode) -> Card:
    """The discard that leaves the least of the given points.

    Among equals a natural goes before a wild, then the card that costs more, then the higher.
    """
    fewest = min(least.values())
    equals = [card for card, left in least.items() if left == fewest]
    wilds, price = WILD_CARDS[wild], card_points(wild, aces)
    return max(equals, key=lambda card: (card not in wilds, price[card], card))


def packed(cards: tuple[Card, ...]) -> bytes:
    """Cards as the kernel takes them."""
    return bytes(cards)
