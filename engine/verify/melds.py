"""Melds: whether they are legal, what they leave over and what that costs, and who can go out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, repeat

from engine.verify.comparison import first_difference, quoted
from engine.verify.dealing import JOKER, RANKS, in_order
from engine.verify.replay import JsonObject

MIN_MELD = 3
_LONGEST = 5
"""A longer meld is two melds."""
_WITH_LOW_ACE = RANKS
_WITH_HIGH_ACE = RANKS[1:] + RANKS[0]
_RUN_ORDERS = {
    "low": (_WITH_LOW_ACE,),
    "high": (_WITH_HIGH_ACE,),
    "both": (_WITH_LOW_ACE, _WITH_HIGH_ACE),
}
"""By ace mode, the orders of ranks that a run may follow; none of them goes on at its end."""
_JOKER_SUIT = "C"
"""The suit that a joker stands for in a set."""


class IllegalMeldError(Exception):
    """Melds that the hand or the rules do not allow; the message says why."""


def deadwood(hand: Sequence[str], melds: object, wild: str, aces: str) -> list[str]:
    """The cards of a hand that are in none of the melds, in order; raises IllegalMeldError."""
    if not isinstance(melds, list):
        raise IllegalMeldError("they are not a list")
    left = list(hand)
    for meld in melds:
        if not isinstance(meld, dict) or not isinstance(meld.get("cards"), list):
            raise IllegalMeldError("a meld is an object with a list of cards")
        for card in meld["cards"]:
            if card not in left:
                raise IllegalMeldError(f"{quoted(card)} is not, or not so often, in the hand")
            left.remove(card)
        _check_meld(meld, list(map(str, meld["cards"])), wild, aces)
    return in_order(left)


def points(cards: Sequence[str], wild: str, aces: str) -> int:
    """What cards cost that are in no meld."""
    return sum(_points(card, wild, aces) for card in cards)


def _points(card: str, wild: str, aces: str) -> int:
    rank = card[0]
    if card == JOKER:
        return 20
    if rank == wild:
        return 15
    if rank == "A":
        return 1 if aces == "low" else 15
    return 10 if rank in "TJQK" else int(rank)


def melds_completely(hand: Sequence[str], wild: str, aces: str) -> bool:
    """Whether each card of a hand of three or more can be in a meld."""
    naturals = in_order(card for card in hand if not is_wild(card, wild))
    return _can_meld(tuple(naturals), len(hand) - len(naturals), aces)


@lru_cache(maxsize=10_000)
def _can_meld(naturals: tuple[str, ...], wilds: int, aces: str) -> bool:
    """Whether naturals, which are in order, can all be in melds with so many wilds at most.

    A wild that is left joins any meld, or the others that are left.
    """
    if not naturals:
        return True
    for used, needed in _melds_of_first(naturals, aces):
        if needed <= wilds:
            left = list(naturals)
            for card in used:
                left.remove(card)
            if _can_meld(tuple(left), wilds - needed, aces):
                return True
    return False


def _melds_of_first(naturals: Sequence[str], aces: str) -> Iterator[tuple[Sequence[str], int]]:
    """The melds that the first natural may be in: their naturals, and the wilds that they need.

    A run has each natural that is there for it: if a wild took its place, the two could be
    exchanged.
    """
    first, *rest = naturals
    same = [card for card in rest if card[0] == first[0]]
    for count in range(min(len(same), _LONGEST - 1) + 1):
        for others in set(combinations(same, count)):
            yield (first, *others), max(MIN_MELD - 1 - count, 0)
    for order in _RUN_ORDERS[aces]:
        place = order.index(first[0])
        for length in range(MIN_MELD, _LONGEST + 1):
            for start in range(max(place - length + 1, 0), min(place, len(order) - length) + 1):
                run = [rank + first[1] for rank in order[start : start + length]]
                used = [card for card in run if card in naturals]
                yield used, length - len(used)


def is_wild(card: str, wild: str) -> bool:
    """Whether a card is a joker or of the round's wild rank."""
    return card == JOKER or card[0] == wild


def _check_meld(meld: JsonObject, cards: list[str], wild: str, aces: str) -> None:
    """Refuse a meld that is none, or that says of its cards what they are not."""
    kind, stands_for = _meaning(cards, wild, aces)
    meant = {"cards": cards, "kind": kind, "stands_for": stands_for}
    difference = first_difference(" ".join(cards), meant, meld)
    if difference is not None:
        raise IllegalMeldError(difference)


def _meaning(cards: Sequence[str], wild: str, aces: str) -> tuple[str, list[str]]:
    """The kind of a meld, and what each of its cards stands for."""
    naturals = [card for card in cards if not is_wild(card, wild)]
    ranks = {card[0] for card in naturals}
    if len(cards) >= MIN_MELD and len(ranks) <= 1:
        rank = ranks.pop() if ranks else wild
        return "set", [rank + (_JOKER_SUIT if card == JOKER else card[1]) for card in cards]
    if len(cards) >= MIN_MELD:
        for order in _RUN_ORDERS[aces]:
            run = _run(cards, naturals[0], order)
            if len(run) == len(cards) and all(map(_fits, cards, run, repeat(wild))):
                return "run", run
    raise IllegalMeldError(f"{' '.join(cards)} is neither a set nor a run")


def _run(cards: Sequence[str], natural: str, order: str) -> list[str]:
    """The run that has a natural where the cards have it; shorter where that leaves the order."""
    first = order.index(natural[0]) - cards.index(natural)
    ranks = order[first : first + len(cards)] if first >= 0 else ""
    return [rank + natural[1] for rank in ranks]


def _fits(card: str, place: str, wild: str) -> bool:
    return card == place or is_wild(card, wild)
