"""The metrics of the service, as Prometheus counts them: what each is called, and who counts it.

The parts of the service know no Prometheus. Each calls methods of an observer, if it was given
one: `Metrics` is an observer of all of them. With several worker processes each counts in a file
of its own in the folder that PROMETHEUS_MULTIPROC_DIR names, and whoever shows the metrics adds
them up (the multiprocess mode of prometheus-client).

Counting within a request would cost it some 20 to 100 µs, since the library's code and data have
left the processor's caches meanwhile. So a request only notes what is to be counted, and the
worker's loop counts it once a second.

Names follow https://prometheus.io/docs/practices/naming/. No label has a value of a client's.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from service.observer import Answer, Observer

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper bounds in seconds, for requests and for the storage."""
_CHILDREN = 1_024
"""The most series of one metric that are found again without looking for their labels."""
_LEAST_WAIT = 0.001
"""Seconds; a request that waited for less did not wait."""
_MAX_PENDING = 4_096
"""With so many things to count a request counts them itself, where nobody else does."""


class Metrics(Observer):
    """Counts what happens in one process, in metrics of a registry; safe to share by threads."""

    def __init__(
        self, registry: CollectorRegistry, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        """`clock` gives seconds."""
        self._clock = clock
        self._lock = threading.Lock()
        self._of_threads: list[_Totals] = []
        self._thread = _Thread(self._of_threads)
        self._pending = deque[tuple[_Durations, float]]()
        requests = _Durations(
            "three_thirteen_request_duration_seconds",
            "Requests by operation and status, and how long they took to answer.",
            ("operation", "status"),
            buckets=_BUCKETS,
            registry=registry,
        )
        self._request = lru_cache(_CHILDREN)(requests.labels)
        self._waited = Counter(
            "three_thirteen_request_wait_seconds",
            "Time that complete requests have waited for a thread.",
            registry=registry,
        )
        self._waiting = Gauge(
            "three_thirteen_requests_waiting",
            "Requests that wait for a thread, as seen once a second.",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self._moves = Counter(
            "three_thirteen_moves", "Draws and discards of callers.", registry=registry
        )
        self._created = Counter(
            "three_thirteen_games_created", "Games created, rematches too.", registry=registry
        )
        self._finished = Counter(
            "three_thirteen_games_finished", "Games that have ended.", registry=registry
        )
        watchers = Gauge(
            "three_thirteen_streams_open",
            "Open streams of events, and calls that wait for one.",
            ("kind",),
            registry=registry,
            multiprocess_mode="livesum",
        )
        self._watchers = lru_cache(_CHILDREN)(watchers.labels)
        ai_seconds = Counter(
            "three_thirteen_ai_seconds",
            "Time in which AI players have chosen their moves, hints aside.",
            ("level",),
            registry=registry,
        )
        self._ai_seconds = lru_cache(_CHILDREN)(ai_seconds.labels)
        ai_choices = Counter(
            "three_thirteen_ai_choices",
            "Moves that AI players chose.",
            ("level",),
            registry=registry,
        )
        self._ai_choices = lru_cache(_CHILDREN)(ai_choices.labels)
        store = _Durations(
            "three_thirteen_store_duration_seconds",
            "Calls to the storage by kind, with what was tried again.",
            ("kind",),
            buckets=_BUCKETS,
            registry=registry,
        )
        self._store = lru_cache(_CHILDREN)(store.labels)
        retries = Counter(
            "three_thirteen_store_retries",
            "Attempts at the storage that failed and were repeated, by condition.",
            ("condition",),
            registry=registry,
        )
        self._retries = lru_cache(_CHILDREN)(retries.labels)
        failures = Counter(
            "three_thirteen_store_failures",
            "Calls to the storage that failed, by condition.",
            ("condition",),
            registry=registry,
        )
        self._failures = lru_cache(_CHILDREN)(failures.labels)

    def tick(self, waiting: int) -> None:
        """Count what has happened since the last time; `waiting` requests wait for a thread."""
        self._waiting.set(waiting)
        self.count()

    def count(self) -> None:
        """Count what has happened since the last time."""
        self._count_totals()
        pending = self._pending
        counts: dict[_Durations, list[int]] = {}
        sums: defaultdict[_Durations, float] = defaultdict(float)
        with suppress(IndexError):  # it is empty: perhaps another thread was quicker
            while pending:
                durations, seconds = pending.popleft()
                if durations not in counts:
                    counts[durations] = [0] * (len(_BUCKETS) + 1)
                counts[durations][bisect_left(_BUCKETS, seconds)] += 1
                sums[durations] += seconds
        for durations, numbers in counts.items():
            durations.add(sums[durations], numbers)

    # Requests

    def answered(self, answer: Answer) -> None:
        """A request was answered."""
        self._pending.append((self._request(answer.operation, answer.status), answer.seconds))
        if answer.waited >= _LEAST_WAIT:
            self._waited.inc(answer.waited)
        if len(self._pending) >= _MAX_PENDING:
            self.count()

    # Games

    def moved(self) -> None:
        """A draw or a discard of a caller was committed."""
        self._thread.totals.moves += 1

    def committed(self, *, is_created: bool, is_finished: bool) -> None:
        """A version of a game was committed: its first one, or the one in which it ends."""
        if is_created:
            self._created.inc()
        if is_finished:
            self._finished.inc()

    def watched(self, kind: str, change: int) -> None:
        """So many more streams or waiting calls are open, or fewer where it is negative."""
        self._watchers(kind).inc(change)

    # AI players

    def choice_began(self) -> None:
        """An AI player begins to choose a move, in this thread."""
        self._thread.totals.began = self._clock()

    def choice_ended(self, level: str) -> None:
        """The player has chosen, or failed."""
        totals = self._thread.totals
        totals.seconds[level] += self._clock() - totals.began
        totals.choices[level] += 1

    def _count_totals(self) -> None:
        with self._lock:
            for totals in self._of_threads:
                now = totals.copy()
                self._moves.inc(now.moves - totals.counted.moves)
                for level, choices in now.choices.items():
                    self._ai_choices(level).inc(choices - totals.counted.choices[level])
                    self._ai_seconds(level).inc(now.seconds[level] - totals.counted.seconds[level])
                totals.counted = now

    # Store

    def called(self, kind: str, seconds: float) -> None:
        """A call to the storage has ended, well or not."""
        self._pending.append((self._store(kind), seconds))

    def retried(self, condition: str) -> None:
        """An attempt has failed and is repeated."""
        self._retries(condition).inc()

    def failed(self, condition: str) -> None:
        """A call has failed."""
        self._failures(condition).inc()


class _Durations(Histogram):
    """A histogram that counts many durations at once, which the library's own does one by one."""

    def add(self, seconds: float, numbers: Sequence[int]) -> None:
        """Count durations by their sum, and how many of them fall into each bucket."""
        self._sum.inc(seconds)
        for bucket, number in zip(self._buckets, numbers, strict=True):
            if number:
                bucket.inc(number)


@dataclass(slots=True)
class _Counts:
    """Moves of callers, and choices of AI players by level, with the seconds that they took."""

    moves: int = 0
    choices: defaultdict[str, int] = field(default_factory=partial(defaultdict, int))
    seconds: defaultdict[str, float] = field(default_factory=partial(defaultdict, float))


@dataclass(slots=True)
class _Totals(_Counts):
    """All that one thread has noted, which it alone changes, and what of that is `counted`.

    `began`: when the choice began that the thread makes now.
    """

    began: float = 0.0
    counted: _Counts = field(default_factory=_Counts)

    def copy(self) -> _Counts:
        """The counts as they are now; a choice is noted after its seconds."""
        choices = self.choices.copy()
        return _Counts(self.moves, choices, self.seconds.copy())


class _Thread(threading.local):
    """The totals of the thread that asks; those of all threads are in a list."""

    def __init__(self, of_threads: list[_Totals]) -> None:
        self.totals = _Totals()
        of_threads.append(self.totals)
