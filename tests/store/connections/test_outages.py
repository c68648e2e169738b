"""A server that is known to be lost holds one call at a time, and no call for another server."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from redis import exceptions

from service.errors import CorruptGameError, OutcomeUnknownError, StorageUnavailableError
from service.store.connections.failures import (
    NO_MASTER,
    OUT_OF_MEMORY,
    POOL_EXHAUSTED,
    TIMED_OUT,
    UNREACHABLE,
)
from service.store.connections.outages import Outages

LOST = exceptions.ConnectionError("Connection refused.")


class Servers:
    """Pools of servers by the first letter of a key."""

    def __init__(self) -> None:
        self.failures: list[Exception] = []

    def for_key(self, key: str) -> str:
        if self.failures:
            raise self.failures.pop(0)
        return key[0]


def failing(cause: Exception, kind: type[Exception] = StorageUnavailableError) -> Callable[[], str]:
    """An action that fails by this error of the client."""

    def action() -> str:
        raise kind("in the words of the failure", 2) from cause

    return action


def lose(outages: Outages, key: str, cause: Exception = LOST) -> None:
    with pytest.raises(StorageUnavailableError):
        outages.call(key, failing(cause))


@pytest.fixture
def outages() -> Outages:
    return Outages(Servers())  # type: ignore[arg-type]


class Trying:
    """A call that tries a lost server, until it is told how that ends."""

    def __init__(self, outages: Outages, key: str, pool: ThreadPoolExecutor) -> None:
        begun, self._go_on = threading.Event(), threading.Event()
        self.error: Exception | None = None

        def action() -> str:
            begun.set()
            assert self._go_on.wait(10)
            if self.error is not None:
                raise StorageUnavailableError("not yet", 2) from self.error
            return "answer"

        self._future = pool.submit(outages.call, key, action)
        assert begun.wait(10)

    def end(self, error: Exception | None = None) -> str:
        self.error = error
        self._go_on.set()
        return self._future.result(10)


def test_while_a_call_tries_a_lost_server_the_others_end_at_once(outages: Outages) -> None:
    lose(outages, "a1")
    with ThreadPoolExecutor(1) as pool:
        trying = Trying(outages, "a2", pool)
        for key in ("a1", "a2", "a3"):
            with pytest.raises(StorageUnavailableError, match=UNREACHABLE.detail) as caught:
                outages.call(key, pytest.fail)
            assert caught.value.retry_after == UNREACHABLE.retry_after
        assert outages.call("b1", lambda: "another server") == "another server"
        assert trying.end() == "answer"
        assert outages.call("a1", lambda: "found") == "found"


def test_one_call_after_the_other_is_tried(outages: Outages) -> None:
    for _ in range(3):
        lose(outages, "a1")
    assert outages.call("a1", lambda: "found") == "found"


def test_a_server_that_one_call_finds_is_lost_no_longer(outages: Outages) -> None:
    lose(outages, "a1")
    outages.call("a1", lambda: "found")
    with ThreadPoolExecutor(1) as pool:
        trying = Trying(outages, "a1", pool)
        assert outages.call("a2", lambda: "beside it") == "beside it"
        trying.end()


def test_a_server_that_is_not_found_stays_lost(outages: Outages) -> None:
    lose(outages, "a1")
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(StorageUnavailableError):
            Trying(outages, "a1", pool).end(exceptions.TimeoutError("Timeout reading"))
        trying = Trying(outages, "a1", pool)
        with pytest.raises(StorageUnavailableError, match=TIMED_OUT.detail):
            outages.call("a1", pytest.fail)
        trying.end()


@pytest.mark.parametrize(
    ("cause", "detail"),
    [
        (LOST, UNREACHABLE.detail),
        (exceptions.TimeoutError("Timeout reading"), TIMED_OUT.detail),
        (exceptions.ClusterDownError("CLUSTERDOWN no master"), NO_MASTER.detail),
        (exceptions.OutOfMemoryError("OOM"), None),
        (exceptions.ConnectionError("No connection available."), None),
        (exceptions.ReadOnlyError("READONLY"), None),
    ],
)
def test_what_says_nothing_of_the_server_loses_none(
    outages: Outages, cause: Exception, detail: str | None
) -> None:
    assert OUT_OF_MEMORY.detail != POOL_EXHAUSTED.detail
    lose(outages, "a1", cause)
    with ThreadPoolExecutor(1) as pool:
        trying = Trying(outages, "a1", pool)
        if detail is None:
            assert outages.call("a1", lambda: "beside it") == "beside it"
        else:
            with pytest.raises(StorageUnavailableError, match=detail):
                outages.call("a1", pytest.fail)
        trying.end()


def test_an_unknown_outcome_loses_a_server_as_well(outages: Outages) -> None:
    with pytest.raises(OutcomeUnknownError):
        outages.call("a1", failing(LOST, OutcomeUnknownError))
    with ThreadPoolExecutor(1) as pool:
        trying = Trying(outages, "a1", pool)
        with pytest.raises(StorageUnavailableError):
            outages.call("a1", pytest.fail)
        trying.end()


@pytest.mark.parametrize("error", [CorruptGameError("damaged"), KeyboardInterrupt()])
def test_whatever_ends_a_call_that_tries_lets_the_next_one_try(
    outages: Outages, error: BaseException
) -> None:
    def action() -> str:
        raise error

    lose(outages, "a1")
    with pytest.raises(type(error)):
        outages.call("a1", action)
    assert outages.call("a1", lambda: "found") == "found"


def test_where_no_server_is_known_every_call_is_tried() -> None:
    servers = Servers()
    outages = Outages(servers)  # type: ignore[arg-type]
    lose(outages, "a1")
    servers.failures = [exceptions.ClusterDownError("CLUSTERDOWN")] * 2
    lose(outages, "a1")
    assert not servers.failures
