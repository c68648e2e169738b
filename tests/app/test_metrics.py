"""The metrics: what each counts, and that the parts of the service tell it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from flask import Flask
from prometheus_client import CollectorRegistry, Histogram

from engine.players.observer import observe
from service.app import create_app
from service.config import Config
from service.http.use_cases import _OPEN_STREAM
from service.metrics import _BUCKETS, _MAX_PENDING, Metrics
from service.observer import Answer
from tests.player import QUICK, Player, create, refused
from tests.sinks import Sinks

P = "three_thirteen_"
SHORT = {**QUICK, "rounds": {"first": 1, "last": 1}}


class Counted:
    """The application with metrics, and what they are now."""

    def __init__(self, app: Flask) -> None:
        self.client = app.test_client()
        self._tick = app.extensions["tick"]
        self._registry: CollectorRegistry = app.extensions["metrics"]

    def value(self, name: str, **labels: str) -> float:
        self._tick(0)
        return self._registry.get_sample_value(P + name, labels) or 0.0


@pytest.fixture
def counted(config: Config) -> Iterator[Counted]:
    yield Counted(create_app(replace(config, metrics_port=0)))
    observe(None)


def test_a_game_is_counted_from_its_creation_to_its_end(counted: Counted) -> None:
    player = create(counted.client, SHORT)
    assert counted.value("games_created_total") == 1
    assert counted.value("games_finished_total") == 0
    turns = 0
    while player.game["status"] == "playing":
        player.turn()
        turns += 1
    assert counted.value("moves_total") == 2 * turns
    assert counted.value("games_finished_total") == 1
    assert counted.client.post(f"{player.path}/rematch", headers=player.auth).status_code == 201
    assert counted.value("games_created_total") == 2


def test_a_move_that_is_answered_again_is_counted_once(counted: Counted) -> None:
    player = create(counted.client, QUICK)
    for _ in range(2):
        assert player.draw(idempotency_key="one").status_code == 200
    assert counted.value("moves_total") == 1
    duration = "request_duration_seconds_count"
    assert counted.value(duration, operation="drawCard", status="200") == 2


def test_requests_are_counted_by_operation_and_status(counted: Counted) -> None:
    player = create(counted.client, QUICK)
    refused(player.discard("AC"), 409, "wrong-phase")
    player.client.head(player.path)
    refused(player.client.get("/nowhere"), 404, "not-found")
    refused(player.client.get("/healthz", headers={"Host": "no host"}), 400, "foreign-host")
    duration = "request_duration_seconds_count"
    for operation, status in (
        ("createGame", "201"),
        ("discardCard", "409"),
        ("getGame", "200"),
        ("none", "404"),
        ("liveness", "400"),
    ):
        assert counted.value(duration, operation=operation, status=status) == 1, operation


def test_the_wait_for_a_thread_is_added_up(counted: Counted) -> None:
    for seconds in (0.5, 0.25, 0.0001):
        counted.client.get("/healthz", environ_overrides={"runtime.waited_seconds": seconds})
    assert counted.value("request_wait_seconds_total") == 0.75


def test_the_choices_of_ai_players_are_counted_by_level(counted: Counted) -> None:
    seats = [{"kind": "human"}, {"kind": "ai", "level": "easy"}, {"kind": "ai", "level": "hard"}]
    create(counted.client, {**QUICK, "seats": seats}).turn()
    for level in ("easy", "hard"):
        before = counted.value("ai_choices_total", level=level)
        assert before >= 2
        assert 0 < counted.value("ai_seconds_total", level=level) < 60
        assert counted.value("ai_choices_total", level=level) == before
    assert counted.value("ai_choices_total", level="expert") == 0


def test_calls_to_the_storage_are_counted_by_kind(counted: Counted) -> None:
    create(counted.client, QUICK).get()
    assert counted.client.get("/readyz").status_code == 200
    for kind in ("read", "write", "probe"):
        assert counted.value("store_duration_seconds_count", kind=kind) == 1
        assert counted.value("store_duration_seconds_sum", kind=kind) > 0


def test_what_is_open_is_counted_by_kind(counted: Counted) -> None:
    player = create(counted.client, QUICK)
    sinks = Sinks()
    for accept, query in (("text/event-stream", ""), ("*/*", f"?wait=9&after={_last_seq(player)}")):
        player.client.get(
            f"{player.path}/events{query}",
            headers={**player.auth, "Accept": accept},
            environ_overrides={_OPEN_STREAM: sinks},
        )
    assert counted.value("streams_open", kind="stream") == 1
    assert counted.value("streams_open", kind="wait") == 1
    sinks.last.on_close()
    assert counted.value("streams_open", kind="wait") == 0


def _last_seq(player: Player) -> int:
    seq: int = player.get("/events").get_json()["last_seq"]
    return seq


def test_what_waits_to_be_counted_has_a_bound() -> None:
    registry = CollectorRegistry()
    metrics = Metrics(registry)
    answer = Answer("getGame", "GET", 200, 0.001, 0.0, {})
    for _ in range(_MAX_PENDING - 1):
        metrics.answered(answer)
    name, labels = f"{P}request_duration_seconds_count", {"operation": "getGame", "status": "200"}
    assert registry.get_sample_value(name, labels) == 0
    metrics.answered(answer)
    assert registry.get_sample_value(name, labels) == _MAX_PENDING


def test_without_a_port_nothing_is_counted(app: Flask) -> None:
    assert app.extensions.keys() & {"metrics", "tick", "request_report"} == set()


def test_durations_are_counted_as_the_library_counts_them() -> None:
    seconds = [0.0, 0.001, 0.0011, 0.25, 2.5, 2.6, 60.0]
    registry, plain = CollectorRegistry(), CollectorRegistry()
    metrics = Metrics(registry)
    name = f"{P}store_duration_seconds"
    library = Histogram(name, "", ("kind",), buckets=_BUCKETS, registry=plain).labels("read")
    for each in seconds:
        metrics.called("read", each)
        library.observe(each)
    metrics.count()
    for end in ("_sum", "_count"):
        expected = plain.get_sample_value(name + end, {"kind": "read"})
        assert registry.get_sample_value(name + end, {"kind": "read"}) == expected
    for bound in (*map(str, _BUCKETS), "+Inf"):
        labels = {"kind": "read", "le": bound}
        expected = plain.get_sample_value(f"{name}_bucket", labels)
        assert expected is not None
        assert registry.get_sample_value(f"{name}_bucket", labels) == expected
