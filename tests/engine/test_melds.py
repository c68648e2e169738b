from __future__ import annotations

import pytest

from engine.errors import IllegalMeldError
from tests.builders import meld, write_cards


@pytest.mark.parametrize(
    ("codes", "wild", "aces", "kind", "stands_for"),
    [
        ("7H 7S 7D", "K", "low", "set", "7H 7S 7D"),
        ("7S 7S 7H 7H 7D", "5", "low", "set", "7S 7S 7H 7H 7D"),
        ("7H 7S JK", "K", "low", "set", "7H 7S 7C"),
        ("7H 7S KD", "K", "low", "set", "7H 7S 7D"),
        ("9C KD JK", "K", "low", "set", "9C 9D 9C"),
        ("KD KD KD", "K", "low", "set", "KD KD KD"),
        ("JK JK JK", "5", "low", "set", "5C 5C 5C"),
        ("KH JK KS", "K", "low", "set", "KH KC KS"),
        ("7H 8H 9H", "K", "low", "run", "7H 8H 9H"),
        ("7H 8H 9H 5D JK", "5", "low", "run", "7H 8H 9H TH JH"),
        ("KD 8H 9H", "K", "low", "run", "7H 8H 9H"),
        ("7H KD KD JK JH", "K", "low", "run", "7H 8H 9H TH JH"),
        ("AS 2S 3S", "K", "low", "run", "AS 2S 3S"),
        ("AS 2S 3S", "K", "both", "run", "AS 2S 3S"),
        ("QS KS AS", "5", "high", "run", "QS KS AS"),
        ("QS KS AS", "5", "both", "run", "QS KS AS"),
        ("JK KS AS", "5", "both", "run", "QS KS AS"),
        ("QS KS JK", "5", "high", "run", "QS KS AS"),
        ("4H 5H 6H", "5", "low", "run", "4H 5H 6H"),
    ],
)
def test_a_meld_finds_its_kind_and_what_each_card_stands_for(
    codes: str, wild: str, aces: str, kind: str, stands_for: str
) -> None:
    made = meld(codes, wild, aces)
    assert (made.kind.value, write_cards(made.stands_for)) == (kind, stands_for)


@pytest.mark.parametrize(
    ("codes", "wild", "aces"),
    [
        ("", "K", "low"),
        ("7H 7S", "K", "low"),
        ("JK JK", "K", "low"),
        ("7H 8H", "K", "low"),
        ("7H 8H 9S", "K", "low"),
        ("7H 7H 8H", "K", "low"),
        ("7H 9H 8H", "K", "low"),
        ("7H 8H TH", "K", "low"),
        ("7H JK 8H", "K", "low"),
        ("QS KS AS", "5", "low"),
        ("AS 2S 3S", "5", "high"),
        ("KS AS 2S", "5", "both"),
        ("JK AS 2S", "5", "low"),
        ("QS KS JK", "5", "low"),
        ("7H 8S JK", "K", "low"),
        ("7H 7S 8S JK", "K", "low"),
        ("KD 5H 6H", "5", "low"),
    ],
)
def test_cards_that_are_neither_set_nor_run_are_refused(codes: str, wild: str, aces: str) -> None:
    with pytest.raises(IllegalMeldError) as caught:
        meld(codes, wild, aces)
    assert codes in str(caught.value)


def test_a_run_has_at_most_thirteen_places_in_every_ace_mode() -> None:
    thirteen = "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS"
    assert len(meld(thirteen, "5", "both").cards) == 13
    with pytest.raises(IllegalMeldError):
        meld(f"{thirteen} AS", "5", "both")
    with pytest.raises(IllegalMeldError):
        meld(f"{thirteen} JK", "5", "low")
