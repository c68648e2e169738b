"""A full disk, for a short time; `WHOLE=1` for a minute."""

import re

import pytest

from tests.chaos.crashes import full_disk
from tests.scale import scaled

pytestmark = pytest.mark.trial


def test_a_full_disk_loses_no_acknowledged_move_and_room_is_all_that_it_takes() -> None:
    outcome = full_disk.run(seconds=scaled(60))
    assert outcome.violations == []
    moves, starts = map(int, re.findall(r"(\d+) (?:moves acknowledged|starts)", outcome.summary))
    assert moves >= 40
    assert starts > 1


def test_a_full_file_system_does_not_either() -> None:
    outcome = full_disk.on_a_small_disk(seconds=scaled(30))
    assert outcome.violations == []
    assert "writes 503" in outcome.summary or "nothing can be mounted" in outcome.summary
