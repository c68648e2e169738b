"""An embedded server that is killed again and again loses no acknowledged move.

The real service, under clients that play. Each server is killed with SIGKILL as soon as some
more moves were acknowledged with it, or, every second time, as soon as its process is there,
which is while it reads its data. The pauses between two starts grow to five seconds.
"""

from __future__ import annotations

import os
import random
import signal
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from tests.chaos.crashes.background_play import playing
from tests.chaos.traffic.history import History
from tests.chaos.trial import Outcome, Trial
from tests.system.launch import Launch

_MOST_MOVES = 12
_MOVES_AFTER = 20
_RECOVERY_SECONDS = 30.0
_REPEAT_SECONDS = 240.0
"""More than the pauses before twenty starts, during which a client may be unlucky each time."""
_POLL_SECONDS = 0.005


def run(kills: int = 20, clients: int = 4, seed: int = 1) -> Outcome:
    """Kill so many servers in a row during play."""
    history, rng, killed = History(), random.Random(seed), set[int]()
    with (
        tempfile.TemporaryDirectory() as folder,
        Launch(Path(folder), LOG_LEVEL="CRITICAL", WORKERS="2") as service,
    ):
        with playing(
            service.url(), history, f"store kills {seed}", clients, _REPEAT_SECONDS
        ) as games:
            while len(killed) < kills and (server := _next_server(service, killed)):
                if len(killed) % 2 == 0:
                    games.wait_for_moves(rng.randint(1, _MOST_MOVES))
                with suppress(ProcessLookupError):
                    os.kill(server, signal.SIGKILL)
                killed.add(server)
            made = games.wait_for_moves(_MOVES_AFTER)
        violations = history.violations()
        if service.process.poll() is not None:
            violations.append(f"the service ended: {service.output[-500:]}")
    if len(killed) < kills or made < _MOVES_AFTER:
        violations.append(f"after {len(killed)} kills {made} more moves were made")
    done = (
        f"{len(killed)} kills, {history.moves} moves acknowledged,"
        f" {history.counts['storage-unavailable']} answers storage-unavailable,"
        f" {history.counts['outcome-unknown']} answers outcome-unknown"
    )
    return Outcome(done, [f"seed {seed}: {each}" for each in violations])


def _next_server(service: Launch, killed: set[int]) -> int | None:
    """The process of the embedded server that was started after those killed."""
    deadline = time.monotonic() + _RECOVERY_SECONDS
    while time.monotonic() < deadline:
        for process in service.family()[1:]:
            if "valkey-server" in process.command and process.pid not in killed:
                return process.pid
        time.sleep(_POLL_SECONDS)
    return None


TRIALS = (
    Trial(
        "a storage killed again and again loses no acknowledged move, and the service stays",
        "kill -9 of 20 embedded servers in a row during play over HTTP",
        run,
    ),
)
