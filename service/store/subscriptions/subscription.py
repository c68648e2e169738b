"""What tells a worker that one of the games which are watched there was changed.

The server does, by the channel of the game. Besides, the length of its log is looked at every two
seconds. Each change is told of at least once, and may be told of twice.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

from service.store.connections.topologies import Pools
from service.store.subscriptions.channels import Channels
from service.store.subscriptions.length_checks import LengthChecks

OnNews = Callable[[], None]


class Subscription:
    """Calls a function for each change of each watched game; safe to share between threads."""

    def __init__(self, pools: Pools) -> None:
        self._watched: dict[str, OnNews] = {}
        self._lock = threading.Lock()
        self._sources = (Channels(pools, self._tell), LengthChecks(pools, self._tell))

    def watch(self, game_id: str, on_news: OnNews) -> None:
        """Call `on_news`, which must not wait, after each change of a game from now on.

        It is called too often rather than too seldom, and in another thread.
        """
        with self._lock:
            self._watched[game_id] = on_news
            for source in self._sources:
                source.follow(game_id)

    def leave(self, game_id: str) -> None:
        """Watch a game no longer."""
        with self._lock:
            if self._watched.pop(game_id, None) is not None:
                for source in self._sources:
                    source.leave(game_id)

    def close(self) -> None:
        """Watch nothing any more."""
        for source in self._sources:
            source.close()

    def _tell(self, game_id: str) -> None:
        with suppress(KeyError):
            self._watched[game_id]()
