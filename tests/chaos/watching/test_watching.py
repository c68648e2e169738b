"""The trials of watched games, small; and that the judgement of viewers detects faults."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.chaos.watching import watched_games, watched_stops
from tests.chaos.watching.judgement import lags, violations
from tests.chaos.watching.viewers import Seen
from tests.chaos.watching.watched_failovers import Readings, run
from tests.nodes import cluster_group, sentinel_group
from tests.scale import scaled


@pytest.mark.trial
def test_who_watches_sees_everything_once_whatever_is_cut_or_killed() -> None:
    outcome = watched_games.run(cuts=scaled(50), kills=scaled(10))
    assert outcome.violations == []
    assert re.match(rf"{scaled(10)} kills, {scaled(50)} connections cut, [1-9]", outcome.summary)


@pytest.mark.trial
def test_streams_and_waiting_calls_end_cleanly_at_a_stop_and_go_on_after_it() -> None:
    outcome = watched_stops.run(stops=scaled(20))
    assert outcome.violations == []
    assert int(re.findall(r"(\d+) streams ended and resumed", outcome.summary)[0]) >= 4


@pytest.mark.trial
def test_a_sentinel_master_that_is_killed_costs_who_watches_nothing() -> None:
    assert run(sentinel_group, ["kills"]).violations == []


@pytest.mark.trial
def test_a_cluster_master_that_is_frozen_costs_who_watches_nothing() -> None:
    assert run(cluster_group, ["freezes"]).violations == []


def event(seq: int, kind: str = "card_drawn", **fields: Any) -> dict[str, Any]:
    at = f"2026-01-01T00:00:{seq:02}.000Z"
    own = {"seat": 1, "source": "stock", "card": "8H"} if kind == "card_drawn" else {}
    return {"seq": seq, "at": at, "type": kind, **own, **fields}


HIDDEN = event(2, card=None)
LOG = [event(1, source="discard"), event(2), event(3, "card_discarded", seat=1, card="9H")]
SEEN = [LOG[0], HIDDEN, LOG[2]]


@dataclass
class Watched:
    """A viewer that has seen something."""

    events: list[dict[str, Any]]
    seat: int | None = None
    is_refused: bool = False
    first: int = 1
    began: float = 0.0
    name: str = "somebody"
    violations: list[str] = field(default_factory=list)

    @property
    def seen(self) -> list[Seen]:
        return [Seen(each, float(number)) for number, each in enumerate(self.events)]


def found(viewer: Watched, log: list[dict[str, Any]] = LOG) -> list[str]:
    return list(violations(viewer, log))  # type: ignore[arg-type]


def test_each_viewer_is_to_see_its_own_draws_only() -> None:
    assert found(Watched(SEEN)) == []
    assert found(Watched(SEEN, seat=0)) == []
    assert found(Watched(LOG, seat=1)) == []
    assert found(Watched(SEEN[1:], first=2)) == []


@pytest.mark.parametrize(
    "events",
    [LOG, SEEN[:2], SEEN[1:], [*SEEN, SEEN[2]], [SEEN[0], *SEEN], [SEEN[1], SEEN[0], SEEN[2]]],
)
def test_a_card_shown_and_an_event_lost_repeated_or_moved_are_violations(
    events: list[dict[str, Any]],
) -> None:
    assert len(found(Watched(events))) == 1
    assert found(Watched(SEEN, violations=["seen at once"])) == ["somebody: seen at once"]


def test_who_has_left_sees_no_more_and_is_refused() -> None:
    log = [*LOG, event(4, "seat_left", seat=0), event(5, "card_discarded", seat=1, card="9H")]
    for count in (2, 3):
        assert found(Watched(SEEN[:count], seat=0, is_refused=True), log) == []
    assert found(Watched(SEEN, seat=0), log), "it was not refused"
    assert found(Watched([*SEEN, log[3]], seat=0, is_refused=True), log), "it saw what came after"
    assert found(Watched(SEEN, seat=0, is_refused=True)), "it has not left"


def test_the_time_counts_from_the_event_or_from_when_it_could_be_read() -> None:
    late = Watched([{**event(1), "at": "1970-01-01T00:00:01Z"}, *[LOG[1]] * 9])
    late.events[9] = {**event(9), "at": "1970-01-01T00:00:02Z"}
    assert list(lags(late))[0::9] == [-1.0, 7.0]  # type: ignore[arg-type]
    readings = Readings("game", {9: 4.0})
    assert readings.since(late.seen[9]) == 4.0
    readings.failures = [6.5, 9.5]
    assert readings.since(late.seen[9]) == 6.5
