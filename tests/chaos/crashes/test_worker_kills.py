"""Workers' deaths, a few of them."""

import re

from tests.chaos.crashes import worker_kills


def test_the_deaths_of_workers_lose_and_double_no_move_and_every_game_ends() -> None:
    outcome = worker_kills.run(deaths=6, moves=40, clients=1)
    assert outcome.violations == []
    kills, moves, twice, _, games = map(int, re.findall(r"\d+", outcome.summary))
    assert kills == 6
    assert moves >= 40
    assert twice > 0
    assert games == 1
