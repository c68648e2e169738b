"""The shuffle vectors: the engine made them, and the verifier, which shares no code, agrees."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.verify import dealing
from tests.docs import shuffle_vectors

VECTORS: list[dict[str, Any]] = json.loads(shuffle_vectors.FILE.read_text())["vectors"]


def test_the_vectors_are_what_the_engine_gives() -> None:
    assert shuffle_vectors.FILE.read_text() == shuffle_vectors.written()


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["secret"][:4]))
def test_the_verifier_gives_the_same(vector: dict[str, Any]) -> None:
    secret = bytes.fromhex(vector["secret"])
    assert dealing.commitment(secret) == vector["commitment"]
    stream = dealing.words(secret, vector["uniform"]["label"])
    for number in vector["uniform"]["numbers"]:
        assert dealing.uniform(stream, vector["uniform"]["n"]) == number
    for seats, dealer in vector["first_dealer"].items():
        assert dealing.first_dealer(secret, int(seats)) == dealer
    for deal in vector["deals"]:
        options = (deal["round"], deal["seats"], deal["dealer"], deal["jokers"])
        hands, upcard, stock = dealing.deal(secret, *options)
        assert list(map(" ".join, hands)) == deal["hands"]
        assert (upcard, " ".join(stock)) == (deal["upcard"], deal["stock"])
    for refill in vector["refills"]:
        pile = refill["pile"].split()
        stock = dealing.refilled(secret, refill["round"], refill["refill"], pile)
        assert " ".join(stock) == refill["stock"]


def test_the_vectors_reject_words() -> None:
    for vector in VECTORS:
        limit = vector["uniform"]["n"]
        stream = dealing.words(bytes.fromhex(vector["secret"]), vector["uniform"]["label"])
        first = [next(stream) for _ in vector["uniform"]["numbers"]]
        assert any(word >= limit for word in first)
