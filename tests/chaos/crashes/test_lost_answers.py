"""Lost answers, a few of them."""

import re

from tests.chaos.crashes import lost_answers


def test_lost_answers_double_no_move_and_refuse_none() -> None:
    outcome = lost_answers.run(cuts=20, droughts=1, clients=3)
    assert outcome.violations == []
    lost, in_droughts, _, moves, keyless, _ = map(int, re.findall(r"\d+", outcome.summary))
    assert lost >= 20
    assert in_droughts > 0
    assert moves > 20
    assert keyless > 0
