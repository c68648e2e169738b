"""A SIGTERM to every process of the service at once loses no move and refuses none.

That is what systemd sends by default. The requests under way still need the embedded server, so
it must end last. The service is started again on the same data and port after each stop, and the
clients play on: those that were refused a connection or lost one repeat their request. What must
not be seen is a `503`: the storage was there as long as any request was.
"""

from __future__ import annotations

import os
import random
import signal
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

from tests.chaos.crashes.background_play import playing
from tests.chaos.traffic.history import History
from tests.chaos.trial import Outcome, Trial
from tests.processes import left_after
from tests.system.launch import Launch

_FEWEST_MOVES, _MOST_MOVES = 10, 40
_MOVES_AFTER = 10
_CODES = ("storage-unavailable", "outcome-unknown")


def run(stops: int = 20, clients: int = 6, seed: int = 1) -> Outcome:
    """Stop the service so many times during play, each time all of its processes at once."""
    history, rng, violations = History(), random.Random(seed), list[str]()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as running:
        service = running.enter_context(_launched(folder, "0"))
        url = service.url()
        with playing(url, history, f"stops {seed}", clients) as games:
            for _ in range(stops):
                games.wait_for_moves(rng.randint(_FEWEST_MOVES, _MOST_MOVES))
                violations += _stop_all(service)
                service = running.enter_context(_launched(folder, str(urlsplit(url).port)))
                service.url()
            games.wait_for_moves(_MOVES_AFTER)
    violations += history.violations()
    violations += [
        f"{history.counts[code]} answers {code}" for code in _CODES if history.counts[code]
    ]
    done = (
        f"{stops} stops, {history.moves} moves acknowledged,"
        f" {history.counts['lost']} requests repeated that met no service"
    )
    return Outcome(done, [f"seed {seed}: {each}" for each in violations])


def _launched(folder: str, port: str) -> Launch:
    return Launch(Path(folder), LOG_LEVEL="CRITICAL", WORKERS="2", PORT=port)


def _stop_all(service: Launch) -> list[str]:
    """Signal every process of the service, and say what did not end as it should."""
    pids = service.pids()
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    code = service.ended()
    violations = [f"the service ended with code {code}: {service.output[-500:]}"] if code else []
    if left := left_after(pids, 5):
        violations.append(f"processes {left} were left")
    return violations


TRIALS = (
    Trial(
        "a SIGTERM to every process at once loses no acknowledged move and makes no 503",
        "all processes of the service signalled during play, 20 times, and started again",
        run,
    ),
)
