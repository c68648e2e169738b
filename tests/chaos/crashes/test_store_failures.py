"""Every condition of a storage, once."""

from __future__ import annotations

import pytest

from tests.chaos.crashes.store_failures import HARMS, Harm, bench, breaches_of, damaged_games


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.name)
def test_a_storage_that_fails_is_told_in_words_and_changes_nothing(harm: Harm) -> None:
    with bench() as place:
        assert breaches_of(harm, place) == []


def test_a_damaged_game_is_told_as_one_and_logged_once() -> None:
    outcome = damaged_games(rounds=1)
    assert outcome.violations == []
    assert outcome.summary.startswith("6 kinds")
