"""A naive second opinion on melds, arrangements and deadwood.

Cards are codes such as ``7H``; a joker is ``JK``. A card of the round's wild rank and a joker are
*wild*, every other card is a *natural*. The oracle lists every small meld a hand contains, then
tries, card by card, both to leave it over and to put it in each meld. It is written from the rules
alone, to be obviously right rather than fast, and shares no code with the solver that it checks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

JOKER = "JK"
RANKS = "A23456789TJQK"
SUITS = "CDHS"
RUN_ORDER = {"low": RANKS, "high": RANKS[1:] + "A", "both": RANKS + "A"}

# A meld of six or more splits into its first three cards and the rest, both legal melds of the
# same sort, so melds of these sizes are enough to find the least deadwood.
SIZES = (3, 4, 5)

Meld = dict[str, Any]


def check_card(card: object) -> None:
    """Assert that a code names a card."""
    natural = isinstance(card, str) and len(card) == 2 and card[0] in RANKS and card[1] in SUITS
    assert card == JOKER or natural, f"{card!r} is no card"


def sort_key(card: str) -> tuple[int, int]:
    """The place of a card in a hand: by rank from ace to king, then suit, jokers last."""
    return (len(RANKS), 0) if card == JOKER else (RANKS.index(card[0]), SUITS.index(card[1]))


def sorted_hand(cards: Iterable[str]) -> list[str]:
    """The cards in the order in which a hand is shown."""
    return sorted(cards, key=sort_key)


def is_wild(card: str, wild_rank: str) -> bool:
    """Whether a card stands for anything."""
    return card == JOKER or card[0] == wild_rank


def card_points(card: str, wild_rank: str, aces: str) -> int:
    """What a card costs in no meld."""
    if card == JOKER:
        return 20
    if card[0] == wild_rank:
        return 15
    if card[0] == "A":
        return 1 if aces == "low" else 15
    return 10 if card[0] in "TJQK" else int(card[0])


def is_legal_meld(cards: Sequence[str], wild_rank: str, aces: str) -> bool:
    """Whether the cards, in whatever order, can form one set or one run."""
    naturals = [card for card in cards if not is_wild(card, wild_rank)]
    return len(cards) >= 3 and (is_set(naturals) or is_run(naturals, len(cards), aces))


def is_set(naturals: Sequence[str]) -> bool:
    """Whether the naturals of a meld share one rank; its wilds always follow."""
    return len({card[0] for card in naturals}) <= 1


def is_run(naturals: Sequence[str], size: int, aces: str) -> bool:
    """Whether the naturals fit in some run of this size; wilds fill its other places."""
    ranks = [card[0] for card in naturals]
    one_suit = len({card[1] for card in naturals}) <= 1
    return (
        one_suit
        and len(set(ranks)) == len(ranks)
        and any(set(ranks) <= set(places) for places in run_places(size, aces))
    )


def run_places(size: int, aces: str) -> Iterator[str]:
    """The ranks of every run of this size, in order, for example ``9TJ``."""
    order = RUN_ORDER[aces]
    for start in range(len(order) - size + 1):
        places = order[start : start + size]
        if len(set(places)) == size:  # with both aces, A to A would hold the ace twice
            yield places


class Cover:
    """Every way to cover one hand with melds; part of the hand is a bit mask over `cards`."""

    def __init__(self, cards: Sequence[str], wild_rank: str, aces: str) -> None:
        for card in cards:
            check_card(card)
        # Wilds last: the lowest card of a mask is then a natural, which few melds hold.
        self.cards = sorted(cards, key=lambda card: (is_wild(card, wild_rank), sort_key(card)))
        self.wild_rank, self.aces = wild_rank, aces
        self.full = (1 << len(cards)) - 1
        self.points = [card_points(card, wild_rank, aces) for card in self.cards]
        self.melds: list[list[int]] = [[] for _ in cards]
        for meld in self._legal_masks():
            self.melds[lowest(meld)].append(meld)
        self._least = {0: 0}
        self._complete = {0: True}

    def _legal_masks(self) -> set[int]:
        return {
            sum(1 << place for place in places)
            for pool in self._pools()
            for size in SIZES
            for places in combinations(pool, size)
            if is_legal_meld([self.cards[place] for place in places], self.wild_rank, self.aces)
        }

    def _pools(self) -> Iterator[list[int]]:
        """Wilds with the naturals of one rank or of one suit: no meld mixes more than that."""
        for kind in RANKS + SUITS:
            yield [
                place
                for place, card in enumerate(self.cards)
                if is_wild(card, self.wild_rank) or kind in card
            ]

    def least(self, mask: int) -> int:
        """The least points that can be left over of these cards."""
        if mask not in self._least:
            first = lowest(mask)
            left_over = self.points[first] + self.least(mask ^ (1 << first))
            melded = [self.least(mask ^ meld) for meld in self.melds_of_lowest(mask)]
            self._least[mask] = min([left_over, *melded])
        return self._least[mask]

    def is_complete(self, mask: int) -> bool:
        """Whether every one of these cards can be in a meld."""
        if mask not in self._complete:
            self._complete[mask] = any(
                self.is_complete(mask ^ meld) for meld in self.melds_of_lowest(mask)
            )
        return self._complete[mask]

    def melds_of_lowest(self, mask: int) -> list[int]:
        """The melds within these cards that hold the lowest of them."""
        return [meld for meld in self.melds[lowest(mask)] if meld & mask == meld]

    def without(self, card: str) -> int:
        """The whole hand but one copy of a card."""
        return self.full ^ (1 << self.cards.index(card))

    def arrangement(self, mask: int) -> tuple[list[list[str]], list[str]]:
        """Some melds of these cards and what they leave over, with the least points."""
        melds, deadwood = [], []
        while mask:
            best = [m for m in self.melds_of_lowest(mask) if self._keeps_least(mask, m)]
            if best:
                melds.append(self.codes(best[0]))
            else:
                best = [1 << lowest(mask)]
                deadwood += self.codes(best[0])
            mask ^= best[0]
        return melds, sorted_hand(deadwood)

    def _keeps_least(self, mask: int, meld: int) -> bool:
        return self.least(mask ^ meld) == self.least(mask)

    def codes(self, mask: int) -> list[str]:
        """The cards of a mask."""
        return [card for place, card in enumerate(self.cards) if mask >> place & 1]


def lowest(mask: int) -> int:
    """The index of the lowest bit of a mask that is not empty."""
    return (mask & -mask).bit_length() - 1


def least_points(cards: Sequence[str], wild_rank: str, aces: str) -> int:
    """The least points the cards can score, nothing discarded."""
    cover = Cover(cards, wild_rank, aces)
    return cover.least(cover.full)


def every_card_melds(cards: Sequence[str], wild_rank: str, aces: str) -> bool:
    """Whether the cards form melds with nothing left over."""
    cover = Cover(cards, wild_rank, aces)
    return cover.is_complete(cover.full)


def points_after_discard(cards: Sequence[str], wild_rank: str, aces: str) -> dict[str, int]:
    """For each distinct card of a hand, the least points after discarding it."""
    cover = Cover(cards, wild_rank, aces)
    return {card: cover.least(cover.without(card)) for card in set(cards)}


def going_out_discards(cards: Sequence[str], wild_rank: str, aces: str) -> set[str]:
    """The distinct cards whose discard leaves every other card in a meld."""
    cover = Cover(cards, wild_rank, aces)
    return {card for card in set(cards) if cover.is_complete(cover.without(card))}


def best_arrangement(
    cards: Sequence[str], wild_rank: str, aces: str
) -> tuple[list[Meld], list[str], int]:
    """One arrangement with the least points: described melds, deadwood, points."""
    cover = Cover(cards, wild_rank, aces)
    melds, deadwood = cover.arrangement(cover.full)
    described = [described_meld(meld, wild_rank, aces) for meld in melds]
    return described, deadwood, cover.least(cover.full)


def described_meld(cards: Sequence[str], wild_rank: str, aces: str) -> Meld:
    """A legal meld as the service shows it: its kind, its cards, what each stands for."""
    naturals = [card for card in cards if not is_wild(card, wild_rank)]
    if is_set(naturals):
        ordered = sorted_hand(cards)
        stands_for = set_stands_for(ordered, wild_rank)
        return {"kind": "set", "cards": ordered, "stands_for": stands_for}
    wilds = [card for card in cards if is_wild(card, wild_rank)]
    ranks = {card[0]: card for card in naturals}
    places = next(p for p in run_places(len(cards), aces) if set(ranks) <= set(p))
    ordered = [ranks[rank] if rank in ranks else wilds.pop() for rank in places]
    stands_for = [rank + naturals[0][1] for rank in places]
    return {"kind": "run", "cards": ordered, "stands_for": stands_for}


def set_stands_for(cards: Sequence[str], wild_rank: str) -> list[str]:
    """What each card of a set stands for: the set's rank in its own suit, a joker in clubs."""
    naturals = [card for card in cards if not is_wild(card, wild_rank)]
    rank = naturals[0][0] if naturals else wild_rank
    return [rank + ("C" if card == JOKER else card[1]) for card in cards]


def check_arrangement(
    hand: Sequence[str],
    melds: Sequence[Mapping[str, Any]],
    deadwood: Sequence[str],
    points: object,
    wild_rank: str,
    aces: str,
) -> None:
    """Assert that melds and deadwood hold exactly the hand, legally, for exactly these points."""
    assert isinstance(melds, list), f"the melds are {melds!r}"
    assert isinstance(deadwood, list), f"the deadwood is {deadwood!r}"
    for meld in melds:
        check_meld_fields(meld)
    dealt_out = [card for meld in melds for card in meld["cards"]] + list(deadwood)
    assert Counter(dealt_out) == Counter(hand), f"{melds} and {deadwood} do not hold exactly {hand}"
    for meld in melds:
        check_meld(meld, wild_rank, aces)
    expected = sum(card_points(card, wild_rank, aces) for card in deadwood)
    exact = isinstance(points, int) and points == expected
    assert exact, f"{deadwood} scores {expected}, not {points!r}"


def check_meld(meld: Mapping[str, Any], wild_rank: str, aces: str) -> None:
    """Assert that a meld is legal and is described exactly as the contract says."""
    check_meld_fields(meld)
    cards, stands_for = meld["cards"], meld["stands_for"]
    assert is_legal_meld(cards, wild_rank, aces), f"{cards} is no meld, {wild_rank} being wild"
    naturals = [card for card in cards if not is_wild(card, wild_rank)]
    kind = "set" if is_set(naturals) else "run"
    assert meld["kind"] == kind, f"{cards} is a {kind}, not a {meld['kind']}"
    if kind == "set":
        expected = set_stands_for(cards, wild_rank)
        assert stands_for == expected, f"{cards} stand for {expected}, not {stands_for}"
    else:
        check_run_places(cards, stands_for, wild_rank, aces)


def check_meld_fields(meld: object) -> None:
    """Assert that a meld has the fields of one and that its cards are listed."""
    assert isinstance(meld, dict), f"a meld is {meld!r}"
    assert set(meld) == {"kind", "cards", "stands_for"}, f"a meld has the fields {sorted(meld)}"
    for name in ("cards", "stands_for"):
        assert isinstance(meld[name], list), f"{name} of a meld is {meld[name]!r}"


def check_run_places(
    cards: Sequence[str], stands_for: Sequence[str], wild_rank: str, aces: str
) -> None:
    """Assert that a run lies in order, every natural in its own place."""
    assert len(stands_for) == len(cards), f"{cards} cannot stand for {stands_for}"
    for card in stands_for:
        check_card(card)
    ranks = "".join(card[0] for card in stands_for)
    assert ranks in run_places(len(cards), aces), f"{stands_for} is no run in order"
    assert len({card[1] for card in stands_for}) == 1, f"{stands_for} mixes suits"
    for card, place in zip(cards, stands_for, strict=True):
        assert is_wild(card, wild_rank) or card == place, f"{card} cannot stand for {place}"
