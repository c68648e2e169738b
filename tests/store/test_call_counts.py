"""Counting calls at the storage: one round trip, and none for a while after a failure."""

from __future__ import annotations

import logging
import threading

import pytest
from limits import RateLimitItemPerMinute
from limits.storage import storage_from_string
from limits.strategies import FixedWindowRateLimiter
from redis import exceptions

from service.errors import UncountedCallError
from service.observer import Observer
from service.store import call_counts
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
    """The storage as the library makes it, from its URI and options."""
    connection = RawConnection(*answers)
    pools = ScriptedPools([Pool(connection)])
    options = {"pools": pools, "clock": lambda: times.wall, "monotonic": lambda: times.monotonic}
    counts = storage_from_string(call_counts.URI, **options)  # type: ignore[arg-type]
    assert isinstance(counts, CallCounts)
    return counts, connection, pools


def key_at(wall: float) -> str:
    return f"limit:join:{int(wall) // 60}"


def test_a_call_is_counted_in_one_round_trip() -> None:
    counts, connection, pools = counts_of(Times(), b"OK", 1, None, 2)
    assert counts.incr("join", 60) == 1
    assert counts.incr("join", 60) == 2
    key = key_at(NOON)
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
    counts = CallCounts(pools=pools, monotonic=lambda: 0.0, observer=Listening())  # type: ignore[arg-type]
    assert counts.incr("join", 60) == 1
    for _ in range(2):
        with pytest.raises(UncountedCallError):
            counts.incr("join", 60)
    assert told == [("count", 0.0), (failure_of(LOST).condition,), ("count", 0.0)]


def test_what_a_window_says_after_a_call_costs_no_round_trip() -> None:
    times = Times()
    counts, connection, _ = counts_of(times, b"OK", 3)
    limiter, quota = FixedWindowRateLimiter(counts), RateLimitItemPerMinute(2)
    assert not limiter.hit(quota, "192.0.2.1", "join")
    times.wall = NOON + 60  # what is said is of the minute in which the call was counted
    assert limiter.get_window_stats(quota, "192.0.2.1", "join") == (NOON + 60, 0)
    assert len(connection.sent) == 1


def test_what_was_not_counted_by_the_same_thread_is_asked_for() -> None:
    counts, connection, _ = counts_of(Times(), b"OK", 1, b"7", None)
    counts.incr("join", 60)
    got: list[int] = []
    thread = threading.Thread(target=lambda: got.append(counts.get("join")))
    thread.start()
    thread.join()
    assert got == [7]
    assert counts.get("hint") == 0
    assert counts.get_expiry("hint") == NOON + 60
    assert connection.commands[2:] == [
        ("GET", key_at(NOON)),
        ("GET", f"limit:hint:{NOON // 60}"),
    ]


def test_a_new_minute_has_a_key_of_its_own() -> None:
    times = Times()
    counts, connection, _ = counts_of(times, b"OK", 1, b"OK", 1)
    counts.incr("join", 60)
    times.wall = NOON + 60
    assert counts.incr("join", 60) == 1
    assert counts.get_expiry("join") == NOON + 120
    assert [commands[1][1] for commands in connection.sent] == [key_at(NOON), key_at(NOON + 60)]


def test_after_a_failure_the_storage_is_not_asked_for_a_while() -> None:
    times = Times()
    counts, connection, pools = counts_of(times, LOST, b"OK", 1)
    with pytest.raises(UncountedCallError):
        counts.incr("join", 60)
    assert (connection.disconnected, pools.refreshed) == (1, 1)
    times.monotonic = 4.9
    assert not counts.check()
    with pytest.raises(UncountedCallError):
        counts.incr("join", 60)
    assert len(connection.sent) == 1
    times.monotonic = 5.0
    assert counts.check()
    assert counts.incr("join", 60) == 1


def test_a_reason_is_logged_once_until_calls_are_counted_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    times = Times()
    counts, _, _ = counts_of(times, b"OK", DENIED, b"OK", DENIED, b"OK", 1, b"OK", DENIED)
    said, passed = [], 0
    with caplog.at_level(logging.WARNING, "service.store"):
        for _ in range(4):
            try:
                counts.incr("join", 60)
            except UncountedCallError:
                passed += 1
            times.monotonic += 5
            said.append(len(caplog.records))
    assert said == [1, 1, 1, 2]
    assert passed == 3
    assert caplog.messages[0] == (
        "rate limits are off while this lasts: the storage's user lacks the right to run INCR"
    )


def test_counts_end_by_themselves_alone() -> None:
    counts, connection, _ = counts_of(Times())
    with pytest.raises(NotImplementedError):
        counts.reset()
    with pytest.raises(NotImplementedError):
        counts.clear("join")
    assert connection.sent == []
