"""Cards, and what a secret makes of them: the first dealer, each deal, each refill.

Source: "Fair dealing" of the rules. A label's words are the blocks HMAC-SHA256(key = secret,
message = `313/1/<label>/<block>`), block = 0, 1, 2, …, read as big-endian 32-bit numbers.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

RANKS = "A23456789TJQK"
SUITS = "CDHS"
JOKER = "JK"
DECKS = 2
_WORD_BYTES = 4
_WORD_VALUES = 2**32


def commitment(secret: bytes) -> str:
    """The SHA-256 of the secret, in hex."""
    return hashlib.sha256(secret).hexdigest()


def words(secret: bytes, label: str) -> Iterator[int]:
    """The endless random numbers below 2**32 of a label."""
    for block in count():
        digest = hmac.new(secret, f"313/1/{label}/{block}".encode(), hashlib.sha256).digest()
        for start in range(0, len(digest), _WORD_BYTES):
            yield int.from_bytes(digest[start : start + _WORD_BYTES], "big")


def uniform(stream: Iterator[int], n: int) -> int:
    """A number below `n`: the next word below the largest multiple of `n`, modulo `n`."""
    limit = n * (_WORD_VALUES // n)
    return next(word for word in stream if word < limit) % n


def shuffled(secret: bytes, label: str, cards: Sequence[str]) -> list[str]:
    """The cards as the label's words shuffle them; the last one is the top."""
    stream, order = words(secret, label), list(cards)
    for j in range(len(order) - 1, 0, -1):
        other = uniform(stream, j + 1)
        order[j], order[other] = order[other], order[j]
    return order


def first_dealer(secret: bytes, seats: int) -> int:
    """The seat that deals the first round, unless the game is a rematch."""
    return uniform(words(secret, "dealer"), seats)


def pack(jokers: int) -> list[str]:
    """All cards of a game in the order in which a deal begins."""
    deck = [rank + suit for suit in SUITS for rank in RANKS]
    return deck * DECKS + [JOKER] * jokers


def deal(
    secret: bytes, number: int, seats: int, dealer: int, jokers: int
) -> tuple[list[list[str]], str, list[str]]:
    """A round's hands by seat, in the order of the deal, its upcard, and its stock, top last."""
    stock = shuffled(secret, f"deal/{number}", pack(jokers))
    hands: list[list[str]] = [[] for _ in range(seats)]
    for card in range(seats * hand_size(number)):
        hands[(dealer + 1 + card) % seats].append(stock.pop())
    upcard = stock.pop()
    return hands, upcard, stock


def refilled(secret: bytes, number: int, refill: int, pile: Sequence[str]) -> list[str]:
    """The new stock at a round's refill 1, 2, …, from the pile less its top, oldest card first."""
    return shuffled(secret, f"refill/{number}/{refill}", pile)


def hand_size(number: int) -> int:
    """How many cards a round deals to each seat."""
    return number + 2


def wild_rank(number: int) -> str:
    """The rank that is wild in a round: that of its hand size, J, Q and K being 11, 12 and 13."""
    return RANKS[hand_size(number) - 1]


def in_order(cards: Iterable[str]) -> list[str]:
    """The cards by rank, then suit, jokers last, as a hand is listed."""
    return sorted(cards, key=_place)


def _place(card: str) -> tuple[int, int]:
    if card == JOKER:
        return len(RANKS), 0
    return RANKS.index(card[0]), SUITS.index(card[1])
