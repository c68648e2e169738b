"""Counting calls at the storage: one round trip, and none for a while after a failure."""

from __future__ import annotations

import logging

import pytest
from redis import exceptions

from service.observer import Observer
from service.store.call_counts import CallCounts
from service.store.connections.failures import failure_of
from tests.store.connections.scripted_servers import Pool, RawConnection, ScriptedPools

LOST = exceptions.ConnectionError("Connection closed by server.")
DENIED = exceptions.NoPermissionError(
    "NOPERM User ann has no permissions to run the 'incr' command"
)
NOON = 1_800_000_000 // 60 * 60


class Times:
    """Both clocks, which stand still."""

    wall = NOON + 18.5
    monotonic = 0.0


def counts_of(times: Times, *answers: object) -> tuple[CallCounts, RawConnection, ScriptedPools]:
    connection = RawConnection(*answers)
    pools = ScriptedPools([Pool(connection)])
    counts = CallCounts(pools, lambda: times.wall, lambda: times.monotonic)  # type: ignore[arg-type]
    return counts, connection, pools


def test_a_call_is_counted_in_one_round_trip() -> None:
    counts, connection, pools = counts_of(Times(), b"OK", 1, None, 2)
    assert counts.count("join", "192.0.2.1") == (1, 42)
    assert counts.count("join", "192.0.2.1") == (2, 42)
    key = f"limit:join:192.0.2.1:{NOON // 60}"
    assert connection.sent == [[("SET", key, 0, "EX", 60, "NX"), ("INCR", key)]] * 2
    assert pools.keys == [key] * 2
    assert pools.pools[0].released == [connection] * 2


def test_an_observer_is_told_of_each_call_and_of_what_failed() -> None:
    told: list[tuple[object, ...]] = []

    class Listening(Observer):
        def called(self, kind: str, seconds: float) -> None:
            told.append((kind, seconds))

        def failed(self, condition: str) -> None:
            told.append((condition,))

    pools = ScriptedPools([Pool(RawConnection(b"OK", 1, LOST))])
    counts = CallCounts(pools, monotonic=lambda: 0.0, observer=Listening())  # type: ignore[arg-type]
    assert [counts.count("join", "a") is None for _ in range(3)] == [False, True, True]
    assert told == [("count", 0.0), (failure_of(LOST).condition,), ("count", 0.0)]


def test_a_new_minute_has_a_key_of_its_own() -> None:
    times = Times()
    counts, connection, _ = counts_of(times, b"OK", 1, b"OK", 1)
    counts.count("join", "a")
    times.wall = NOON + 60
    assert counts.count("join", "a") == (1, 60)
    assert len({commands[1] for commands in connection.sent}) == 2


def test_after_a_failure_the_storage_is_not_asked_for_a_while() -> None:
    times = Times()
    counts, connection, pools = counts_of(times, LOST, b"OK", 1)
    assert counts.count("join", "a") is None
    assert (connection.disconnected, pools.refreshed) == (1, 1)
    times.monotonic = 4.9
    assert counts.count("join", "a") is None
    assert len(connection.sent) == 1
    times.monotonic = 5.0
    assert counts.count("join", "a") == (1, 42)


def test_a_reason_is_logged_once_until_calls_are_counted_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    times = Times()
    counts, _, _ = counts_of(times, b"OK", DENIED, b"OK", DENIED, b"OK", 1, b"OK", DENIED)
    said = []
    with caplog.at_level(logging.WARNING, "service.store"):
        for _ in range(4):
            counts.count("join", "a")
            times.monotonic += 5
            said.append(len(caplog.records))
    assert said == [1, 1, 1, 2]
    assert caplog.messages[0] == (
        "rate limits are off while this lasts: the storage's user lacks the right to run INCR"
    )
