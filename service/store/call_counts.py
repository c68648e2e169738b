"""How many calls each caller has made within the current minute, over all workers and machines.

    limit:<key>:<minute>    a number, for at most a minute after it was first needed

A storage of the library limits, on which Flask-Limiter counts: it has the store's own connections,
so it knows the same servers, and one round trip counts a call and gives the number. Minutes are
those of the clock of whoever counts: a caller may have one minute's calls twice in sixty seconds,
at the end of a minute and the beginning of the next. Where the store fails nothing is counted, and
for a while it is not asked.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from limits.storage import Storage

from service.errors import UncountedCallError
from service.store.connections.connection import Command, Connection
from service.store.connections.failures import CLIENT_ERRORS, failure_of, needs_refresh
from service.store.connections.topologies import Pools
from service.store.observer import StoreObserver

MINUTE = 60
_SCHEME = "three-thirteen"
URI = f"{_SCHEME}://"
"""By which the library finds this storage."""
_PAUSE_SECONDS = 5.0
"""For so long after a failure nothing is counted: no call waits for a storage that hangs."""
_LOG = logging.getLogger("service.store")


class _Counted(threading.local):
    """What a thread has counted last: under which key, which number, and when its minute ends."""

    key: str | None = None
    number = 0
    end = 0


class CallCounts(Storage):
    """Counts calls at the store, each minute anew; safe to share between threads."""

    STORAGE_SCHEME = [_SCHEME]  # noqa: RUF012 - as the library declares it

    def __init__(
        self,
        uri: str | None = None,
        *,
        pools: Pools,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        observer: StoreObserver | None = None,
    ) -> None:
        """`uri` has nothing but the scheme; `clock` gives seconds since 1970, `monotonic` seconds.

        The library makes it, from its URI and options.
        """
        super().__init__(uri)
        self._observer = observer
        self._pools = pools
        self._clock = clock
        self._monotonic = monotonic
        self._paused_until = 0.0
        self._reported = ""
        self._counted = _Counted()

    @property
    def base_exceptions(self) -> type[Exception]:
        """What counting raises where the store fails."""
        return UncountedCallError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Which call of this minute this one is, from 1; raises UncountedCallError.

        `expiry`: the length of the window, always a minute.
        """
        assert amount == 1, "a user has the right to INCR alone"
        minute = self._minute()
        name = f"limit:{key}:{minute}"
        number: int = self._execute(name, ("SET", name, 0, "EX", expiry, "NX"), ("INCR", name))[1]
        counted = self._counted
        counted.key, counted.number, counted.end = key, number, (minute + 1) * MINUTE
        return number

    def get(self, key: str) -> int:
        """The calls of this minute: as this thread has counted them last, else as the store has.

        So no second round trip is made for what an answer says. Raises UncountedCallError.
        """
        if self._counted.key == key:
            return self._counted.number
        name = f"limit:{key}:{self._minute()}"
        return int(self._execute(name, ("GET", name))[0] or 0)

    def get_expiry(self, key: str) -> float:
        """When the minute of `get` ends, in seconds since 1970."""
        if self._counted.key == key:
            return self._counted.end
        return (self._minute() + 1) * MINUTE

    def check(self) -> bool:
        """Whether calls are counted at the moment."""
        return self._monotonic() >= self._paused_until

    def reset(self) -> int | None:
        """Not there: counts end with their minute."""
        raise NotImplementedError

    def clear(self, key: str) -> None:
        """Not there: counts end with their minute."""
        raise NotImplementedError

    def _minute(self) -> int:
        return int(self._clock()) // MINUTE

    def _execute(self, key: str, *commands: Command) -> list[Any]:
        """The answers of the server of a key, in one round trip and one attempt."""
        self._counted.key = None
        start = self._monotonic()
        if start < self._paused_until:
            raise UncountedCallError(self._reported)
        try:
            return self._attempt(key, *commands)
        finally:
            if self._observer is not None:
                self._observer.called("count", self._monotonic() - start)

    def _attempt(self, key: str, *commands: Command) -> list[Any]:
        connection = Connection(self._pools)
        try:
            connection.open(key)
            answers = connection.execute(*commands)
        except CLIENT_ERRORS as error:
            connection.discard()
            self._pause(error)
            raise UncountedCallError(self._reported) from error
        except BaseException:
            connection.discard()
            raise
        connection.release()
        self._reported = ""
        return answers

    def _pause(self, error: Exception) -> None:
        """Leave the store alone for a while, and log a new reason once."""
        if needs_refresh(error):
            self._pools.refresh()
        self._paused_until = self._monotonic() + _PAUSE_SECONDS
        failure = failure_of(error)
        if self._observer is not None:
            self._observer.failed(failure.condition)
        detail = failure.detail
        if detail != self._reported:
            self._reported = detail
            _LOG.warning("rate limits are off while this lasts: %s", detail)
