"""The arithmetic of the kernel: masks of cards, and costs.

A *mask* has a bit for every natural: 16 bits a suit, one for each *place* in the suit's runs. Place
0 is an ace below the two, 1 to 12 are the two to the king, 13 is an ace above the king. *Costs*
are six numbers in one integer: for 0 to 5 wilds spent, the least points left over. Each number is a
*lane* of nine bits: eight for the points, and one spare bit for comparisons.

mypyc compiles the modules that `compiled.MODULES` names, this one among them, where a C compiler
exists. Without one they run unchanged, only slower. Three rules keep the compiled form right and
quick. A shift never has a small constant on its left, since C would shift 32 bits. No constant
reaches 2**62, since it would be an object. Integers of more than 30 bits are kept in attributes,
not in lists or dicts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mypy_extensions import i64

SUIT: Final = 0xFFFF
EACH_SUIT: Final = 0x0001_0001_0001_0001
HIGH_ACE: Final = 13
TOP_BIT: Final = 1 << 61
BELOW_TOP_BIT: Final = (1 << 61) - 1
LANE: Final = 9
"""Bits of a lane."""
MOST_WILDS: Final = 13
"""Eight of the wild rank, four jokers, and one more that a hand of twelve wilds might draw."""
MANY: Final = 6
"""So many wilds do not fit into costs. They are rare, and each number is computed by itself."""
EACH: Final = 0o001_001_001_001_001_001
"""One point in every lane."""
SPARE: Final = 0o400_400_400_400_400_400
"""The spare bit of every lane."""
MOST: Final = 0o377_377_377_377_377_377
"""The most points in every lane."""
ALL: Final = 0o777_777_777_777_777_777
"""All bits of all lanes."""
POINTS: Final = 0o377
"""The most points of a lane, which is also the mask of the lowest lane."""
NOTHING_TO_DISCARD: Final = 60 * EACH
"""The costs of discarding from an empty suit.

It is more than the best discard of a suit can add (25 at a broken A K Q), and too little to
overflow a lane.
"""


def lane(costs: i64, wilds: i64) -> i64:
    """The points with a number of wilds."""
    return (costs >> (LANE * wilds)) & POINTS


def lower(a: i64, b: i64) -> i64:
    """For each number of wilds the lower points of two costs."""
    not_lower: i64 = ((a | SPARE) - b) & SPARE
    return a ^ ((a ^ b) & (not_lower - (not_lower >> 8)))


def spend(costs: i64, wilds: i64) -> i64:
    """The costs after a number of wilds has been spent already."""
    shift: i64 = LANE * wilds
    return ((costs << shift) & ALL) | (MOST & (ALL >> (54 - shift)))


def join(a: i64, b: i64, wilds: i64) -> i64:
    """The sum of two costs, the wilds divided between them at the least points.

    The result is right for each number of wilds up to `wilds`.
    """
    best: i64 = b + (a & POINTS) * EACH
    spent: i64 = 1
    while spent <= wilds:
        a >>= LANE
        best = lower(best, spend(b + (a & POINTS) * EACH, spent))
        spent += 1
    return best


def join_discards(keep_a: i64, discard_a: i64, keep_b: i64, discard_b: i64, wilds: i64) -> i64:
    """The sum of two costs where one card is discarded, from one side or the other."""
    return lower(join(discard_a, keep_b, wilds), join(keep_a, discard_b, wilds))


def bit(place: i64) -> i64:
    """The bit of a place."""
    return TOP_BIT >> (61 - place)


def highest(mask: i64) -> i64:
    """The highest place of a mask, -1 if it is empty."""
    number: int = mask
    return number.bit_length() - 1


def count(cards: i64, place: i64) -> i64:
    """How many cards a sum of masks holds at a place, over all suits; it must hold no others."""
    return (((cards >> place) * EACH_SUIT) >> 48) & 15


def ones(mask: i64) -> i64:
    """How many bits a mask has."""
    number: i64 = 0
    while mask:
        mask &= mask - 1
        number += 1
    return number


def without(cards: i64, twins: i64, used: i64) -> tuple[i64, i64]:
    """The cards and twins without one copy of each card of a mask."""
    return cards ^ (used & ~twins), twins & ~used
