from __future__ import annotations

from typing import Any

import pytest

from engine import game as games
from engine.errors import InvalidTableError
from engine.options import GameOptions
from engine.rules import TURN_SOLVES, Rules
from engine.seats import HumanSeat
from tests.builders import ANN, ai, humans, rules, secret

AWAITED = HumanSeat("Bea", joined=False)


def test_without_options_a_game_is_the_classic_one() -> None:
    options = GameOptions((ANN, ai()))
    assert options == GameOptions((ANN, ai()), Rules(), None, TURN_SOLVES, False, None)


def test_a_new_game_has_the_options_it_was_created_with() -> None:
    options = GameOptions(
        (ANN, ai(), ai()),
        rules(2, "both"),
        turn_seconds=30,
        turn_solves=77,
        seeded=True,
        first_dealer=2,
    )
    game = games.open_game(secret(1), options).game
    assert (game.seats, game.rules) == (options.seats, options.rules)
    assert (game.turn_seconds, game.turn_solves) == (30, 77)
    assert (game.seeded, game.first_dealer, game.secret) == (True, 2, secret(1))


@pytest.mark.parametrize("seats", [0, 1, 7])
def test_a_table_has_two_to_six_seats(seats: int) -> None:
    with pytest.raises(InvalidTableError, match="2 to 6"):
        GameOptions(humans(seats))


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"seats": (ANN, ANN), "seeded": True}, "one human"),
        ({"seats": (ANN, ai(), AWAITED), "seeded": True}, "one human"),
        ({"first_dealer": 2}, "first dealer"),
        ({"first_dealer": -1}, "first dealer"),
        ({"turn_seconds": 9}, "10 to 86400 seconds"),
        ({"turn_seconds": 86_401}, "10 to 86400 seconds"),
        ({"turn_solves": -1}, "hands to solve"),
        ({"turn_solves": 1_000_001}, "hands to solve"),
    ],
)
def test_options_that_no_game_can_have_are_refused(options: dict[str, Any], fault: str) -> None:
    with pytest.raises(InvalidTableError, match=fault):
        GameOptions(**{"seats": (ANN, ai()), **options})


@pytest.mark.parametrize(
    "options",
    [
        {"first_dealer": 0},
        {"first_dealer": 1},
        {"turn_seconds": 10},
        {"turn_seconds": 86_400},
        {"turn_solves": 0},
        {"turn_solves": 1_000_000},
    ],
)
def test_options_at_the_end_of_their_range_are_taken(options: dict[str, Any]) -> None:
    assert GameOptions((ANN, ai()), **options)
