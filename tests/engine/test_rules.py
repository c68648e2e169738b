from __future__ import annotations

import pytest

from engine.errors import InvalidTableError
from engine.rules import AceMode, Rounds, Rules, hand_size, points, wild_rank
from tests.builders import card, rank


def test_eleven_rounds_go_from_three_cards_to_thirteen_with_the_same_rank_wild() -> None:
    assert [hand_size(number) for number in range(1, 12)] == list(range(3, 14))
    assert "".join(wild_rank(number).code for number in range(1, 12)) == "3456789TJQK"


@pytest.mark.parametrize(
    ("code", "aces", "cost"),
    [
        ("2C", "low", 2),
        ("9H", "low", 9),
        ("TS", "low", 10),
        ("JD", "low", 10),
        ("QD", "low", 10),
        ("KD", "low", 10),
        ("AC", "low", 1),
        ("AC", "high", 15),
        ("AC", "both", 15),
        ("5S", "low", 15),
        ("JK", "low", 20),
    ],
)
def test_every_unmelded_card_has_its_points(code: str, aces: str, cost: int) -> None:
    assert points(card(code), rank("5"), AceMode(aces)) == cost


def test_only_zero_two_or_four_jokers_are_played_with() -> None:
    assert [Rules(jokers).jokers for jokers in (0, 2, 4)] == [0, 2, 4]
    with pytest.raises(InvalidTableError, match="jokers"):
        Rules(3)


def test_a_game_plays_all_rounds_or_any_stretch_of_them() -> None:
    assert Rules().rounds == Rounds() == Rounds(1, 11)
    assert [Rounds(first, last).last for first, last in ((1, 1), (11, 11), (3, 7))] == [1, 11, 7]


@pytest.mark.parametrize(("first", "last"), [(0, 11), (1, 12), (5, 4), (12, 12), (-1, -1), (1, 0)])
def test_what_is_no_stretch_of_the_rounds_is_refused(first: int, last: int) -> None:
    with pytest.raises(InvalidTableError, match="rounds 1 to 11"):
        Rounds(first, last)
