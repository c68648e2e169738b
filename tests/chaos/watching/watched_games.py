"""Who watches a game sees every event once, in order, redacted and soon, whatever is cut or killed.

The real service runs with two workers and its embedded server. Games are played and watched, while
connections of viewers are cut at random moments and workers are killed.
"""

from __future__ import annotations

import os
import random
import signal
import tempfile
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from tests.chaos.trial import Outcome, Trial
from tests.chaos.watching.games import WatchedGames
from tests.nodes import wait_for
from tests.system.launch import Launch

_WORKERS = 2
_MOST_MOVES_BETWEEN = 6
_MOST_SECONDS_BETWEEN = 0.05
_WAIT_SECONDS = 60.0


def run(cuts: int = 50, kills: int = 10, seed: int = 1) -> Outcome:
    """Cut so many connections and kill so many workers while games are played and watched."""
    rng = random.Random(f"watched games {seed}")
    harm = rng.sample([*["cut"] * cuts, *["kill"] * kills], cuts + kills)
    with (
        tempfile.TemporaryDirectory() as folder,
        Launch(Path(folder), LOG_LEVEL="WARNING", WORKERS=str(_WORKERS)) as service,
    ):
        games = WatchedGames(service.url(), random.Random(seed))
        is_enough = threading.Event()
        with ThreadPoolExecutor(1) as pool:
            playing = pool.submit(games.play, is_enough.is_set)
            try:
                for what in harm:
                    _pause(games, playing, rng)
                    if playing.done():
                        break
                    if what == "cut":
                        wait_for(lambda: playing.done() or games.cut(rng), "a connection to cut")
                    else:
                        _kill_worker(service, rng)
            finally:
                is_enough.set()
            playing.result()
        output = service.output
    violations = [f"seed {seed}: {violation}" for violation in games.violations]
    if "Traceback" in output:
        violations.append(f"seed {seed}: the service printed {output[-2000:]}")
    return Outcome(f"{kills} kills, {summary(games)}", violations)


def summary(games: WatchedGames) -> str:
    """The counts of games as one line."""
    counts = games.counts
    return (
        f"{counts['cuts']} connections cut, {counts['connections broken']} broken in all,"
        f" {counts['games']} games, {counts['moves']} moves, {counts['events']} events seen,"
        f" at most {games.longest_lag:.1f} s behind"
    )


def _pause(games: WatchedGames, playing: Future[None], rng: random.Random) -> None:
    """Wait for a few moves and a random instant, so that harm is spread over games and answers."""
    enough = games.moves + rng.randint(0, _MOST_MOVES_BETWEEN)
    wait_for(lambda: playing.done() or games.moves >= enough, "moves between", _WAIT_SECONDS)
    time.sleep(rng.uniform(0, _MOST_SECONDS_BETWEEN))


def _kill_worker(service: Launch, rng: random.Random) -> None:
    """Kill a worker once all of them serve: with none at all everything waits for the start."""
    wait_for(lambda: len(_serving(service)) == _WORKERS, "workers that serve", _WAIT_SECONDS)
    with suppress(ProcessLookupError):
        os.kill(rng.choice(_serving(service)), signal.SIGKILL)


def _serving(service: Launch) -> list[int]:
    """The workers that serve: each has threads by then."""
    return [pid for pid in service.workers() if _threads(pid) > 1]


def _threads(pid: int) -> int:
    with suppress(OSError):
        return len(list(Path(f"/proc/{pid}/task").iterdir()))
    return 0


TRIALS = (
    Trial(
        "Who watches sees every event once, in order, redacted, at most 5 s behind.",
        "Viewers by streams and waiting calls; connections cut, workers killed, a human leaves",
        run,
    ),
)
