"""The solver against proven hands and against an oracle that shares no code with it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.cards import CARDS, JOKER_INDEX, Card, Rank, without
from engine.fields import codes, meld_json
from engine.rules import AceMode, is_wild, points
from engine.solver.arrangement import arrange, best_discard
from engine.solver.hands import kernel, least_points, packed, points_after_discard
from tests import oracle
from tests.builders import card, hand, rank
from tests.scale import scaled

DATA = Path(__file__).parents[2] / "data"
PACK = [*range(JOKER_INDEX), *range(JOKER_INDEX), *[JOKER_INDEX] * 4]


def vectors(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


def check(cards: tuple[Card, ...], wild: Rank, aces: AceMode, least: int) -> None:
    """Both answers of the solver are exact, and its arrangement holds exactly the hand."""
    arranged = arrange(cards, wild, aces)
    assert least_points(cards, wild, aces) == arranged.points == least
    assert (arranged.deadwood == ()) == (least == 0)
    oracle.check_arrangement(
        codes(cards),
        [meld_json(each) for each in arranged.melds],
        codes(arranged.deadwood),
        arranged.points,
        wild.code,
        aces.value,
    )


@pytest.mark.parametrize("name", ["deadwood.jsonl", "named_hands.jsonl"])
def test_every_proven_hand_is_arranged_exactly(name: str) -> None:
    proven = vectors(name)
    assert len(proven) in {3000, 16}
    for vector in proven:
        cards = tuple(map(Card.parse, vector["cards"]))
        check(cards, rank(vector["wild_rank"]), AceMode(vector["aces"]), vector["points"])


def random_hands(count: int, sizes: range) -> Iterator[tuple[tuple[Card, ...], Rank, AceMode]]:
    """Hands from the pack; every third has wilds for half of its cards."""
    rng = random.Random(313)
    for number in range(count):
        wild = Rank(rng.randint(3, 13))
        size = rng.choice(sizes)
        wilds = [index for index in PACK if is_wild(Card(index), wild)]
        drawn = rng.sample(wilds, size // 2) if number % 3 == 0 else []
        rest = list(PACK)
        for index in drawn:
            rest.remove(index)
        drawn += rng.sample(rest, size - len(drawn))
        yield tuple(map(Card, drawn)), wild, list(AceMode)[number % 3 - number // 3 % 3]


def test_an_independent_oracle_agrees_on_random_hands_in_all_ace_modes() -> None:
    modes = set()
    for cards, wild, aces in random_hands(scaled(5000), range(3, 10)):
        check(cards, wild, aces, oracle.least_points(codes(cards), wild.code, aces.value))
        modes.add(aces)
    assert modes == set(AceMode)


def test_an_independent_oracle_agrees_on_large_random_hands() -> None:
    for cards, wild, aces in random_hands(scaled(600), range(10, 15)):
        check(cards, wild, aces, oracle.least_points(codes(cards), wild.code, aces.value))


def test_the_order_of_the_cards_changes_nothing() -> None:
    rng = random.Random(7)
    for cards, wild, aces in random_hands(200, range(3, 15)):
        mixed = tuple(rng.sample(cards, len(cards)))
        assert arrange(mixed, wild, aces) == arrange(cards, wild, aces)


def test_points_after_discard_values_every_distinct_card() -> None:
    for cards, wild, aces in random_hands(scaled(500), range(4, 10)):
        priced = points_after_discard(cards, wild, aces)
        assert list(priced) == sorted(set(cards))
        for discard, least in priced.items():
            rest = codes(without(cards, discard))
            assert least == oracle.least_points(rest, wild.code, aces.value)


def test_each_turn_leaves_what_its_draw_and_its_best_discard_leave() -> None:
    for cards, wild, aces in random_hands(scaled(1000), range(3, 14)):
        turns = kernel(wild, aces).least_after_turns(packed(cards))
        drawn = [each for each in CARDS if is_wild(each, wild) or cards.count(each) < 2]
        for each in drawn:
            after = points_after_discard((*cards, each), wild, aces)
            assert turns[each] == min(after.values())


def test_the_best_discard_leaves_the_least_points() -> None:
    for cards, wild, aces in random_hands(300, range(4, 15)):
        discard, left = best_discard(cards, wild, aces)
        assert left == arrange(without(cards, discard), wild, aces)
        assert left.points == min(points_after_discard(cards, wild, aces).values())
        assert kernel(wild, aces).least_after_discard(packed(cards)) == left.points


@pytest.mark.parametrize(
    ("cards", "wild", "discard"),
    [
        ("5D 7H 7S 8H 9H JK", "5", "7S"),
        ("9D 9H KC KD", "5", "KD"),
        ("3C 3D 3H JK", "3", "JK"),
        ("4C 9D 9H 4S", "5", "9H"),
        ("7C 8D 9H 9S 9C", "5", "8D"),
    ],
)
def test_equal_discards_go_natural_first_then_dearer_then_higher(
    cards: str, wild: str, discard: str
) -> None:
    assert best_discard(hand(cards), rank(wild), AceMode.LOW)[0] == card(discard)


@pytest.mark.parametrize(
    ("cards", "wild", "aces", "melds", "deadwood"),
    [
        ("7H 8H 9H 5D JK", "5", "low", [("run", "7H 8H 9H 5D JK")], ""),
        ("JS QS KS 9S 5H", "5", "low", [("run", "9S 5H JS QS KS")], ""),
        ("QH KH JK JK", "5", "low", [("run", "JK JK QH KH")], ""),
        ("QH KH JK JK", "5", "high", [("run", "JK QH KH JK")], ""),
        ("3S 3H 3D", "3", "low", [("set", "3D 3H 3S")], ""),
        ("3H 9S KD", "3", "low", [], "3H 9S KD"),
        ("9S JK JK", "3", "low", [("set", "9S JK JK")], ""),
        ("9S 9H JK JK 4C", "3", "low", [("set", "9H 9S JK JK")], "4C"),
        ("JK JK", "3", "low", [], "JK JK"),
        ("2C", "3", "low", [], "2C"),
    ],
)
def test_wilds_take_their_places_in_melds(
    cards: str, wild: str, aces: str, melds: list[tuple[str, str]], deadwood: str
) -> None:
    arranged = arrange(hand(cards), rank(wild), AceMode(aces))
    melds_found = [(each.kind.value, " ".join(codes(each.cards))) for each in arranged.melds]
    assert melds_found == melds
    assert arranged.deadwood == hand(deadwood)


def test_thirteen_wilds_and_a_natural_meld_completely() -> None:
    twelve = "KC KC KD KD KH KH KS KS JK JK JK JK"
    for more in ("2S", "2S 9D", "QS 2S"):
        assert arrange(hand(f"{twelve} {more}"), rank("K"), AceMode.LOW).deadwood == ()


def test_unmelded_points_are_those_of_the_rules() -> None:
    for cards, wild, aces in random_hands(200, range(3, 15)):
        arranged = arrange(cards, wild, aces)
        assert arranged.points == sum(points(each, wild, aces) for each in arranged.deadwood)
