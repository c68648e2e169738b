"""The retry, on servers with scripted answers and a clock that only its pauses move."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from redis import exceptions

from service.errors import CorruptGameError, OutcomeUnknownError, StorageUnavailableError
from service.store.connections.connection import Connection
from service.store.connections.failures import LATER, SOON, EvictingError, UnconfirmedError
from service.store.connections.retry import Operation, Retry, RetryPolicy
from tests.store.connections.scripted_servers import ManualClock, Pool, RawConnection, ScriptedPools

KEY = "{g:a}:game"
LOST = exceptions.ConnectionError("Connection closed by server.")
LOADING = exceptions.BusyLoadingError("LOADING the data")
FULL = exceptions.OutOfMemoryError("OOM command not allowed")
ASK = exceptions.AskError("7 127.0.0.1:7001")
GARBLED = exceptions.InvalidResponse("Protocol Error")
HALFWAY = exceptions.ResponseError("Error running script: @user_script: 46: it failed")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def retry_of(pools: ScriptedPools, clock: ManualClock) -> Retry:
    """A retry with a deadline of 1.5 s and pauses of 0.5 s."""
    return Retry(pools, clock.policy())  # type: ignore[arg-type]


def at(*answers: object) -> tuple[Retry, ScriptedPools, RawConnection]:
    """A retry on one server that gives these answers."""
    connection = RawConnection(*answers)
    pools = ScriptedPools([Pool(connection)])
    return retry_of(pools, ManualClock()), pools, connection


def ping(connection: Connection) -> Any:
    return connection.execute(("PING",))[0]


def get(*keys: str) -> Operation[list[Any]]:
    """An operation that reads some keys in one go."""
    return lambda connection: connection.execute(*(("GET", key) for key in keys))


def test_an_operation_has_its_answers_from_the_server_of_the_key() -> None:
    retry, pools, connection = at(b"1", b"2")
    assert retry.read(KEY, get("a", "b")) == [b"1", b"2"]
    assert pools.keys == [KEY]
    assert connection.sent == [[("GET", "a"), ("GET", "b")]]
    assert (pools.pools[0].released, connection.disconnected) == ([connection], 0)


def test_a_write_that_succeeds_at_once_is_certain() -> None:
    retry, pools, _ = at(b"OK")
    assert retry.write(KEY, ping) == (b"OK", False)
    assert (pools.keys, pools.refreshed) == ([KEY], 0)


def test_a_write_after_a_lost_one_may_have_been_applied_before() -> None:
    retry, pools, connection = at(LOST, b"OK")
    assert retry.write(KEY, ping) == (b"OK", True)
    assert (pools.keys, pools.refreshed) == ([KEY, KEY], 1)
    assert connection.disconnected == 1
    assert pools.pools[0].released == [connection, connection]


def test_a_write_after_a_refused_one_is_certain() -> None:
    retry, _, connection = at(LOADING, b"OK")
    assert retry.write(KEY, ping) == (b"OK", False)
    assert connection.disconnected == 1


@pytest.mark.parametrize("failure", [LOST, exceptions.RedisClusterException("no node")])
def test_a_write_after_attempts_without_a_server_is_certain(failure: Exception) -> None:
    retry, pools, connection = at(b"OK")
    pools.failures = [failure]
    pools.pools[0].failures = [failure]
    assert retry.write(KEY, ping) == (b"OK", False)
    assert (len(connection.sent), connection.disconnected) == (1, 0)


def test_an_attempt_knows_for_how_long_an_earlier_one_has_been_uncertain() -> None:
    for call in ("read", "write"):
        retry, _, _ = at(LOADING, LOST, LOADING, b"OK")
        known: list[float | None] = []

        def operation(connection: Connection, known: list[float | None] = known) -> Any:
            known.append(connection.uncertain_for)
            return ping(connection)

        getattr(retry, call)(KEY, operation)
        # The bound is counted from the start of the call, since its first command was sent later.
        assert known == [None, None, 1.0, 1.5]


def test_attempts_end_at_the_deadline(clock: ManualClock) -> None:
    connection = RawConnection(*[LOST] * 9)
    pools = ScriptedPools([Pool(connection)])
    with pytest.raises(StorageUnavailableError, match=r"^the storage does not answer$") as caught:
        retry_of(pools, clock).read(KEY, ping)
    assert caught.value.retry_after == SOON
    assert caught.value.__cause__ is LOST
    assert clock.slept == [0.5, 0.5, 0.5]
    assert (len(connection.sent), pools.refreshed) == (4, 4)


def test_a_write_lost_until_the_deadline_has_an_unknown_outcome() -> None:
    retry, _, _ = at(*[LOST] * 9)
    with pytest.raises(OutcomeUnknownError, match=r"^the storage does not answer$") as caught:
        retry.write(KEY, ping)
    assert caught.value.retry_after == SOON


def test_a_write_refused_until_the_deadline_was_not_made() -> None:
    retry, _, connection = at(*[LOADING] * 9)
    with pytest.raises(StorageUnavailableError, match=r"still loading"):
        retry.write(KEY, ping)
    assert len(connection.sent) == 4


def test_an_uncertain_write_stays_uncertain_whatever_follows() -> None:
    retry, _, _ = at(LOST, *[LOADING] * 9)
    with pytest.raises(OutcomeUnknownError, match=r"still loading"):
        retry.write(KEY, ping)
    retry, _, _ = at(LOST, LOADING, b"OK")
    assert retry.write(KEY, ping) == (b"OK", True)


def test_a_record_that_is_not_confirmed_is_uncertain_for_a_reader_too() -> None:
    retry, _, _ = at(*[UnconfirmedError("0 of 1")] * 9)
    with pytest.raises(OutcomeUnknownError, match=r"not confirmed"):
        retry.read(KEY, ping)
    retry, _, _ = at(UnconfirmedError("0 of 1"), *[LOADING] * 9)
    with pytest.raises(OutcomeUnknownError, match=r"still loading"):
        retry.read(KEY, ping)


def test_a_read_that_was_lost_left_nothing_uncertain() -> None:
    retry, _, _ = at(LOST, *[LOADING] * 9)
    with pytest.raises(StorageUnavailableError, match=r"still loading"):
        retry.read(KEY, ping)


def test_a_failure_that_does_not_pass_is_raised_at_once(clock: ManualClock) -> None:
    connection = RawConnection(FULL)
    with pytest.raises(StorageUnavailableError, match=r"^the storage is full") as caught:
        retry_of(ScriptedPools([Pool(connection)]), clock).write(KEY, ping)
    assert caught.value.retry_after == LATER
    assert (clock.slept, len(connection.sent)) == ([], 1)


def test_a_damaged_game_is_reported_at_once_in_the_words_of_the_server(clock: ManualClock) -> None:
    torn = exceptions.ResponseError("TORN the event log does not fit the game")
    retry = retry_of(ScriptedPools([Pool(RawConnection(torn))]), clock)
    with pytest.raises(CorruptGameError, match=r"^TORN the event log") as caught:
        retry.write(KEY, ping)
    assert caught.value.__cause__ is torn
    assert clock.slept == []


@pytest.mark.parametrize(
    ("failure", "refreshed"),
    [
        (LOST, 1),
        (exceptions.TimeoutError("late"), 1),
        (exceptions.ClusterDownError("CLUSTERDOWN"), 1),
        (exceptions.MovedError("7 127.0.0.1:7001"), 1),
        (exceptions.ReadOnlyError("READONLY"), 1),
        (LOADING, 1),
        (exceptions.ResponseError("BUSY"), 0),
        (exceptions.ResponseError("NOREPLICAS"), 0),
        (exceptions.TryAgainError("TRYAGAIN"), 0),
        (UnconfirmedError("0 of 1"), 0),
    ],
)
def test_the_servers_are_found_anew_where_another_may_hold_the_game(
    failure: Exception, refreshed: int
) -> None:
    retry, pools, _ = at(failure, b"OK")
    assert retry.read(KEY, ping) == b"OK"
    assert pools.refreshed == refreshed


def test_a_fault_of_the_program_is_not_retried() -> None:
    retry, pools, connection = at(b"OK", b"OK")

    def operation(connection: Connection) -> None:
        ping(connection)
        raise KeyError("a fault")

    with pytest.raises(KeyError, match="a fault"):
        retry.write(KEY, operation)
    # An answer may still be on its way on that connection.
    assert (connection.disconnected, pools.pools[0].released) == (1, [connection])
    assert len(connection.sent) == 1


def moving(*answers: object) -> tuple[Retry, RawConnection, Pool]:
    """A slot that moves to another server, which gives these answers."""
    retry, pools, connection = at(ASK, ASK, ASK, ASK)
    pools.target = Pool(RawConnection(*answers))
    return retry, connection, pools.target


def test_a_command_on_a_moving_slot_is_sent_to_the_target() -> None:
    retry, connection, target = moving(b"OK", b"1", b"OK", b"2")
    assert retry.write(KEY, get("a", "b")) == ([b"1", b"2"], False)
    assert connection.sent == [[("GET", "a"), ("GET", "b")]]
    assert target.connection.sent == [[("ASKING",), ("GET", "a")], [("ASKING",), ("GET", "b")]]
    assert (target.released, target.connection.disconnected) == ([target.connection] * 2, 0)


def test_only_the_redirected_command_is_sent_to_the_target() -> None:
    retry, pools, connection = at(b"1", ASK, b"3")
    pools.target = Pool(RawConnection(b"OK", b"2"))
    assert retry.read(KEY, get("a", "b", "c")) == [b"1", b"2", b"3"]
    assert pools.target.connection.sent == [[("ASKING",), ("GET", "b")]]
    assert (connection.disconnected, len(connection.sent)) == (0, 1)


def test_a_command_for_every_server_goes_to_the_target_too() -> None:
    retry, pools, connection = at(ASK, 2)
    pools.target = Pool(RawConnection(b"OK", b"1", 1))

    def operation(connection: Connection) -> list[Any]:
        connection.execute(("GET", "a"))
        return connection.execute_everywhere(("WAIT", 2, 600))

    assert retry.read(KEY, operation) == [2, 1]
    assert connection.commands[-1] == ("WAIT", 2, 600) == pools.target.connection.commands[-1]


def test_a_write_lost_at_the_target_may_have_been_applied() -> None:
    retry, _, _ = moving(b"OK", LOST, b"OK", b"1")
    assert retry.write(KEY, ping) == (b"1", True)


def test_a_slot_that_has_moved_is_looked_for_anew() -> None:
    retry, pools, connection = at(ASK, b"OK")
    assert retry.write(KEY, ping) == (b"OK", False)
    assert (pools.refreshed, connection.disconnected) == (1, 1)


def several(
    clock: ManualClock, *connections: RawConnection, failures: list[Exception] | None = None
) -> tuple[Retry, ScriptedPools]:
    """A retry on several servers."""
    pools = ScriptedPools([Pool(each) for each in connections], failures=failures or [])
    return retry_of(pools, clock), pools


def read_all(retry: Retry, pools: ScriptedPools) -> list[Any]:
    """What a probe reads on each server."""

    def probe(connection: Connection, key: str) -> Any:
        return connection.execute(("GET", key))[0], connection.uncertain_for

    return retry.read_all(lambda: pools.one_key_each(["a", "b", "c"]), probe)


def test_every_server_is_probed_with_its_own_key(clock: ManualClock) -> None:
    first, second = RawConnection(b"1"), RawConnection(b"2")
    retry, pools = several(clock, first, second, failures=[LOST])
    assert read_all(retry, pools) == [(b"1", None), (b"2", None)]
    assert (first.commands, second.commands) == ([("GET", "a")], [("GET", "b")])
    assert (pools.keys, pools.refreshed) == (["a", "b"], 1)


def test_one_server_that_answers_is_enough(clock: ManualClock) -> None:
    retry, pools = several(clock, RawConnection(LOST), RawConnection(b"2"))
    assert read_all(retry, pools) == [(b"2", None)]
    retry, pools = several(clock, RawConnection(b"1"), RawConnection(LOST))
    assert read_all(retry, pools) == [(b"1", None)]
    assert clock.slept == []


def test_an_evicting_server_counts_whatever_the_others_say(clock: ManualClock) -> None:
    evicting = EvictingError("maxmemory-policy is allkeys-lru")
    retry, pools = several(clock, RawConnection(b"1"), RawConnection(evicting), RawConnection(b"3"))
    with pytest.raises(StorageUnavailableError, match="noeviction"):
        read_all(retry, pools)
    assert pools.pools[2].connection.sent == []


def test_servers_that_all_fail_are_probed_until_the_deadline(clock: ManualClock) -> None:
    first, second = RawConnection(*[LOADING] * 9), RawConnection(*[LOST] * 9)
    retry, pools = several(clock, first, second)
    with pytest.raises(StorageUnavailableError, match="does not answer"):
        read_all(retry, pools)
    assert (len(first.sent), len(second.sent), pools.refreshed) == (4, 4, 4)


@pytest.mark.parametrize(("seconds", "probed"), [(1.5, 2), (1.6, 1)])
def test_servers_that_are_not_reached_in_time_are_left_out(
    clock: ManualClock, seconds: float, probed: int
) -> None:
    retry, pools = several(clock, RawConnection(b"1"), RawConnection(b"2"))

    def probe(connection: Connection, key: str) -> Any:
        clock.now += seconds
        return connection.execute(("GET", key))[0]

    results = retry.read_all(lambda: pools.one_key_each(["a", "b"]), probe)
    assert results == [b"1", b"2"][:probed]


def test_a_slow_failure_is_no_reason_to_leave_the_others_out(clock: ManualClock) -> None:
    retry, pools = several(clock, RawConnection(LOST), RawConnection(b"2"))

    def probe(connection: Connection, key: str) -> Any:
        clock.now += 5
        return connection.execute(("GET", key))[0]

    assert retry.read_all(lambda: pools.one_key_each(["a", "b"]), probe) == [b"2"]


def test_an_answer_that_cannot_be_read_may_hide_a_write() -> None:
    retry, _, _ = at(GARBLED, b"OK")
    assert retry.write(KEY, ping) == (b"OK", True)


def test_a_script_that_fails_halfway_may_have_written() -> None:
    retry, _, _ = at(HALFWAY)
    with pytest.raises(OutcomeUnknownError):
        retry.write(KEY, ping)


@pytest.mark.parametrize(
    "refusal",
    [
        exceptions.OutOfMemoryError("command not allowed script: on @x"),
        exceptions.ReadOnlyError("You can't write script: on @x"),
        exceptions.ResponseError("NOREPLICAS Not enough script: on @x"),
        exceptions.ResponseError("MISCONF Errors script: on @x"),
        exceptions.ResponseError("ACL failure in script: User ann has no right script: on @x"),
        exceptions.NoPermissionError("NOPERM of evalsha"),
        exceptions.AuthenticationError("WRONGPASS"),
    ],
)
def test_a_script_refused_before_its_first_write_has_written_nothing(refusal: Exception) -> None:
    retry, _, _ = at(*[refusal] * 9)
    with pytest.raises(StorageUnavailableError):
        retry.write(KEY, ping)


@pytest.mark.parametrize(("jitter", "pause"), [(0.0, 0.02), (0.5, 0.135), (1.0, 0.25)])
def test_a_pause_is_of_random_length(clock: ManualClock, jitter: float, pause: float) -> None:
    policy = replace(RetryPolicy(sleep=clock.sleep), jitter=lambda: jitter)
    policy.pause()
    assert clock.slept == pytest.approx([pause])


def test_the_jitter_differs_from_pause_to_pause(clock: ManualClock) -> None:
    policy = RetryPolicy(sleep=clock.sleep)
    for _ in range(20):
        policy.pause()
    assert len(set(clock.slept)) > 1
    assert all(0.02 <= pause <= 0.25 for pause in clock.slept)


class Observer:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, object]] = []

    def called(self, kind: str, seconds: float) -> None:
        self.told.append((kind, seconds))

    def retried(self, condition: str) -> None:
        self.told.append(("retried", condition))

    def failed(self, condition: str) -> None:
        self.told.append(("failed", condition))


def test_an_observer_is_told_of_calls_retries_and_failures_by_condition() -> None:
    clock, observer = ManualClock(), Observer()
    connection = RawConnection(LOST, LOADING, b"OK", FULL)
    retry = Retry(ScriptedPools([Pool(connection)]), clock.policy(), observer)  # type: ignore[arg-type]
    retry.write(KEY, ping)
    with pytest.raises(StorageUnavailableError):
        retry.read(KEY, ping)
    assert observer.told == [
        ("retried", "unreachable"),
        ("retried", "loading"),
        ("write", 1.0),
        ("failed", "out-of-memory"),
        ("read", 0.0),
    ]
