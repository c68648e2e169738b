"""How many calls each caller has made within the current minute, over all workers and machines.

    limit:<what>:<who>:<minute>    a number, for at most a minute after it was first needed

One round trip counts a call and gives the number. Minutes are those of the clock of whoever counts:
a caller may have one minute's calls twice in sixty seconds, at the end of a minute and the
beginning of the next. Where the storage fails nothing is counted, and for a while it is not asked.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from service.store.connections.connection import Connection
from service.store.connections.failures import CLIENT_ERRORS, failure_of, needs_refresh
from service.store.connections.topologies import Pools
from service.store.observer import StoreObserver

MINUTE = 60
_PAUSE_SECONDS = 5.0
"""For so long after a failure nothing is counted: no call waits for a storage that hangs."""
_LOG = logging.getLogger("service.store")


class CallCounts:
    """Counts calls at the storage; safe to share between threads."""

    def __init__(
        self,
        pools: Pools,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        observer: StoreObserver | None = None,
    ) -> None:
        """`clock` gives seconds since 1970, `monotonic` seconds."""
        self._observer = observer
        self._pools = pools
        self._clock = clock
        self._monotonic = monotonic
        self._paused_until = 0.0
        self._reported = ""

    def count(self, what: str, who: str) -> tuple[int, int] | None:
        """Which call of this minute this one is, from 1, and the seconds to the minute's end.

        None where the storage fails.
        """
        start = self._monotonic()
        if start < self._paused_until:
            return None
        counted = self._count(what, who)
        if self._observer is not None:
            self._observer.called("count", self._monotonic() - start)
        return counted

    def _count(self, what: str, who: str) -> tuple[int, int] | None:
        minute, second = divmod(int(self._clock()), MINUTE)
        key = f"limit:{what}:{who}:{minute}"
        connection = Connection(self._pools)
        try:
            connection.open(key)
            number: int = connection.execute(("SET", key, 0, "EX", MINUTE, "NX"), ("INCR", key))[1]
        except CLIENT_ERRORS as error:
            connection.discard()
            self._pause(error)
            return None
        except BaseException:
            connection.discard()
            raise
        connection.release()
        self._reported = ""
        return number, MINUTE - second

    def _pause(self, error: Exception) -> None:
        """Leave the storage alone for a while, and log a new reason once."""
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
