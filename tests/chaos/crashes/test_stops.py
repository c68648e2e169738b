"""Stops of every process at once, a few of them; `WHOLE=1` for 20."""

import re

import pytest

from tests.chaos.crashes import stops
from tests.scale import scaled

pytestmark = pytest.mark.trial


def test_a_stop_of_every_process_at_once_loses_no_move_and_makes_no_503() -> None:
    outcome = stops.run(stops=scaled(20))
    assert outcome.violations == []
    counted, moves, *_ = map(int, re.findall(r"\d+", outcome.summary))
    assert counted == scaled(20)
    assert moves > 20
