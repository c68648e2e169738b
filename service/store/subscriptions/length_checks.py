"""Finds changes of games that no message has told of, by the lengths of their event logs."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

import redis

from service.store.connections.connection import Connection
from service.store.connections.failures import CLIENT_ERRORS, is_corrupt
from service.store.connections.topologies import Pools
from service.store.keys import events_key, game_key

CHECK_SECONDS = 2.0
_LOG = logging.getLogger("service.store")
_AT_ONCE = 512
"""The most lengths that are asked for in one go."""


class LengthChecks:
    """Looks at games every so many seconds, and calls `on_news` with the id of one that differs.

    That is also the case for a game that it looks at for the first time. Its thread begins with the
    first game. `on_news` must not wait for anything.
    """

    def __init__(
        self, pools: Pools, on_news: Callable[[str], None], seconds: float = CHECK_SECONDS
    ) -> None:
        self._pools = pools
        self._on_news = on_news
        self._seconds = seconds
        self._lock = threading.Lock()
        self._lengths: dict[str, int | None] = {}
        self._has_games = threading.Event()
        self._is_closed = threading.Event()
        self._thread: threading.Thread | None = None

    def follow(self, game_id: str) -> None:
        """Look at a game from now on."""
        with self._lock:
            self._lengths.setdefault(game_id)
            if self._thread is None and not self._is_closed.is_set():
                self._thread = threading.Thread(target=self._run, name="lengths", daemon=True)
                self._thread.start()
        self._has_games.set()

    def leave(self, game_id: str) -> None:
        """Look at a game no longer."""
        with self._lock:
            self._lengths.pop(game_id, None)
            if not self._lengths:
                self._has_games.clear()

    def close(self) -> None:
        """End the thread."""
        self._is_closed.set()
        self._has_games.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._is_closed.wait(self._seconds):
            try:
                self._check_all()
            except Exception:  # noqa: BLE001 - whatever it is, the next time may do
                _LOG.exception("the lengths of event logs were not looked at")
            self._has_games.wait()

    def _check_all(self) -> None:
        for game_ids in self._by_server().values():
            for start in range(0, len(game_ids), _AT_ONCE):
                self._check(game_ids[start : start + _AT_ONCE])

    def _by_server(self) -> dict[redis.ConnectionPool, list[str]]:
        """The games by where they are; without those whose server is not known at the moment."""
        with self._lock:
            game_ids = list(self._lengths)
        groups: dict[redis.ConnectionPool, list[str]] = {}
        are_known = True
        for game_id in game_ids:
            try:
                groups.setdefault(self._pools.for_key(game_key(game_id)), []).append(game_id)
            except CLIENT_ERRORS:
                are_known = False
        if not are_known:
            self._pools.refresh()
        return groups

    def _check(self, game_ids: list[str]) -> None:
        """Look at games of one server; where that fails, the next time will do."""
        connection = Connection(self._pools)
        try:
            connection.open(game_key(game_ids[0]))
            lengths = connection.execute(*(("LLEN", events_key(each)) for each in game_ids))
        except CLIENT_ERRORS as error:
            connection.discard()
            if not is_corrupt(error):
                self._pools.refresh()
            elif len(game_ids) == 1:
                self._on_news(game_ids[0])  # who reads it finds that it is damaged
            else:
                for game_id in game_ids:
                    self._check([game_id])
            return
        connection.release()
        for game_id, length in zip(game_ids, lengths, strict=True):
            if self._is_new(game_id, length):
                self._on_news(game_id)

    def _is_new(self, game_id: str, length: int) -> bool:
        with self._lock:
            if self._lengths.get(game_id, length) == length:
                return False
            self._lengths[game_id] = length
        return True
