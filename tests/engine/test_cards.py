from __future__ import annotations

import pytest

from engine.cards import CARDS, JOKER, Card, Rank, Suit, parse_cards, without
from engine.errors import CardCodeError, RankCodeError
from tests.builders import card, hand, write_cards


def test_parse_and_str_are_inverses_for_every_card() -> None:
    assert [str(Card.parse(str(each))) for each in CARDS] == [str(each) for each in CARDS]
    assert len({str(each) for each in CARDS}) == 53


def test_a_code_names_rank_and_suit() -> None:
    assert (card("TS").rank, card("TS").suit) == (Rank.TEN, Suit.SPADES)
    assert (card("AC").rank, card("AC").suit) == (Rank.ACE, Suit.CLUBS)
    assert card("JK") == JOKER
    assert (JOKER.rank, JOKER.suit) == (None, None)
    assert Card.of(Rank.QUEEN, Suit.HEARTS) == card("QH")


@pytest.mark.parametrize(
    "code", ["", "ts", "Ts", "10S", "T S", " TS", "TS ", "1J", "JJ", "S", "JKC", "jk", None, 7, []]
)
def test_anything_but_an_exact_code_is_refused_by_name(code: object) -> None:
    with pytest.raises(CardCodeError) as caught:
        Card.parse(code)
    assert repr(code) in str(caught.value)


@pytest.mark.parametrize("code", ["", "1", "10", "a", "AA", None, 3])
def test_anything_but_an_exact_rank_is_refused(code: object) -> None:
    with pytest.raises(RankCodeError):
        Rank.parse(code)


def test_rank_codes_are_inverses() -> None:
    assert [Rank.parse(rank.code) for rank in Rank] == list(Rank)


@pytest.mark.parametrize("index", [-1, 53])
def test_there_is_no_card_beyond_the_joker(index: int) -> None:
    with pytest.raises(CardCodeError):
        Card(index)


def test_a_card_is_an_integer_that_is_always_true() -> None:
    assert [*map(int, CARDS)] == list(range(53))
    assert all(CARDS)
    assert repr(JOKER) == "<JK>"


def test_cards_sort_by_rank_then_suit_and_jokers_last() -> None:
    assert write_cards(hand("JK KC AS AC TH 2D")) == "AC AS 2D TH KC JK"


def test_a_hand_holds_twins_and_loses_one_at_a_time() -> None:
    assert without(hand("7S 7S 8S"), card("7S")) == hand("7S 8S")
    with pytest.raises(ValueError, match="not in"):
        without(hand("7S"), card("8S"))


def test_no_cards_are_an_empty_text() -> None:
    assert parse_cards("") == ()
    assert write_cards(()) == ""
