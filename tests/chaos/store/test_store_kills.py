"""Embedded servers killed in a row, a few of them; `WHOLE=1` for 20."""

import re

import pytest

from tests.chaos.store import store_kills
from tests.scale import scaled

pytestmark = pytest.mark.trial


def test_the_deaths_of_the_storage_lose_no_acknowledged_move() -> None:
    kills = scaled(20) + 1
    outcome = store_kills.run(kills=kills)
    assert outcome.violations == []
    counted, moves, *_ = map(int, re.findall(r"\d+", outcome.summary))
    assert counted == kills
    assert moves >= 20
