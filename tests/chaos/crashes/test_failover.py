"""A master of the storage killed once during play, by sentinels' and by a cluster's rules."""

from __future__ import annotations

from tests.chaos.crashes.failover import run
from tests.nodes import cluster_group, sentinel_group


def test_a_master_that_sentinels_replace_costs_no_acknowledged_move() -> None:
    outcome = run(sentinel_group, ["kills"])
    assert outcome.violations == []
    assert outcome.summary.startswith("1 kills, 0 freezes, 0 failovers; ")


def test_a_master_of_a_cluster_that_is_lost_costs_no_acknowledged_move() -> None:
    outcome = run(cluster_group, ["failovers", "kills"])
    assert outcome.violations == []
    assert outcome.summary.startswith("1 kills, 0 freezes, 1 failovers; ")
