"""Hands for the solver's bench: card indices as the kernel takes them, all from a seed."""

from __future__ import annotations

import random

from engine.cards import JOKER_INDEX
from engine.rules import MAX_JOKERS

MODES = ("low", "high", "both")
PACK = [*range(JOKER_INDEX), *range(JOKER_INDEX), *[JOKER_INDEX] * MAX_JOKERS]

Question = tuple[int, str, bytes]
"""The wild rank (0 for none), the ace mode and the hand whose least points are asked for."""


def seeded(seed: int) -> random.Random:
    """The random numbers from which the hands of a seed are made."""
    return random.Random(seed)  # noqa: S311


def naturals_and_wilds(wild: int) -> tuple[list[int], list[int]]:
    """All naturals and all wilds of the pack with four jokers."""
    wilds = [card for card in PACK if card == JOKER_INDEX or card // 4 == wild - 1]
    return [card for card in PACK if card not in wilds], wilds


def any_hands(seed: int, count: int) -> list[Question]:
    """Hands of 3 to 14 cards: a third rich in wilds, many of neighbouring cards or few suits."""
    rng = seeded(seed)
    return [_any_hand(rng, number % 3 == 0) for number in range(count)]


def _any_hand(rng: random.Random, rich: bool) -> Question:
    wild, mode, size = rng.randint(1, 13), rng.choice(MODES), rng.randint(3, 14)
    naturals, wilds = naturals_and_wilds(wild)
    held = rng.randint(0, min(size, len(wilds))) if rich else _few_wilds(rng)
    pool = _pool(rng, naturals)
    held = min(size, max(held, size - len(pool)))
    return wild, mode, bytes(rng.sample(wilds, held) + rng.sample(pool, size - held))


def _few_wilds(rng: random.Random) -> int:
    return rng.choice((0, 0, 0, 1, 1, 2, 3))


def _pool(rng: random.Random, naturals: list[int]) -> list[int]:
    """Some naturals: all, those of neighbouring ranks, of one or two suits, or the dearest."""
    low, span = rng.randint(0, 10), rng.randint(2, 5)
    suits = rng.choice((1, 2))
    return rng.choice(
        (
            naturals,
            [card for card in naturals if low <= card // 4 < low + span],
            [card for card in naturals if card % 4 < suits],
            [card for card in naturals if card // 4 in (0, 8, 10, 11, 12)],
        )
    )


def single_deck(seed: int, count: int, rich: bool) -> list[bytes]:
    """Ten cards of one deck without wilds; `rich` in melds: out of five neighbouring ranks."""
    rng = seeded(seed)
    return [_single_deck(rng, rich) for _ in range(count)]


def _single_deck(rng: random.Random, rich: bool) -> bytes:
    low, span = (rng.randint(0, 8), 5) if rich else (0, 13)
    return bytes(rng.sample(range(4 * low, 4 * (low + span)), 10))


def two_jokers(seed: int, count: int) -> list[Question]:
    """Thirteen cards of two decks, two of them jokers, kings wild."""
    rng = seeded(seed)
    naturals = PACK[:-MAX_JOKERS]
    jokers = [JOKER_INDEX] * 2
    return [(13, "low", bytes(rng.sample(naturals, 11) + jokers)) for _ in range(count)]


def of_rounds(seed: int, count: int) -> list[Question]:
    """Hands as the rounds deal them: 3 to 13 cards, the rank of that number wild, four jokers."""
    rng = seeded(seed)
    sizes = [rng.randint(3, 13) for _ in range(count)]
    return [(size, "low", bytes(rng.sample(PACK, size))) for size in sizes]
