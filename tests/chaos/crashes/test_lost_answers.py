"""The trial of lost answers, small."""

import re

import pytest

from tests.chaos.crashes import lost_answers

pytestmark = pytest.mark.trial


def test_lost_answers_make_no_move_twice_and_no_legal_move_is_refused() -> None:
    outcome = lost_answers.run(cuts=20, outages=1, clients=3)
    assert outcome.violations == []
    lost, in_outages, _, moves, keyless, _ = map(int, re.findall(r"\d+", outcome.summary))
    assert lost >= 20
    assert in_outages > 0
    assert moves > 20
    assert keyless > 0
