"""The trial of killed workers, small."""

import re

import pytest

from tests.chaos.crashes import worker_kills

pytestmark = pytest.mark.trial


def test_killed_workers_lose_no_move_and_make_none_twice_and_every_game_is_finished() -> None:
    outcome = worker_kills.run(kills=6, moves=40, clients=1)
    assert outcome.violations == []
    kills, moves, duplicates, _, games = map(int, re.findall(r"\d+", outcome.summary))
    assert kills == 6
    assert moves >= 40
    assert duplicates > 0
    assert games == 1
