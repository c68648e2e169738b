"""The watchers of one worker: when there is news of a game, it is read once for all of them.

    news (a commit, a deadline, a new watcher) -> a reader loads the game -> each watcher's sink

No thread waits for a watcher or a game. A few threads read the games of which there is news, and
one looks at the clock. A read that failed is tried again.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from random import SystemRandom

from service.errors import (
    ConflictError,
    CorruptGameError,
    GameNotFoundError,
    QuotaExceededError,
    StorageError,
)
from service.games.answers.responses import GameResponse
from service.games.loaded import CallerT_co, LoadedGame
from service.games.observer import GameObserver
from service.games.repository import GameRepository
from service.games.stored.meta import Meta
from service.games.transactions import Transactions
from service.games.watching.current_game import CurrentGame
from service.games.watching.places import Places
from service.games.watching.watched_game import WatchedGame
from service.games.watching.watcher import (
    COMMENT_SECONDS,
    EventStream,
    LongPoll,
    OpenSink,
    Sink,
    Watcher,
)
from service.store.subscriptions.subscription import Subscription

READERS = 2
"""The threads that read games."""
_TICK_SECONDS = 0.25
_PAUSE_SECONDS = 1.0
"""Until a read that failed is tried again."""
_BACK_SECONDS = 5
"""When to come back where there is no place."""
_LOG = logging.getLogger("service.watchers")


class Watchers:
    """Lets callers watch games; `clock` gives ms since 1970, `monotonic` seconds."""

    def __init__(
        self,
        transactions: Transactions,
        repository: GameRepository,
        subscription: Subscription,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
        observer: GameObserver | None = None,
    ) -> None:
        self._transactions = transactions
        self._repository = repository
        self._subscription = subscription
        self._clock = clock
        self._monotonic = monotonic
        self._observer = observer
        self._jitter = SystemRandom().random
        self._places = Places()
        self._lock = threading.Lock()
        self._games: dict[str, WatchedGame] = {}
        self._has_games = threading.Event()
        self._is_closed = threading.Event()
        self._ticker: threading.Thread | None = None
        self._readers = ThreadPoolExecutor(READERS, "watchers")

    def stream(
        self, game_id: str, token: str | None, start: int | None, open_sink: OpenSink | None
    ) -> GameResponse:
        """The events of a game from now on, after the seq `start`, or after the game as it is.

        Without a way to go on (`open_sink`) it ends at once. Counts as a call of the token's seat.
        Raises like `Transactions.read`, and QuotaExceededError.
        """
        loaded = self._transactions.read(game_id, token)
        current = self._current(loaded)
        if current.is_over and start == current.seq:
            return GameResponse(204)
        # All clients may come back at once: their comments are not to be due at once, too.
        first_comment = self._monotonic() + COMMENT_SECONDS * self._jitter()
        stream = EventStream(loaded.caller.seat, token, start, first_comment)
        first = stream.first(current)
        if current.is_over or open_sink is None:
            return GameResponse(200, first)
        return self._begin(loaded, stream, first, open_sink)

    def next_page(
        self,
        game_id: str,
        token: str | None,
        after: int,
        limit: int,
        seconds: int,
        open_sink: OpenSink | None,
    ) -> GameResponse:
        """Up to `limit` events after a seq, as soon as there is one, or none after so many seconds.

        Otherwise like `stream`.
        """
        loaded = self._transactions.read(game_id, token)
        deadline = self._monotonic() + seconds
        poll = LongPoll(loaded.caller.seat, token, after, limit, deadline)
        page, is_end = poll.news(self._current(loaded))
        if is_end or open_sink is None:
            return GameResponse(200, page or poll.farewell())
        return self._begin(loaded, poll, b"", open_sink)

    def share_places(self, file: int) -> None:
        """Share the places of seats with all processes that have this file open."""
        self._places.share(file)

    def close(self) -> None:
        """End the threads; the web server has ended the sinks."""
        self._is_closed.set()
        self._has_games.set()
        self._readers.shutdown()

    def _current(self, loaded: LoadedGame[CallerT_co]) -> CurrentGame:
        self._transactions.complete_rematch(loaded)  # a view may show it
        return CurrentGame(loaded, self._repository)

    def _begin(
        self, loaded: LoadedGame[CallerT_co], watcher: Watcher, first: bytes, open_sink: OpenSink
    ) -> GameResponse:
        game_id = loaded.game_id
        if not self._places.take(game_id, watcher.seat):
            raise QuotaExceededError("too many watch this game in this place", _BACK_SECONDS)
        sink = open_sink(partial(self._on_close, game_id, watcher), watcher.farewell())
        if sink is None:
            self._places.free(game_id, watcher.seat)
            raise QuotaExceededError("too many watch games here", _BACK_SECONDS)
        self._observe(watcher, 1)
        sink.send(first)
        self._add(watcher, sink, loaded)
        # What was committed since the game was read, and before news of it is heard.
        self._on_news(game_id)
        return GameResponse(200, is_open=True)

    def _add(self, watcher: Watcher, sink: Sink, loaded: LoadedGame[CallerT_co]) -> None:
        game_id = loaded.game_id
        with self._lock:
            watched = self._games.get(game_id)
            if watched is None:
                watched = self._games[game_id] = WatchedGame(game_id)
                watched.deadline = loaded.meta.deadline
                self._subscription.watch(game_id, partial(self._on_news, game_id))
            watched.watchers[watcher] = sink
            if self._ticker is None:
                self._ticker = threading.Thread(target=self._tick, name="watchers", daemon=True)
                self._ticker.start()
        self._has_games.set()

    def _on_close(self, game_id: str, watcher: Watcher) -> None:
        self._places.free(game_id, watcher.seat)
        self._observe(watcher, -1)
        self._remove(game_id, watcher)

    def _observe(self, watcher: Watcher, change: int) -> None:
        if self._observer is not None:
            self._observer.watched(watcher.kind, change)

    def _remove(self, game_id: str, watcher: Watcher) -> bool:
        """Send a watcher nothing any more; return False if somebody else has ended it."""
        with self._lock:
            watched = self._games.get(game_id)
            if watched is None or watched.watchers.pop(watcher, None) is None:
                return False
            if not watched.watchers:
                del self._games[game_id]
                self._subscription.leave(game_id)
                if not self._games:
                    self._has_games.clear()
        return True

    # News

    def _on_news(self, game_id: str) -> None:
        with self._lock:
            watched = self._games.get(game_id)
            if watched is None:
                return
            watched.has_news = True
            if watched.is_read:
                return
            watched.is_read = True
        self._readers.submit(self._read, watched)

    def _read(self, watched: WatchedGame) -> None:
        """Read a game, and again while there is news of it; one thread at a time."""
        while self._takes_news(watched):
            try:
                self._show(watched)
            except (StorageError, ConflictError):
                watched.retry_at = self._monotonic() + _PAUSE_SECONDS
            except GameNotFoundError:
                self._end_all(watched)
            except CorruptGameError as error:
                _LOG.error("game %s cannot be watched: %.200s", watched.game_id, error)
                self._end_all(watched)
            except Exception:  # noqa: BLE001 - whatever it is, the other games go on
                _LOG.exception("the watchers of game %s are dropped", watched.game_id)
                self._end_all(watched)

    def _takes_news(self, watched: WatchedGame) -> bool:
        with self._lock:
            watched.is_read = watched.has_news
            if watched.has_news:
                watched.has_news, watched.retry_at = False, None
            return watched.is_read

    def _show(self, watched: WatchedGame) -> None:
        """Send each watcher what is new to it; the events are read once, for who has fewest."""
        with self._lock:
            # Before the game is read: whoever comes after that may have more events than is read.
            watchers = sorted(watched.watchers.items(), key=lambda each: each[0].position)

        def settles(meta: Meta) -> bool:
            """Whether a seat still watches: its holder may have left the game since."""
            return any(
                each.seat is not None and each.may_watch(meta.tokens) for each, _ in watchers
            )

        loaded = self._transactions.read_for_watchers(watched.game_id, settles)
        current = self._current(loaded)
        watched.deadline = current.meta.deadline
        for watcher, sink in watchers:
            if watcher.may_watch(current.meta.tokens):
                self._send(watched, watcher, sink, *watcher.news(current))
            else:
                self._send(watched, watcher, sink, watcher.farewell(), True)

    def _end_all(self, watched: WatchedGame) -> None:
        with self._lock:
            watchers = list(watched.watchers.items())
        for watcher, sink in watchers:
            self._send(watched, watcher, sink, watcher.farewell(), True)

    def _send(
        self, watched: WatchedGame, watcher: Watcher, sink: Sink, text: bytes, is_end: bool
    ) -> None:
        """Send something; an end is sent once, whichever thread comes to it first."""
        if is_end:
            if self._remove(watched.game_id, watcher):
                sink.end(text)
        elif text and not sink.send(text):
            self._remove(watched.game_id, watcher)

    # Time

    def _tick(self) -> None:
        while not self._is_closed.wait(_TICK_SECONDS):
            try:
                self._act_on_time(self._monotonic(), self._clock())
            except Exception:  # noqa: BLE001 - whatever it is, the clock goes on
                _LOG.exception("watchers may not have been told of the time")
            self._has_games.wait()

    def _act_on_time(self, monotonic: float, wall: int) -> None:
        with self._lock:
            games = [(each, list(each.watchers.items())) for each in self._games.values()]
            due = [each.game_id for each, _ in games if each.is_due(monotonic, wall)]
        for game_id in due:
            self._on_news(game_id)
        for watched, watchers in games:
            for watcher, sink in watchers:
                if (message := watcher.due(monotonic)) is not None:
                    self._send(watched, watcher, sink, *message)
