"""What the verifier takes for a meld, and what melds leave over, beside the engine's own rules."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine.cards import CARDS, JOKER, Card, Rank
from engine.errors import IllegalMeldError as EngineIllegalMeldError
from engine.fields import meld_json
from engine.melds import Meld
from engine.rules import AceMode, total_points
from engine.solver.arrangement import arrange
from engine.solver.hands import least_points
from engine.verify.melds import IllegalMeldError, deadwood, melds_completely, points
from tests.builders import meld
from tests.scale import scaled


def left(hand: str, melds: list[dict[str, Any]], wild: str = "K", aces: str = "low") -> str:
    return " ".join(deadwood(hand.split(), melds, wild, aces))


@pytest.mark.parametrize("aces", AceMode)
def test_a_row_of_cards_is_a_meld_where_the_engine_says_so(aces: AceMode) -> None:
    rng = random.Random(aces)
    found = {True: 0, False: 0}
    for _ in range(scaled(40_000)):
        cards = _likely_meld(rng)
        wild = Rank(rng.randint(3, 13))
        try:
            listed = meld_json(Meld(cards, wild, aces))
        except EngineIllegalMeldError:
            listed = {"cards": list(map(str, cards)), "kind": "run", "stands_for": []}
            with pytest.raises(IllegalMeldError):
                deadwood(list(map(str, cards)), [listed], wild.code, aces)
            found[False] += 1
        else:
            assert deadwood(list(map(str, cards)), [listed], wild.code, aces) == []
            found[True] += 1
    assert min(found.values()) > scaled(1_000)


def _likely_meld(rng: random.Random) -> tuple[Card, ...]:
    """Two to six cards in a row of one suit, or of one rank, some of them exchanged."""
    size, suit = rng.randint(2, 6), rng.randint(0, 3)
    first, step = rng.randint(0, 12), rng.randint(0, 1)
    cards = [CARDS[4 * ((first + step * place) % 13) + suit] for place in range(size)]
    return tuple(card if rng.random() < 0.8 else rng.choice(CARDS) for card in cards)


@pytest.mark.parametrize("aces", AceMode)
def test_every_arrangement_of_the_engine_is_taken(aces: AceMode) -> None:
    rng = random.Random(aces)
    for _ in range(scaled(1_000)):
        hand = tuple(sorted(rng.sample(CARDS * 2, rng.randint(3, 13))))
        wild = Rank(rng.randint(3, 13))
        best = arrange(hand, wild, aces)
        melds = list(map(meld_json, best.melds))
        rest = deadwood(list(map(str, hand)), melds, wild.code, aces)
        assert rest == list(map(str, best.deadwood))
        assert points(rest, wild.code, aces) == total_points(best.deadwood, wild, aces)


@pytest.mark.parametrize("aces", AceMode)
def test_a_hand_can_go_out_where_the_solver_says_so(aces: AceMode) -> None:
    rng = random.Random(aces)
    found = {True: 0, False: 0}
    for _ in range(scaled(20_000)):
        hand, wild = _nearly_melded_hand(rng), Rank(rng.randint(3, 13))
        is_out = least_points(hand, wild, aces) == 0
        assert melds_completely(list(map(str, hand)), wild.code, aces) == is_out, hand
        found[is_out] += 1
    assert min(found.values()) > scaled(2_000)


def _nearly_melded_hand(rng: random.Random) -> tuple[Card, ...]:
    """Three to thirteen cards, most of them of melds, out of a pack with four jokers."""
    size, hand = rng.randint(3, 13), list[Card]()
    others, exchanged = [JOKER, JOKER, *CARDS], rng.choice([0.0, 0.1, 0.3])
    while len(hand) < size:
        suit, first = rng.randint(0, 3), rng.randint(0, 11)
        run = [CARDS[4 * ((first + step) % 13) + suit] for step in range(rng.randint(3, 5))]
        same = [CARDS[4 * first + rng.randint(0, 3)] for _ in range(rng.randint(3, 4))]
        for natural in rng.choice([run, same]):
            card = rng.choice(others) if rng.random() < exchanged else natural
            if hand.count(card) < (4 if card is JOKER else 2) and len(hand) < size:
                hand.append(card)
    return tuple(sorted(hand))


def test_cards_in_no_meld_are_left_in_order() -> None:
    assert left("9C 9D 9H JK TS 2D", [meld_json(meld("9C 9D 9H"))]) == "2D TS JK"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"cards": ["9C", "9D", "9S"]}, '"9S" is not, or not so often, in the hand'),
        ({"cards": ["9C", "9C", "9D"]}, '"9C" is not, or not so often, in the hand'),
        ({"cards": ["9C", "9D"]}, "9C 9D is neither a set nor a run"),
        ({"cards": []}, " is neither a set nor a run"),
        ({"cards": "9C"}, "a meld is an object with a list of cards"),
        ({"cards": [9, None, {}]}, "9 is not, or not so often, in the hand"),
        ({"kind": "run"}, '9C 9D 9H, kind should be "set", but is "run"'),
        ({"stands_for": ["9C", "9D"]}, 'stands_for should be ["9C","9D","9H"], but is ["9C","9D"]'),
        ({"more": 1}, '9C 9D 9H has "more", which does not belong there'),
    ],
)
def test_a_meld_that_is_none_is_refused_with_the_reason(
    change: dict[str, object], reason: str
) -> None:
    listed = meld_json(meld("9C 9D 9H"))
    with pytest.raises(IllegalMeldError) as refusal:
        left("9C 9D 9H 2D", [{**listed, **change}])
    assert reason in str(refusal.value)


@pytest.mark.parametrize("melds", [None, {}, "9C", [None], [["9C", "9D", "9H"]]])
def test_melds_of_no_shape_are_refused(melds: Any) -> None:
    with pytest.raises(IllegalMeldError):
        left("9C 9D 9H", melds)
