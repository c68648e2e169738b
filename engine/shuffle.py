"""Fair dealing: everything random in a game follows from its 32-byte secret.

The stream of a label is the sequence of blocks HMAC-SHA256(key=secret, `313/1/<label>/<i>`),
i = 0, 1, 2, …, read as big-endian 32-bit words. Labels in use: `dealer`, `deal/<round>`,
`refill/<round>/<k>` and `ai/<round>/<seat>/<turn>`. `commitment` is published when a game
begins and the secret when it is over, so that anybody can deal the game again and compare.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from engine.cards import CARDS, JOKER, Card, Rank, Suit
from engine.rules import COPIES, hand_size

SECRET_BYTES = 32
_SECRETS = 64
"""Of so many secrets the commitment is remembered: every view has it."""
_WORDS = 1 << 32
_BIG_ENDIAN_WORDS = struct.Struct(">8I")
"""The words in one SHA-256."""


class Stream:
    """The random words of one label; not to be shared, for it remembers how far it was read."""

    def __init__(self, secret: bytes, label: str) -> None:
        self._words = _words(secret, label)

    def uniform(self, count: int) -> int:
        """A number 0 … count - 1, each as likely, by rejection of the words beyond a multiple."""
        bound = _WORDS - _WORDS % count
        for word in self._words:
            if word < bound:
                return word % count
        raise AssertionError("the words of a label do not end")

    def shuffled(self, cards: Sequence[Card]) -> tuple[Card, ...]:
        """The cards in a new order: Fisher and Yates, from the last index down to 1."""
        order = list(cards)
        for last in range(len(order) - 1, 0, -1):
            other = self.uniform(last + 1)
            order[last], order[other] = order[other], order[last]
        return tuple(order)


def _words(secret: bytes, label: str) -> Iterator[int]:
    block = 0
    while True:
        digest = hmac.digest(secret, f"313/1/{label}/{block}".encode("ascii"), "sha256")
        yield from _BIG_ENDIAN_WORDS.unpack(digest)
        block += 1


@lru_cache(maxsize=_SECRETS)
def commitment(secret: bytes) -> str:
    """The SHA-256 of the secret, in hex."""
    return hashlib.sha256(secret).hexdigest()


def first_dealer(secret: bytes, seats: int) -> int:
    """The seat that deals the first round."""
    return Stream(secret, "dealer").uniform(seats)


@cache
def pack(jokers: int) -> tuple[Card, ...]:
    """All cards of a game in the order from which every deal starts."""
    deck = tuple(Card.of(rank, suit) for suit in Suit for rank in Rank)
    return deck * COPIES + (JOKER,) * jokers


@cache
def pack_counts(jokers: int) -> bytes:
    """How many of each card, by index, there are in a pack."""
    return bytes(map(pack(jokers).count, CARDS))


def deal(
    secret: bytes, round_number: int, seats: int, dealer: int, jokers: int
) -> tuple[tuple[tuple[Card, ...], ...], Card, tuple[Card, ...]]:
    """The deal of a round: the hands by seat (unsorted), the upcard, the stock (its end on top)."""
    shuffled = Stream(secret, f"deal/{round_number}").shuffled(pack(jokers))
    dealt = hand_size(round_number) * seats
    from_top = shuffled[::-1]
    # Seat `dealer + 1` gets the first card, and every seat each `seats`-th card after its first.
    hands = tuple(from_top[(seat - dealer - 1) % seats : dealt : seats] for seat in range(seats))
    return hands, from_top[dealt], shuffled[: -dealt - 1]


def refill(secret: bytes, round_number: int, count: int, cards: Sequence[Card]) -> tuple[Card, ...]:
    """The new stock of the round's `count`-th refill, from the pile without its top card."""
    return Stream(secret, f"refill/{round_number}/{count}").shuffled(cards)


def choice_stream(secret: bytes, round_number: int, seat: int, turn: int) -> Stream:
    """The words that an AI player may use in one turn."""
    return Stream(secret, f"ai/{round_number}/{seat}/{turn}")
