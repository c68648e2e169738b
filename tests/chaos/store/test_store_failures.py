"""Every fault of a storage once, and the page that documents them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from service.store.connections import failures
from service.store.connections.failures import Failure
from tests.chaos.store.store_failures import FAULTS, Fault, damaged_games, deployed, violations_of

_SECTION = (
    (Path(__file__).parents[3] / "docs" / "operations.md")
    .read_text()
    .partition("## When the storage fails\n")[2]
    .partition("\n## ")[0]
)
_ROW = re.compile(
    r"^\| (the storage.+|every connection.+) \| .+ \| (yes|no) \| ([^|]+) \| (\d+) \|$",
    re.MULTILINE,
)
_READS = {"yes": True, "as far as the rights go": True, "yes, but not with `acknowledged`": True}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_storage_with_a_fault_is_reported_in_words_and_nothing_is_changed(fault: Fault) -> None:
    with deployed() as deployment:
        assert violations_of(fault, deployment) == []


def test_the_page_and_the_tested_faults_are_the_same() -> None:
    documented = {
        (detail, retried == "yes", _READS.get(reads, False), int(seconds))
        for detail, retried, reads, seconds in _ROW.findall(_SECTION)
    }
    tested = {
        (each.detail, each.is_transient, fault.reads_go_on, each.retry_after)
        for fault in FAULTS
        for each in [fault.failure]
    }
    assert documented == tested


def test_the_page_has_the_words_of_every_failure() -> None:
    table = [each for each in vars(failures).values() if isinstance(each, Failure)]
    assert [each.detail for each in table if f"| {each.detail} |" not in _SECTION] == []


def test_a_damaged_game_is_reported_as_one_and_logged_once() -> None:
    outcome = damaged_games(rounds=1)
    assert outcome.violations == []
    assert outcome.summary.startswith("12 kinds")
