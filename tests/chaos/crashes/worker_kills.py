"""Workers that are killed at any instant lose no acknowledged move and make none twice.

The real service with two workers and its embedded server; clients play whole games, sending a
fifth of their moves twice at once, while workers are killed one after another. A death follows
so many acknowledged moves as chance says, and then an instant of waiting, so that deaths spread
over the play however quick the machine is.
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

from tests.chaos.traffic.linearizability import Record
from tests.chaos.traffic.load import Habits, play
from tests.chaos.traffic.wire import HttpWire
from tests.chaos.trial import Outcome, Trial
from tests.system.launch import Launch

_MOST_MOVES_A_DEATH = 18
_LONGEST_WAIT_SECONDS = 0.03
_POLL_SECONDS = 0.005


class Killer:
    """Kills workers of a service in a thread of its own until all deaths are died."""

    def __init__(self, service: Launch, record: Record, deaths: int, rng: random.Random) -> None:
        self._service = service
        self._record = record
        self._left = deaths
        self._rng = rng
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def is_done(self) -> bool:
        """Whether nobody is left to be killed."""
        return self._left == 0

    def __enter__(self) -> Killer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while self._left and not self._stopped.is_set():
            self._wait_for_moves(self._rng.randint(1, _MOST_MOVES_A_DEATH))
            time.sleep(self._rng.uniform(0, _LONGEST_WAIT_SECONDS))
            if victims := self._workers():
                with suppress(ProcessLookupError):
                    os.kill(self._rng.choice(victims), signal.SIGKILL)
                    self._record.count("deaths")
                    self._left -= 1

    def _wait_for_moves(self, count: int) -> None:
        enough = self._record.moves + count
        while self._record.moves < enough and not self._stopped.wait(_POLL_SECONDS):
            pass

    def _workers(self) -> list[int]:
        """The processes of gunicorn that a process of gunicorn has started and that live."""
        family = [each for each in self._service.family() if "gunicorn" in each.command]
        masters = {each.pid for each in family}
        return [each.pid for each in family if each.parent in masters and each.state[0] != "Z"]


def run(deaths: int = 300, moves: int = 3000, clients: int = 6, seed: int = 1) -> Outcome:
    """Kill so many workers while at least so many moves are played, and all games to their end."""
    record = Record()
    with (
        tempfile.TemporaryDirectory() as folder,
        Launch(Path(folder), LOG_LEVEL="WARNING", WORKERS="2") as service,
    ):
        wire = HttpWire(service.url())
        with Killer(service, record, deaths, random.Random(seed)) as killer:
            play(
                wire,
                record,
                Habits(),
                f"deaths {seed}",
                clients=clients,
                enough=lambda: killer.is_done and record.moves >= moves,
            )
        output = service.output
    violations = [f"seed {seed}: {violation}" for violation in record.violations()]
    if "Traceback" in output:
        violations.append(f"seed {seed}: the service printed {output[-2000:]}")
    return Outcome(_done(record), violations)


def _done(record: Record) -> str:
    tally = record.tally
    return (
        f"{tally['deaths']} kills, {record.moves} moves acknowledged, {tally['twins']} sent twice"
        f" at once, {tally['lost']} requests broken off, {tally['finished']} games played out"
    )


TRIALS = (
    Trial(
        "no worker's death loses an acknowledged move or makes one twice; every game ends",
        "kill -9 of random workers during play over HTTP; replays dealt anew",
        run,
    ),
)
