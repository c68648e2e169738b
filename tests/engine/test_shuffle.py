"""Fair dealing against a dealer written by hand from the rules."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

from engine import shuffle
from engine.cards import parse_cards
from tests import dealer
from tests.builders import secret, write_cards


def test_a_hand_written_dealer_gives_the_same_cards() -> None:
    for number in range(60):
        key = hashlib.sha256(bytes([number])).digest()
        seats, jokers = 2 + number % 5, (0, 2, 4)[number % 3]
        assert shuffle.first_dealer(key, seats) == dealer.first_dealer(key, seats)
        round_number, dealing = 1 + number % 11, number % seats
        hands, upcard, stock = shuffle.deal(key, round_number, seats, dealing, jokers)
        told = dealer.deal(key, round_number, seats, dealing, jokers)
        assert ([list(map(str, each)) for each in hands], str(upcard)) == told[:2]
        assert list(map(str, stock)) == told[2]


def test_a_hand_written_dealer_refills_the_same_stock() -> None:
    pile = "7H 7S 2C KD JK 9S 9S AH"
    for count in range(1, 5):
        ours = shuffle.refill(secret(count), 7, count, parse_cards(pile))
        assert list(map(str, ours)) == dealer.refill(secret(count), 7, count, pile.split())


def test_a_known_secret_deals_known_cards() -> None:
    hands, upcard, stock = shuffle.deal(bytes(32), 1, 4, shuffle.first_dealer(bytes(32), 4), 0)
    # Worked out by hand from the rules page, not by this engine.
    assert (write_cards(hands[0]), str(upcard), len(stock)) == ("KC AD 3D", "4C", 91)


def test_the_pack_has_every_card_twice_and_the_jokers() -> None:
    counted = Counter(map(str, shuffle.pack(4)))
    assert counted.pop("JK") == 4
    assert len(counted) == 52
    assert set(counted.values()) == {2}


def test_uniform_numbers_are_evenly_spread() -> None:
    stream = shuffle.Stream(secret(1), "ai/1/0/1")
    counted = Counter(stream.uniform(6) for _ in range(6000))
    assert set(counted) == set(range(6))
    assert min(counted.values()) > 850


def test_streams_of_other_labels_and_secrets_differ() -> None:
    def first(key: bytes, label: str) -> list[int]:
        stream = shuffle.Stream(key, label)
        return [stream.uniform(2**32) for _ in range(9)]

    assert first(secret(1), "deal/1") == first(secret(1), "deal/1")
    assert first(secret(1), "deal/1") != first(secret(1), "deal/2")
    assert first(secret(1), "deal/1") != first(secret(2), "deal/1")


def test_the_commitment_is_the_hash_of_the_secret() -> None:
    assert shuffle.commitment(secret(5)) == hashlib.sha256(secret(5)).hexdigest()


@pytest.mark.parametrize("seats", range(2, 7))
def test_everybody_may_deal_first(seats: int) -> None:
    dealers = {shuffle.first_dealer(secret(number), seats) for number in range(100)}
    assert dealers == set(range(seats))


def test_the_largest_table_leaves_twenty_five_cards_outside_the_hands() -> None:
    hands, _, stock = shuffle.deal(secret(1), 11, 6, 0, 0)
    assert len(stock) + 1 == 104 - 6 * 13 == 26
    assert [len(hand) for hand in hands] == [13] * 6
