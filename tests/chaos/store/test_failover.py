"""The trials of failover, small: one fault in a Sentinel group, two in a cluster."""

from __future__ import annotations

import pytest

from tests.chaos.store.failover import run
from tests.nodes import cluster_group, sentinel_group

pytestmark = pytest.mark.trial


def test_a_sentinel_master_that_is_killed_loses_no_acknowledged_move() -> None:
    outcome = run(sentinel_group, ["kills"])
    assert outcome.violations == []
    assert outcome.summary.startswith("1 kills, 0 freezes, 0 failovers; ")


def test_a_cluster_master_that_is_replaced_and_killed_loses_no_acknowledged_move() -> None:
    outcome = run(cluster_group, ["failovers", "kills"])
    assert outcome.violations == []
    assert outcome.summary.startswith("1 kills, 0 freezes, 1 failovers; ")
