"""Room for new games: whether the master that would hold one has memory left for those under way.

Each master is asked for its memory (INFO) once in a few seconds, and after so many new games, by
whichever call needs to know: a flood of games must not fill a master between two questions.
One that has no `maxmemory`, does not say, or does not answer has room: what else is wrong with it
shows when the game is written.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

import redis

from service.errors import CapacityReachedError
from service.store.connections.connection import Connection
from service.store.connections.failures import CLIENT_ERRORS
from service.store.connections.server_info import memory_percent
from service.store.connections.topologies import Pools
from service.store.keys import game_key

_ASK_SECONDS = 5.0
_ASK_GAMES = 50
"""For so long, and for so many new games, what a master has said holds."""
_RETRY_SECONDS = 60
"""When a caller may try again: memory is freed by games that expire, or by an operator."""
_ASKED_IDS = 1_000
"""Enough ids that every master of a cluster holds some of them."""
_NO_CAP = (
    "the storage has no maxmemory, or does not say it: MAX_STORE_MEMORY_PERCENT has no effect, and "
    "new games are made until memory is full"
)
_LOG = logging.getLogger("service.store")


@dataclass(slots=True)
class _Said:
    """How full a master has said that it is, in %, None if it does not say.

    It holds `until`, and for so many more `games`.
    """

    percent: int | None
    until: float
    games: int = _ASK_GAMES


class Capacity:
    """The room of a store's masters, each up to `most` % full; safe to share between threads."""

    def __init__(
        self, pools: Pools, most: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`clock` gives seconds."""
        self._pools = pools
        self._most = most
        self._clock = clock
        self._said: dict[redis.ConnectionPool, _Said] = {}

    def require_room(self, key: str) -> None:
        """Return if the master of a key has room for a new game; raises CapacityReachedError."""
        percent = self._percent(key)
        if percent is not None and percent >= self._most:
            raise CapacityReachedError(percent, self._most, _RETRY_SECONDS)

    def report(self) -> None:
        """Log whether there is a master for which the setting has no effect."""
        try:
            keys = self._pools.one_key_each(game_key(f"room-{each}") for each in range(_ASKED_IDS))
        except CLIENT_ERRORS:
            return
        if any(self._percent(key) is None for key in keys):
            _LOG.info(_NO_CAP)

    def _percent(self, key: str) -> int | None:
        try:
            pool = self._pools.for_key(key)
        except CLIENT_ERRORS:
            return None
        now, before = self._clock(), self._said.get(pool, _Said(None, 0.0))
        before.games -= 1
        if now < before.until and before.games >= 0:
            return before.percent
        # Whoever comes meanwhile takes the old answer.
        self._said[pool] = _Said(before.percent, now + _ASK_SECONDS)
        percent = self._ask(key)
        self._said[pool] = _Said(percent, now + _ASK_SECONDS)
        self._log(before.percent, percent)
        return percent

    def _ask(self, key: str) -> int | None:
        connection = Connection(self._pools)
        try:
            connection.open(key)
            percent = memory_percent(connection)
        except CLIENT_ERRORS:
            connection.discard()
            return None
        except BaseException:
            connection.discard()
            raise
        connection.release()
        return percent

    def _log(self, before: int | None, now: int | None) -> None:
        """Log that a master has no room any more, or has room again."""
        was_full, is_full = (each is not None and each >= self._most for each in (before, now))
        if is_full and not was_full:
            _LOG.error("the storage is %s %% full: new games are refused", now)
        elif was_full and not is_full:
            _LOG.warning("the storage has room for new games again")
