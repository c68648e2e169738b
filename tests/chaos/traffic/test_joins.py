"""The trial of parallel joins, small; and that it detects a seat that is given twice."""

from __future__ import annotations

import re
from dataclasses import replace
from unittest import mock

from engine import membership
from engine.game import Game, Step
from tests.chaos.traffic.joins import joins
from tests.scale import scaled


def test_however_many_callers_join_at_once_each_seat_is_given_once() -> None:
    trials = scaled(40)
    outcome = joins(trials, callers=50)
    assert list(outcome.violations) == []
    statuses = {
        int(status): int(count) for count, status in re.findall(r"(\d+) \w+ (\d+)", outcome.summary)
    }
    assert statuses[201] >= 3 * trials
    assert statuses[409] > statuses[201]


def test_a_seat_that_is_given_twice_is_a_violation() -> None:
    def join(game: Game, seat: int, name: str) -> Step:
        """A join that regards every seat as free."""
        free = replace(game.seats[seat], joined=False)
        seats = (*game.seats[:seat], free, *game.seats[seat + 1 :])
        return joining(replace(game, seats=seats), seat, name)

    joining = membership.join
    with mock.patch.object(membership, "join", join):
        violations = joins(1, callers=20).violations
    assert any("was given to" in violation for violation in violations)
