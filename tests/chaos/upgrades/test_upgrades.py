import re

import pytest

from tests.chaos.trial import Outcome
from tests.chaos.upgrades import first_release, restarts, rolling_upgrades

pytestmark = pytest.mark.trial
TIMES = 1


def numbers(outcome: Outcome) -> list[int]:
    assert outcome.violations == []
    return list(map(int, re.findall(r"\d+", outcome.summary)))


def test_a_rolling_restart_fails_no_move() -> None:
    restarted, moves, *_ = numbers(restarts.run_reloads(TIMES))
    assert restarted == TIMES
    assert moves > TIMES


@pytest.mark.parametrize("which", [restarts.one, restarts.every])
def test_a_stop_of_one_instance_or_of_all_fails_no_move(which: restarts.Choice) -> None:
    stopped, moves, *_ = numbers(restarts.run_stops(which, TIMES))
    assert stopped == TIMES
    assert moves > TIMES


def test_a_rolling_upgrade_and_the_way_back_fail_no_move() -> None:
    outcome = rolling_upgrades.run(TIMES)
    upgraded, moves, *_ = numbers(outcome)
    assert upgraded == TIMES
    assert moves > TIMES
    seen = re.search(r"in format 3: (\d+), 4: (\d+)", outcome.summary)
    assert seen is not None
    assert all(map(int, seen.groups()))


def test_what_the_first_release_stored_is_played_on_and_its_keys_are_known() -> None:
    games, keys, moves = numbers(first_release.run(most_moves=8))
    assert games == len(first_release.kept_games())
    assert keys > 200
    assert moves == 6 * 8, "of eight games one is finished and one abandoned"
