"""Who watches a game misses nothing and sees nothing twice where the store's master is lost.

The real service runs over a Sentinel group or a cluster with `DURABILITY=acknowledged`, whose
master is killed, frozen or replaced while games are played and watched. How late an event is
counts from when it could be read, and anew after each time when nothing could.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from tests.chaos.store.failover import FAULTS, serving_over
from tests.chaos.traffic.http_client import HttpTransport, LostAnswerError, Request
from tests.chaos.trial import Outcome, Trial
from tests.chaos.watching.games import WatchedGames
from tests.chaos.watching.judgement import Since
from tests.chaos.watching.viewers import Seen
from tests.chaos.watching.watched_games import summary
from tests.nodes import Group, cluster_group, sentinel_group, wait_for

_MOVES_BETWEEN = 20
_CUTS_BETWEEN = 2
_WAIT_SECONDS = 90.0
_READ_SECONDS = 0.05
_PAGE = 1_000


@dataclass(slots=True)
class Readings:
    """When each event of a game was first read, by seq, and when reading failed (s since 1970)."""

    game_id: str
    times: dict[int, float] = field(default_factory=dict)
    failures: list[float] = field(default_factory=list)

    def since(self, seen: Seen) -> float:
        """From when an event could be seen: since it was read, and reading has not failed again."""
        failed = max((each for each in self.failures if each < seen.at), default=0.0)
        return max(self.times.get(seen.seq, seen.at), failed)


class Reader:
    """Reads the events of one game after another, as often as it can."""

    def __init__(self, url: str) -> None:
        self._wire = HttpTransport(url)
        self._readings = Readings("")
        self._is_stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def read(self, game_id: str) -> Since:
        """Read this game from now on."""
        self._readings = Readings(game_id)
        return self._readings.since

    def stop(self) -> None:
        """Read no more."""
        self._is_stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._is_stopped.wait(_READ_SECONDS):
            if self._readings.game_id:
                self._read_once(self._readings)

    def _read_once(self, readings: Readings) -> None:
        query = f"after={len(readings.times)}&limit={_PAGE}"
        try:
            answer = self._wire.send(Request("GET", f"/v1/games/{readings.game_id}/events?{query}"))
        except LostAnswerError:
            readings.failures.append(time.time())
            return
        now = time.time()
        if answer.status == 200:
            readings.times.update({event["seq"]: now for event in answer.json["events"]})
        else:
            readings.failures.append(now)


def run(
    group_of: Callable[[], AbstractContextManager[Group]], faults: Sequence[str], seed: int = 1
) -> Outcome:
    """Inject these faults into the master, in random order, while games are played and watched."""
    rng = random.Random(f"watched failovers {seed}")
    violations = []
    with group_of() as group, serving_over(group) as service:
        reader = Reader(service.url())
        games = WatchedGames(service.url(), random.Random(seed), reader.read)
        is_enough = threading.Event()
        with ThreadPoolExecutor(1) as pool:
            playing = pool.submit(games.play, is_enough.is_set)
            try:
                # In this thread: a server ends together with the thread that started it.
                for name in rng.sample(faults, len(faults)):
                    _wait_for_moves(games, playing.done)
                    for _ in range(_CUTS_BETWEEN):
                        games.cut(rng)
                    wait_for(group.is_complete, "a whole group", _WAIT_SECONDS)
                    FAULTS[name](group)
                    games.counts[name] += 1
            except AssertionError as error:
                violations.append(f"the group did not recover: {error}")
            finally:
                is_enough.set()
            playing.result()
        reader.stop()
        output = service.output
    violations += games.violations
    if "Traceback" in output:
        violations.append(f"the service printed {output[-2000:]}")
    counted = ", ".join(f"{games.counts[name]} {name}" for name in FAULTS)
    return Outcome(f"{counted}; {summary(games)}", [f"seed {seed}: {each}" for each in violations])


def _wait_for_moves(games: WatchedGames, is_done: Callable[[], bool]) -> None:
    enough = games.moves + _MOVES_BETWEEN
    wait_for(lambda: is_done() or games.moves >= enough, "moves between", _WAIT_SECONDS)


def sentinel(rounds: int = 5) -> Outcome:
    """Faults of the master of a Sentinel group."""
    return run(sentinel_group, [*FAULTS] * rounds)


def cluster(rounds: int = 5) -> Outcome:
    """Faults of a master of a cluster."""
    return run(cluster_group, [*FAULTS] * rounds)


TRIALS = (
    Trial(
        "The loss of a Sentinel master costs who watches no event, and shows none twice.",
        "DURABILITY=acknowledged: the master is killed, frozen or replaced during watched games",
        sentinel,
    ),
    Trial(
        "The loss of a cluster's master costs who watches no event, and shows none twice.",
        "DURABILITY=acknowledged: a master is killed, frozen or replaced during watched games",
        cluster,
    ),
)
