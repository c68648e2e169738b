"""A flood of creations, for a short time; how quickly the others play is measured in full alone."""

from __future__ import annotations

import math
import re

import pytest

from tests.chaos.traffic import flood
from tests.scale import scaled

pytestmark = pytest.mark.trial


def test_a_flood_is_refused_and_no_move_of_the_others_fails() -> None:
    outcome = flood.with_limits(
        phases=1,
        seconds=scaled(20),
        players=2,
        rounds=scaled(11),
        creations=5,
        most_ratio=math.inf,
    )
    assert outcome.violations == []
    moves, refused = map(int, re.findall(r"(\d+) (?:moves|429)", outcome.summary))
    assert moves > 20
    assert refused > 0


def test_without_limits_the_store_stays_below_its_cap_and_games_end() -> None:
    outcome = flood.without_limits(seconds=scaled(20), players=2, rounds=scaled(11))
    assert outcome.violations == []
