"""Servers that are known not to answer: one call at a time tries them, the others end at once.

Otherwise each call for a lost server would hold its thread for seconds, and soon no thread would be
left for the games of the other servers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import redis

from service.errors import StorageError, StorageUnavailableError
from service.store.connections.failures import (
    CLIENT_ERRORS,
    NO_MASTER,
    TIMED_OUT,
    UNREACHABLE,
    Failure,
    failure_of,
)
from service.store.connections.topologies import Pools

T = TypeVar("T")
_LOSSES = (UNREACHABLE, TIMED_OUT, NO_MASTER)


class Outages:
    """The servers whose last call has found no answer; safe to share between threads."""

    def __init__(self, pools: Pools) -> None:
        self._pools = pools
        self._lock = threading.Lock()
        self._lost: dict[redis.ConnectionPool, Failure] = {}
        self._tried: set[redis.ConnectionPool] = set()
        """The lost servers that a call tries just now."""

    def call(self, key: str, action: Callable[[], T]) -> T:
        """The result of an action on the server of a key.

        Raises StorageUnavailableError at once if the server is lost and another call tries it.
        """
        tried = self._begin(key) if self._lost else None
        try:
            result = action()
        except StorageError as error:
            self._end(tried, self._pool(key), _loss(error))
            raise
        except BaseException:
            self._end(tried, None, None)
            raise
        self._end(tried, tried, None)
        return result

    def _begin(self, key: str) -> redis.ConnectionPool | None:
        """The server of a key, if it is lost and this call is to try it."""
        pool = self._pool(key)
        with self._lock:
            failure = None if pool is None else self._lost.get(pool)
            if pool is None or failure is None:
                return None
            if pool in self._tried:
                raise StorageUnavailableError(failure.detail, failure.retry_after)
            self._tried.add(pool)
        return pool

    def _end(
        self,
        tried: redis.ConnectionPool | None,
        used: redis.ConnectionPool | None,
        loss: Failure | None,
    ) -> None:
        """Remember of the server that was used whether it is lost."""
        if tried is None and used is None:
            return
        with self._lock:
            if tried is not None:
                self._tried.discard(tried)
            if used is not None and loss is not None:
                self._lost[used] = loss
            elif used is not None:
                self._lost.pop(used, None)

    def _pool(self, key: str) -> redis.ConnectionPool | None:
        try:
            return self._pools.for_key(key)
        except CLIENT_ERRORS:
            return None


def _loss(error: StorageError) -> Failure | None:
    """How a server was lost, where that is why a call has failed."""
    cause = error.__cause__
    failure = failure_of(cause) if isinstance(cause, Exception) else None
    return failure if failure in _LOSSES else None
