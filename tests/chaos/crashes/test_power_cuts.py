"""Power cuts, a few of them."""

import re

import pytest

from tests.chaos.crashes import power_cuts

pytestmark = pytest.mark.trial


def test_power_cuts_lose_no_acknowledged_move() -> None:
    outcome = power_cuts.run(cuts=2, to_the_end=False)
    assert outcome.violations == []
    cuts, torn, moves, *_ = map(int, re.findall(r"\d+", outcome.summary))
    assert cuts == 2
    assert torn > 0
    assert moves > 20


def test_what_everysec_loses_can_be_counted() -> None:
    outcome = power_cuts.losses(cuts=1, seconds=2)
    assert outcome.violations == []
    cuts, _, _, most = map(int, re.findall(r"\d+", outcome.summary))
    assert cuts == 1
    assert most > 0
