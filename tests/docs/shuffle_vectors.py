"""The shuffle vectors in `docs/shuffle_vectors.json`, made by the engine.

They are for whoever writes the shuffle in another language: `docs/fairness.md` says what is in
them. `python -m tests.docs.shuffle_vectors --write` makes the file anew, which no change should
need: games that are under way depend on every shuffle.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from engine import shuffle
from engine.rules import JOKER_CHOICES, MAX_SEATS, MIN_SEATS, ROUNDS
from engine.shuffle import SECRET_BYTES, Stream
from tests.builders import write_cards

FILE = Path(__file__).parents[2] / "docs" / "shuffle_vectors.json"
SECRETS = (
    bytes(SECRET_BYTES),
    bytes([255]) * SECRET_BYTES,
    hashlib.sha256(b"shuffle vector").digest(),
)
REJECTING = 3_000_000_000
"""A bound so large that three words in ten are rejected."""


def vectors() -> list[dict[str, Any]]:
    """One for each secret."""
    return [_vector(number, secret) for number, secret in enumerate(SECRETS)]


def _vector(number: int, secret: bytes) -> dict[str, Any]:
    tables = range(MIN_SEATS, MAX_SEATS + 1)
    stream = Stream(secret, "ai/1/0/1")
    deals = [
        _deal(secret, round_number, seats=2 + (number + place) % 5, jokers=jokers)
        for place, jokers in enumerate(JOKER_CHOICES)
        for round_number in (1, ROUNDS)
    ]
    return {
        "secret": secret.hex(),
        "commitment": shuffle.commitment(secret),
        "uniform": {
            "label": "ai/1/0/1",
            "n": REJECTING,
            "numbers": [stream.uniform(REJECTING) for _ in range(12)],
        },
        "first_dealer": {str(seats): shuffle.first_dealer(secret, seats) for seats in tables},
        "deals": deals,
        "refills": [_refill(secret, ROUNDS - number, count) for count in (1, 2)],
    }


def _deal(secret: bytes, round_number: int, *, seats: int, jokers: int) -> dict[str, Any]:
    dealer = (seats + round_number) % seats
    hands, upcard, stock = shuffle.deal(secret, round_number, seats, dealer, jokers)
    return {
        "round": round_number,
        "seats": seats,
        "dealer": dealer,
        "jokers": jokers,
        "hands": list(map(write_cards, hands)),
        "upcard": str(upcard),
        "stock": write_cards(stock),
    }


def _refill(secret: bytes, round_number: int, count: int) -> dict[str, Any]:
    """A refill from what the dealing of another round has left."""
    _, _, pile = shuffle.deal(secret, round_number - 1, 4, 0, 2)
    pile = pile[: 30 + count]
    stock = shuffle.refill(secret, round_number, count, pile)
    return {
        "round": round_number,
        "refill": count,
        "pile": write_cards(pile),
        "stock": write_cards(stock),
    }


def written() -> str:
    return json.dumps({"vectors": vectors()}, indent=1) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python -m tests.docs.shuffle_vectors --write")
    FILE.write_text(written())
