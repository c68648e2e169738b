"""A killed worker never loses an acknowledged move, and never makes a move twice.

The real service runs with two workers and its embedded server. Clients play whole games and send a
fifth of their moves twice at once; meanwhile workers are killed one after another. Each kill comes
after a random number of acknowledged moves and a short random time, so that kills are spread over
the games on machines of any speed.
"""

from __future__ import annotations

import os
import random
import signal
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from tests.chaos.traffic.history import History
from tests.chaos.traffic.http_client import HttpTransport
from tests.chaos.traffic.load import Workload, run_load
from tests.chaos.trial import Outcome, Trial
from tests.system.launch import Launch

_MAX_MOVES_BETWEEN_KILLS = 18
_MAX_WAIT_SECONDS = 0.03
_POLL_SECONDS = 0.005


class Killer:
    """Kills random workers of a service, `kills` in all, in its own thread."""

    def __init__(self, service: Launch, history: History, kills: int, rng: random.Random) -> None:
        self._service = service
        self._history = history
        self._left = kills
        self._rng = rng
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def is_done(self) -> bool:
        """Whether all kills have been made."""
        return self._left == 0

    def __enter__(self) -> Killer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while self._left and not self._stopped.is_set():
            self._wait_for_moves(self._rng.randint(1, _MAX_MOVES_BETWEEN_KILLS))
            time.sleep(self._rng.uniform(0, _MAX_WAIT_SECONDS))
            if workers := self._service.workers():
                with suppress(ProcessLookupError):
                    os.kill(self._rng.choice(workers), signal.SIGKILL)
                    self._history.count("kills")
                    self._left -= 1

    def _wait_for_moves(self, count: int) -> None:
        enough = self._history.moves + count
        while self._history.moves < enough and not self._stopped.wait(_POLL_SECONDS):
            pass


def run(kills: int = 300, moves: int = 3000, clients: int = 6, seed: int = 1) -> Outcome:
    """Kill so many workers while at least so many moves are made; then finish all games."""
    history = History()
    with (
        tempfile.TemporaryDirectory() as folder,
        Launch(Path(folder), LOG_LEVEL="WARNING", WORKERS="2") as service,
    ):
        transport = HttpTransport(service.url())
        with Killer(service, history, kills, random.Random(seed)) as killer:
            run_load(
                transport,
                history,
                Workload(),
                f"kills {seed}",
                clients=clients,
                enough=lambda: killer.is_done and history.moves >= moves,
            )
        output = service.output
    violations = [f"seed {seed}: {violation}" for violation in history.violations()]
    if "Traceback" in output:
        violations.append(f"seed {seed}: the service printed {output[-2000:]}")
    return Outcome(_summary(history), violations)


def _summary(history: History) -> str:
    counts = history.counts
    return (
        f"{counts['kills']} kills, {history.moves} moves acknowledged,"
        f" {counts['duplicates']} sent twice at once, {counts['lost']} answers lost,"
        f" {counts['finished']} games finished"
    )


TRIALS = (
    Trial(
        "A killed worker loses no acknowledged move and makes none twice; every game is finished.",
        "SIGKILL of random workers during games over HTTP; every replay is played again",
        run,
    ),
)
