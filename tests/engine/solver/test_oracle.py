"""Hands worked out by hand, so that the oracle itself can be trusted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle import (
    best_arrangement,
    check_arrangement,
    described_meld,
    every_card_melds,
    going_out_discards,
    is_legal_meld,
    least_points,
    points_after_discard,
    sorted_hand,
)

MODES = ("low", "high", "both")


def hand(cards: str) -> list[str]:
    return cards.split()


def points(cards: str, wild: str, aces: str = "low") -> int:
    return least_points(hand(cards), wild, aces)


def legal(cards: str, wild: str, aces: str = "low") -> bool:
    return is_legal_meld(hand(cards), wild, aces)


def meld(kind: str, cards: str, stands_for: str) -> dict[str, Any]:
    return {"kind": kind, "cards": hand(cards), "stands_for": hand(stands_for)}


def test_number_cards_score_their_number_and_court_cards_ten() -> None:
    assert points("2C 9D TH JS QC KD", "3") == 2 + 9 + 10 + 10 + 10 + 10


def test_an_ace_scores_one_when_low_and_fifteen_otherwise() -> None:
    assert [points("AC 4D 9H", "3", aces) for aces in MODES] == [14, 28, 28]


def test_an_unmelded_wild_card_scores_fifteen_whatever_its_rank() -> None:
    assert points("3C 4D 9H", "3") == 28
    assert points("KC 4D 9H", "K") == 28


def test_an_unmelded_joker_scores_twenty() -> None:
    assert points("JK 4D 9H", "3") == 33


def test_three_of_a_rank_are_a_set_even_with_twins() -> None:
    assert points("7S 7S 7H", "3") == 0
    assert points("7S 7S", "3") == 14


def test_a_set_has_no_upper_size() -> None:
    assert legal("7C 7C 7D 7D 7H 7H 7S 7S", "3")


def test_three_in_sequence_are_a_run_only_in_one_suit() -> None:
    assert points("7H 8H 9H", "3") == 0
    assert points("7H 8H 9S", "3") == 24


def test_a_run_never_holds_a_rank_twice() -> None:
    assert points("7H 8H 8H 9H", "3") == 8
    assert not legal("7H 8H 8H 9H", "3")


def test_a_whole_suit_is_a_run_from_either_end() -> None:
    suit = "AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"
    assert [points(suit, "3", aces) for aces in MODES] == [0] * 3
    assert [legal(suit.replace("7H", "JK"), "3", aces) for aces in MODES] == [True] * 3


def test_no_run_holds_fourteen_cards() -> None:
    suit = "AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"
    assert not any(legal(f"{suit} JK", "3", aces) for aces in MODES)
    assert not any(legal(f"{suit} AH", "3", aces) for aces in MODES)


def test_a_low_ace_comes_before_the_two_and_a_high_ace_after_the_king() -> None:
    assert [points("AS 2S 3S", "7", aces) for aces in MODES] == [0, 20, 0]
    assert [points("QS KS AS", "7", aces) for aces in MODES] == [21, 0, 0]


def test_no_run_wraps_round_the_ace() -> None:
    assert [points("KS AS 2S", "7", aces) for aces in MODES] == [13, 27, 27]


def test_with_both_aces_twins_may_stand_at_both_ends() -> None:
    assert [points("AH 2H 3H QH KH AH", "7", aces) for aces in MODES] == [21, 20, 0]


def test_a_wild_fills_a_gap_in_a_run() -> None:
    assert points("7H 9H 5C", "5") == 0
    assert points("7H TH 5C", "5") == 32
    assert points("7H TH 5C JK", "5") == 0


def test_a_wild_extends_a_run_only_within_the_ranks() -> None:
    assert points("QH KH 5C", "5") == 0  # as the jack
    assert [legal("KH AH 5C", "5", aces) for aces in MODES] == [False, True, True]
    assert [legal("AH 2H 5C", "5", aces) for aces in MODES] == [True, False, True]
    assert [legal("AH KH 5C JK", "5", aces) for aces in MODES] == [False, True, True]


def test_a_wild_may_stand_for_its_own_card() -> None:
    assert points("7H 8H 9H", "8") == 0
    assert described_meld(["7H", "8H", "9H"], "8", "low") == meld("run", "7H 8H 9H", "7H 8H 9H")


def test_two_wilds_go_with_any_card() -> None:
    assert points("KD 3C JK", "3") == 0
    assert points("KD 3C 3C", "3") == 0


def test_wilds_alone_are_a_meld() -> None:
    assert points("3C 3C JK", "3") == 0
    assert points("JK JK", "3") == 40


def test_a_wild_goes_where_it_saves_most() -> None:
    assert points("KH KD 2C 3C 9S", "9") == 5
    assert points("KH KD 2C 3C 9S 9S", "9") == 0


def test_a_spare_wild_joins_a_meld_instead_of_being_left_over() -> None:
    assert points("KH KD 9S 9S 2C", "9") == 2


def test_a_card_is_in_one_meld_only() -> None:
    assert points("5S 6S 7S 6H 6D KC", "3") == 22
    assert points("5S 6S 6S 7S 6H 6D KC", "3") == 10


def test_the_best_arrangement_may_break_the_largest_meld() -> None:
    assert points("7C 7D 7H 7S 8S 9S", "3") == 0
    assert points("4H 5H 6H 7H 7C 7D", "3") == 0


def test_two_copies_of_one_run_are_two_melds() -> None:
    assert points("8S 8S 9S 9S TS TS", "6") == 0
    assert points("8S 8S 9S 9S TS", "6") == 17


@pytest.mark.parametrize("cards", ["", "7H", "7H 7D", "3C JK", "7H 8D 9H", "7H 7D 8H", "7H JK 8D"])
def test_these_are_no_melds(cards: str) -> None:
    assert not any(legal(cards, "3", aces) for aces in MODES)


def test_every_card_melded_differs_from_some_left_over() -> None:
    assert every_card_melds(hand("7C 7D 7H 9S 3C JK"), "3", "low")
    assert not every_card_melds(hand("7C 7D 7H AS"), "3", "low")


def test_going_out_discards_leave_only_melds() -> None:
    assert going_out_discards(hand("7C 7D 7H KS"), "3", "low") == {"KS"}
    assert going_out_discards(hand("7C 7D 7H 7S"), "3", "low") == {"7C", "7D", "7H", "7S"}
    assert going_out_discards(hand("7C 7D KH QS"), "3", "low") == set()


def test_each_discard_has_its_own_least_points() -> None:
    after = points_after_discard(hand("7C 7D 7H KS"), "3", "low")
    assert after == {"7C": 24, "7D": 24, "7H": 24, "KS": 0}


def test_a_hand_is_sorted_by_rank_then_suit_with_jokers_last() -> None:
    cards = hand("JK KC AS 7S 7H 7H TD AC")
    assert sorted_hand(cards) == hand("AC AS 7H 7H 7S TD KC JK")


def test_an_arrangement_has_the_least_points() -> None:
    melds, deadwood, left = best_arrangement(hand("7H 9H JK 4C KD"), "5", "low")
    assert melds == [meld("run", "7H JK 9H", "7H 8H 9H")]
    assert (deadwood, left) == (["4C", "KD"], 14)


@pytest.mark.parametrize(
    ("shown", "wild", "aces"),
    [
        (meld("run", "7H 8H 9H 5D JK", "7H 8H 9H TH JH"), "5", "low"),
        (meld("run", "5D JK 7H 8H 9H", "5H 6H 7H 8H 9H"), "5", "low"),
        (meld("run", "QS KS AS", "QS KS AS"), "5", "both"),
        (meld("run", "AS 2S 5D", "AS 2S 3S"), "5", "both"),
        (meld("set", "7H 7H 5D JK", "7H 7H 7D 7C"), "5", "low"),
        (meld("set", "7H 5D 5D", "7H 7D 7D"), "5", "low"),
        (meld("set", "5D 5S JK", "5D 5S 5C"), "5", "low"),
        (meld("set", "JK JK JK", "5C 5C 5C"), "5", "low"),
    ],
)
def test_a_meld_described_by_the_contract_is_accepted(
    shown: dict[str, Any], wild: str, aces: str
) -> None:
    check_arrangement(
        [*shown["cards"], "AH"], [shown], ["AH"], 1 if aces == "low" else 15, wild, aces
    )


@pytest.mark.parametrize(
    "shown",
    [
        meld("run", "8H 7H 9H", "8H 7H 9H"),  # out of order
        meld("run", "7H 8H 5D", "7H 8H TH"),  # a place left out
        meld("run", "7H 8H 5D", "7H 8H 9D"),  # a place in another suit
        meld("run", "7H 8H 5D", "7H 8H"),  # a card that stands for nothing
        meld("run", "QH KH 5D", "QH KH AH"),  # beyond the last rank
        meld("run", "7H 5D 9H", "8H 9H TH"),  # naturals moved
        meld("set", "7H 8H 5D", "7H 8H 9H"),  # a run called a set
        meld("run", "7H 5D JK", "7H 8H 9H"),  # one natural makes a set
        meld("run", "5D 5D JK", "5D 6D 7D"),  # no natural makes a set
        meld("set", "7H 7D 5S", "7H 7D 7C"),  # a wild in another suit
        meld("set", "7H 7D JK", "7H 7D 7S"),  # a joker elsewhere than in clubs
        meld("set", "5D 5S JK", "7D 7S 7C"),  # wilds standing for another rank than the round's
        meld("set", "7H 7D", "7H 7D"),  # too small
        meld("set", "7H 7D 8S", "7H 7D 8S"),  # no meld at all
        {**meld("set", "7H 7D 7S", "7H 7D 7S"), "points": 0},  # a field too many
    ],
)
def test_a_meld_described_otherwise_is_refused(shown: dict[str, Any]) -> None:
    with pytest.raises(AssertionError):
        check_arrangement(shown["cards"], [shown], [], 0, "5", "low")


@pytest.mark.parametrize(
    ("cards", "deadwood", "left"),
    [
        ("7C 7D 7H KS", "", 0),  # a card lost
        ("7C 7D 7H", "KS", 10),  # a card invented
        ("7C 7D 7H 7H", "7C", 7),  # another copy left over than the hand holds
        ("7C 7D 7H KS", "KS", 11),  # miscounted
        ("7C 7D 7H KS KS", "KS", 10),  # one of two copies lost
    ],
)
def test_an_arrangement_that_does_not_hold_exactly_the_hand_is_refused(
    cards: str, deadwood: str, left: int
) -> None:
    melds = [meld("set", "7C 7D 7H", "7C 7D 7H")]
    check_arrangement(hand("7C 7D 7H KS"), melds, ["KS"], 10, "3", "low")
    with pytest.raises(AssertionError):
        check_arrangement(hand(cards), melds, hand(deadwood), left, "3", "low")
