"""Snapshots of games that do not play all rounds: what they store, and what is refused."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from engine.errors import SnapshotError
from engine.game import Game
from engine.round import Drawing
from engine.snapshot import dump, load
from tests.builders import humans, rules, secret
from tests.engine.snapshot.snapshots import STORED_3, changed, written
from tests.playout import Playout

NUMBER = "a number of the stored game"
LIST = "a list of the stored game"
MEMBER = "lacks a member, or has one too many"
TABLE = "the stored game is damaged: InvalidTableError"
STRETCH = (3, 6)


def short_games(stretch: tuple[int, int] = STRETCH) -> list[Game]:
    """Every state of a game that plays these rounds."""
    playout = Playout(secret(7), rules(2, rounds=stretch), humans(3), random.Random(7), 1.0)
    return list(playout.states())


GAMES = short_games()
PLAYING = next(each for each in GAMES if each.number == 5 and isinstance(each.round, Drawing))
OVER = GAMES[-1]


@pytest.mark.parametrize("stretch", [(1, 1), (11, 11), (1, 10), (2, 11), STRETCH])
def test_a_short_game_comes_back_equal_in_every_phase(stretch: tuple[int, int]) -> None:
    for state in short_games(stretch):
        assert load(dump(state)) == state
        assert json.loads(dump(state))["rules"]["rounds"] == list(stretch)


def test_a_game_of_all_rounds_is_stored_without_them() -> None:
    state = short_games((1, 11))[0]
    assert b"rounds" not in dump(state)
    assert all("rounds" not in blob for blob in STORED_3.values())
    assert all(load(blob.encode()).rules.rounds == state.rules.rounds for blob in STORED_3.values())


def damaged(game: Game, changes: dict[str, object]) -> bytes:
    """A stored game with other values at some places, such as `rules/rounds`."""
    value: Any = json.loads(dump(game))
    for path, new in changes.items():
        *steps, last = path.split("/")
        place = value
        for step in steps:
            place = place[step]
        place[last] = new
    return written(value)


@pytest.mark.parametrize(
    ("rounds", "fault"),
    [
        (None, LIST),
        ({}, LIST),
        ({"first": 3, "last": 6}, LIST),
        ("36", LIST),
        ([], LIST),
        ([3], LIST),
        ([3, 6, 6], LIST),
        ([3, "6"], NUMBER),
        ([3.0, 6], NUMBER),
        ([True, 6], NUMBER),
        ([-3, 6], NUMBER),
        ([0, 6], TABLE),
        ([3, 12], TABLE),
        ([6, 3], TABLE),
        ([1, 11], "although it plays all"),
        ([6, 8], "one of those that the game plays"),
        ([2, 4], "one of those that the game plays"),
        ([4, 6], "the deal passes on"),
        ([2, 6], "the deal passes on"),
    ],
)
def test_rounds_that_do_not_fit_the_game_are_refused(rounds: object, fault: str) -> None:
    with pytest.raises(SnapshotError, match=fault):
        load(damaged(PLAYING, {"rules/rounds": rounds}))


@pytest.mark.parametrize(
    ("game", "changes", "fault"),
    [
        (PLAYING, {"round/number": 7}, "hand sizes"),
        (PLAYING, {"scored": PLAYING.scored[:1]}, "as many rounds are scored"),
        (PLAYING, {"scored": [*PLAYING.scored, PLAYING.seq - 1]}, "as many rounds are scored"),
        (PLAYING, {"scored": [2, 10, *PLAYING.scored]}, "as many rounds are scored"),
        (OVER, {"rules/rounds": [3, 7]}, "after every round but the last"),
        (OVER, {"rules/rounds": [3, 5]}, "one of those that the game plays"),
        (OVER, {"scored": OVER.scored[:-1]}, "as many rounds are scored"),
    ],
    ids=str,
)
def test_a_short_game_that_does_not_fit_its_rounds_is_refused(
    game: Game, changes: dict[str, object], fault: str
) -> None:
    with pytest.raises(SnapshotError, match=fault):
        load(damaged(game, changes))


def test_totals_are_bounded_by_the_rounds_that_were_played() -> None:
    # Rounds 3 and 4 are over: 5 + 6 cards, of which two a round may be jokers.
    most = 15 * 11 + 5 * 4
    assert load(damaged(PLAYING, {"totals": [most, 0, 0]})).totals[0] == most
    with pytest.raises(SnapshotError, match="the points of the rounds that are over"):
        load(damaged(PLAYING, {"totals": [most + 1, 0, 0]}))


def test_a_game_that_is_over_after_its_only_round_is_checked_like_any_other() -> None:
    over = short_games((5, 5))[-1]
    assert load(dump(over)) == over
    for seq in (over.seq - 1, over.seq + 1):
        with pytest.raises(SnapshotError, match="the end of the game is its last event"):
            load(damaged(over, {"seq": seq}))
    with pytest.raises(SnapshotError, match="each move has its events"):
        load(damaged(over, {"seq": over.seq + 40, "scored": [over.seq + 39]}))


def test_the_first_format_that_is_read_has_no_rounds() -> None:
    name = next(iter(STORED_3))
    with pytest.raises(SnapshotError, match=MEMBER):
        load(written(changed(name, {"rules/rounds": [1, 4]})))
    value = json.loads(STORED_3[name])
    value["rules"]["rounds"] = [1, 4]
    assert load(written(value)).rules.rounds == rules(rounds=(1, 4)).rounds
