"""The load of the trials: clients that repeat as docs/integrate.md says, and viewers beside them.

    under_load -> run_load (games at every instance in turn), WatchedGames (a game with viewers)

Each request goes to the next of the instances, as behind a balancer that checks nobody's health. So
the moves of one game are made by all of them, and a request may meet an instance that is stopped.
"""

from __future__ import annotations

import itertools
import math
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from tests.chaos.traffic.history import History
from tests.chaos.traffic.http_client import (
    Answer,
    Client,
    HttpTransport,
    LostAnswerError,
    Request,
    UnansweredError,
)
from tests.chaos.traffic.load import Workload, run_load
from tests.chaos.watching.games import WatchedGames
from tests.nodes import wait_for

_ATTEMPTS = 10
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 10.0
_REPEATED = (429, 502, 503, 504)
_WAIT_SECONDS = 120.0
_END_SECONDS = 120.0
"""For viewers to see a game's end: that may come while no instance serves."""


class Balancer:
    """Sends each request to the next of some addresses, on a new connection; thread-safe."""

    def __init__(self, urls: Sequence[str]) -> None:
        self._transports = itertools.cycle(list(map(HttpTransport, urls)))
        self._lock = threading.Lock()

    def send(self, request: Request) -> Answer:
        """The answer; raises LostAnswerError."""
        with self._lock:
            transport = next(self._transports)
        return transport.send(request)


class Counts:
    """What the clients met, by problem code or `lost`, and the longest wait for an answer (s)."""

    def __init__(self) -> None:
        self.met: Counter[str] = Counter()
        self.longest = 0.0
        self._lock = threading.Lock()

    def add(self, met: Sequence[str], seconds: float) -> None:
        """Add a request that was answered after so many seconds."""
        with self._lock:
            self.met.update(met)
            self.longest = max(self.longest, seconds)


class DocumentedClient(Client):
    """Repeats a request as often and after such pauses as the client of docs/integrate.md."""

    def __init__(self, transport: Balancer, history: History, counts: Counts) -> None:
        super().__init__(transport, history)
        self._balancer = transport
        self._counts = counts

    def send_until_answered(self, request: Request) -> Answer:
        """The answer; raises UnansweredError after ten attempts."""
        assert request.is_repeatable, "the documented client gives each request a key"
        began, met = time.monotonic(), list[str]()
        for attempt in range(_ATTEMPTS):
            pause = min(_FIRST_PAUSE * 2**attempt, _LONGEST_PAUSE)
            try:
                answer = self._balancer.send(request)
            except LostAnswerError:
                met.append("lost")
            else:
                if answer.status not in _REPEATED:
                    self._counts.add(met, time.monotonic() - began)
                    return answer
                met.append(answer.code)
                pause = answer.retry_after or pause
            time.sleep(pause)
        self._counts.add(met, time.monotonic() - began)
        raise UnansweredError(f"not answered in {_ATTEMPTS} attempts ({met}): {request}")


class Load:
    """Games that are played and watched while a trial restarts the instances."""

    def __init__(self, urls: Sequence[str], seed: int) -> None:
        self.history = History()
        self.counts = Counts()
        self._balancer = Balancer(urls)
        self._began = time.monotonic()
        self.seconds = 0.0
        viewer = DocumentedClient(self._balancer, History(), self.counts)
        self.watched = WatchedGames(
            urls[0],
            random.Random(seed),
            most_lag=math.inf,
            client=viewer,
            viewers_at=urls,
            end_seconds=_END_SECONDS,
        )
        self.futures: list[Future[None]] = []

    def client(self) -> DocumentedClient:
        """A client of the games that are not watched."""
        return DocumentedClient(self._balancer, self.history, self.counts)

    def wait_for_moves(self, count: int) -> None:
        """Wait for so many more moves in the games, and for one more in the watched one."""
        moves, watched = self.history.moves + count, self.watched.moves + 1
        wait_for(
            lambda: (
                any(each.done() for each in self.futures)
                or (self.history.moves >= moves and self.watched.moves >= watched)
            ),
            "moves after a restart",
            _WAIT_SECONDS,
        )

    def violations(self) -> list[str]:
        """What the clients and viewers saw that must not be."""
        found = [*self.history.violations(), *self.watched.violations]
        if broken := self.watched.counts["connections broken"]:
            found.append(f"{broken} streams or waiting calls ended before their last chunk")
        # The storage is there as long as any request is.
        found += [f"{n} answers {code}" for code, n in self.counts.met.items() if code != "lost"]
        return found

    def summary(self) -> str:
        """The counts as one line."""
        moves = self.history.moves + self.watched.moves
        ended = self.watched.counts["connections ended"]
        return (
            f"{moves} moves acknowledged, {moves / self.seconds:.0f} a second,"
            f" {self.counts.met['lost']} requests repeated that met no service,"
            f" the longest wait for an answer {self.counts.longest:.1f} s,"
            f" {self.watched.counts['games']} games watched, {ended} streams ended and resumed"
        )

    def end(self) -> None:
        """Take the time of the whole load."""
        self.seconds = time.monotonic() - self._began


@contextmanager
def under_load(urls: Sequence[str], seed: int, clients: int) -> Iterator[Load]:
    """Have clients play, and viewers watch; in the end the games that go on are checked."""
    load, is_enough = Load(urls, seed), threading.Event()
    with ThreadPoolExecutor(2) as pool:
        load.futures = [
            pool.submit(
                run_load,
                Balancer(urls),
                load.history,
                Workload(),
                f"upgrades {seed}",
                clients=clients,
                enough=is_enough.is_set,
                to_the_end=False,
                make_client=load.client,
            ),
            pool.submit(load.watched.play, is_enough.is_set),
        ]
        try:
            yield load
        finally:
            is_enough.set()
        for each in load.futures:
            each.result()
    load.end()
