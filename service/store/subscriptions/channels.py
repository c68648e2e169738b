"""The channels of games, by which the servers themselves say that a game was changed.

    follow -> SSUBSCRIBE at the server of the game -> a message after each commit -> `on_news`

One thread follows the channels of all watched games, with one connection to each server that has
any of them. Whatever may have cost a message (a new subscription, a lost connection, a slot that
has moved) counts as news when the channel is followed again, so that nobody who then reads the game
misses anything. Where a channel cannot be followed, `length_checks` finds the changes.
"""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from selectors import EVENT_READ, DefaultSelector

import redis
from redis.exceptions import NoPermissionError

from service.store.connections.failures import CLIENT_ERRORS
from service.store.connections.topologies import Pools
from service.store.keys import game_key
from service.store.subscriptions.subscriber import Subscriber

_LOG = logging.getLogger("service.store")
_PAUSE_SECONDS = 1.0
"""Until a channel that could not be followed is tried again."""
_DENIED_SECONDS = 60.0
"""The same where the storage's user lacks the right."""
_IDLE_SECONDS = 60.0


class Channels:
    """Follows the channels of games, and calls `on_news` with a game's id, in a thread of its own.

    The thread begins with the first game. `on_news` must not wait for anything.
    """

    def __init__(self, pools: Pools, on_news: Callable[[str], None]) -> None:
        self._pools = pools
        self._on_news = on_news
        self._lock = threading.Lock()
        self._wanted: set[str] = set()
        self._changed: deque[str] = deque()
        """The games that have begun or ceased to be wanted."""
        self._thread: threading.Thread | None = None
        self._waker: socket.socket | None = None
        self._is_closed = False
        self._subscribers: dict[redis.ConnectionPool, Subscriber] = {}
        self._followed: dict[str, redis.ConnectionPool] = {}
        self._later: deque[tuple[float, list[str]]] = deque()
        """Games that are tried again, each group at its time."""
        self._must_refresh = False

    def follow(self, game_id: str) -> None:
        """Follow a game's channel from soon on; that it is followed then counts as news."""
        with self._lock:
            self._wanted.add(game_id)
            self._changed.append(game_id)
            if self._thread is None and not self._is_closed:
                self._start()
        self._wake()

    def leave(self, game_id: str) -> None:
        """Follow a game's channel no longer."""
        with self._lock:
            self._wanted.discard(game_id)
            self._changed.append(game_id)
        self._wake()

    def close(self) -> None:
        """End the thread, and close its connections."""
        with self._lock:
            self._is_closed = True
        self._wake()
        if self._thread is not None:
            self._thread.join()

    def _start(self) -> None:
        wake_up, self._waker = socket.socketpair()
        self._waker.setblocking(False)
        self._thread = threading.Thread(
            target=self._run, args=(wake_up,), name="channels", daemon=True
        )
        self._thread.start()

    def _wake(self) -> None:
        if self._waker is not None:
            with suppress(BlockingIOError, OSError):  # full: it wakes anyway; or closed
                self._waker.send(b".")

    # In the thread

    def _run(self, wake_up: socket.socket) -> None:
        with wake_up:
            while not self._is_closed:
                try:
                    self._follow_all(wake_up)
                except Exception:  # noqa: BLE001 - whatever it is, the games are followed again
                    _LOG.exception("the channels of games are followed anew")
                    time.sleep(_PAUSE_SECONDS)
        if self._waker is not None:
            self._waker.close()

    def _follow_all(self, wake_up: socket.socket) -> None:
        """Follow the channels of all games, from the first to the end or an error."""
        with self._lock:
            self._changed.extend(self._wanted)
        with DefaultSelector() as self._selector:
            self._selector.register(wake_up, EVENT_READ)
            try:
                while not self._is_closed:
                    self._step(wake_up)
            finally:
                self._close_all()

    def _close_all(self) -> None:
        subscribers, self._subscribers = self._subscribers, {}
        self._followed.clear()
        self._later.clear()
        for subscriber in subscribers.values():
            subscriber.close()

    def _step(self, wake_up: socket.socket) -> None:
        self._take_changes()
        for key, _ in self._selector.select(self._timeout()):
            if key.data is None:
                wake_up.recv(4_096)
            else:
                self._attempt(key.data, self._read)
        self._keep_up(time.monotonic())

    def _timeout(self) -> float:
        return _PAUSE_SECONDS / 2 if self._followed or self._later else _IDLE_SECONDS

    def _take_changes(self) -> None:
        begun = []
        while self._changed:
            game_id = self._changed.popleft()
            if game_id in self._wanted:
                begun.append(game_id)
            elif (pool := self._followed.pop(game_id, None)) is not None:
                self._attempt(pool, partial(Subscriber.unsubscribe, game_id=game_id))
        self._follow(begun)

    def _follow(self, game_ids: Iterable[str]) -> None:
        """Follow the channels of games that are still wanted, by one command a server."""
        groups: dict[redis.ConnectionPool, list[str]] = {}
        for game_id in dict.fromkeys(game_ids):
            if game_id in self._wanted and game_id not in self._followed:
                try:
                    groups.setdefault(self._pools.for_key(game_key(game_id)), []).append(game_id)
                except CLIENT_ERRORS:
                    self._try_later([game_id], _PAUSE_SECONDS)
        for pool, ids in groups.items():
            self._followed.update(dict.fromkeys(ids, pool))
            self._attempt(pool, partial(Subscriber.subscribe, game_ids=ids))

    def _attempt(self, pool: redis.ConnectionPool, action: Callable[[Subscriber], object]) -> None:
        """Do something at a server; where that fails, its games are tried again later."""
        try:
            action(self._subscriber(pool))
        except NoPermissionError as error:
            _LOG.warning("no channel is followed for %d s: %s", _DENIED_SECONDS, error)
            self._give_up(pool, _DENIED_SECONDS)
        except CLIENT_ERRORS:
            self._must_refresh = True
            self._give_up(pool, _PAUSE_SECONDS)

    def _subscriber(self, pool: redis.ConnectionPool) -> Subscriber:
        subscriber = self._subscribers.get(pool)
        if subscriber is None:
            subscriber = self._subscribers[pool] = Subscriber(pool)
            for each in [each for each, other in self._subscribers.items() if other.is_closed]:
                self._give_up(each, 0)  # the new socket may have the number of that one
            self._selector.register(subscriber.socket, EVENT_READ, pool)
        return subscriber

    def _read(self, subscriber: Subscriber) -> None:
        news, lost = subscriber.read()
        for game_id in news:
            self._on_news(game_id)
        if lost:
            self._must_refresh = True  # their slots have moved
            for game_id in lost:
                self._followed.pop(game_id, None)
            self._try_later(lost, 0)

    def _give_up(self, pool: redis.ConnectionPool, pause: float) -> None:
        subscriber = self._subscribers.pop(pool, None)
        if subscriber is not None:
            self._selector.unregister(subscriber.socket)
            subscriber.close()
        games = [game_id for game_id, each in self._followed.items() if each is pool]
        for game_id in games:
            del self._followed[game_id]
        self._try_later(games, pause)

    def _try_later(self, game_ids: list[str], pause: float) -> None:
        self._later.append((time.monotonic() + pause, game_ids))

    def _keep_up(self, now: float) -> None:
        """Try again what is due, and see whether silent servers are still there."""
        for pool in tuple(self._subscribers):
            self._attempt(pool, partial(Subscriber.check, now=now))
        if self._must_refresh:
            self._must_refresh = False
            self._pools.refresh()
        for _ in range(len(self._later)):
            due, game_ids = self._later.popleft()
            if due <= now:
                self._follow(game_ids)
            else:
                self._later.append((due, game_ids))
