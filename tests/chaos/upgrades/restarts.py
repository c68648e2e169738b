"""A restart fails no move of a client that repeats as documented, and loses none.

The web server is told to replace its workers (SIGHUP to gunicorn's master), one of two instances is
stopped and started again, or all of them are, while games are played and watched. Stops are made as
an operator makes them: SIGTERM to the supervisor.
"""

from __future__ import annotations

import os
import random
import signal
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from tests.chaos.trial import Outcome, Trial
from tests.chaos.upgrades.instances import Instance, two_instances
from tests.chaos.upgrades.load import under_load
from tests.nodes import wait_for
from tests.system.launch import Launch

_WORKERS = 2
_MOST_MOVES_BETWEEN = 40
_REPLACED_SECONDS = 60.0

Choice = Callable[[random.Random, Sequence[Instance]], Sequence[Instance]]
"""Which of the instances are stopped."""


def run_reloads(reloads: int = 20, clients: int = 6, seed: int = 1) -> Outcome:
    """Have the web server replace its workers so many times during play."""
    rng = random.Random(f"reloads {seed}")
    with (
        tempfile.TemporaryDirectory() as folder,
        Launch(Path(folder), LOG_LEVEL="ERROR", WORKERS=str(_WORKERS)) as service,
    ):
        with under_load([service.url()], seed, clients) as load:
            for _ in range(reloads):
                load.wait_for_moves(rng.randint(1, _MOST_MOVES_BETWEEN))
                _reload(service)
            load.wait_for_moves(_MOST_MOVES_BETWEEN)
        output = service.output
    violations = load.violations()
    if "Traceback" in output or " ERROR " in output:
        violations.append(f"the service printed {output[-2000:]}")
    return _outcome(f"{reloads} rolling restarts, {load.summary()}", violations, seed)


def run_stops(
    which: Choice,
    stops: int = 20,
    clients: int = 6,
    seed: int = 1,
) -> Outcome:
    """Stop some of two instances so many times during play, and start them again."""
    rng = random.Random(f"stops {seed}")
    with (
        two_instances() as (instances, _),
        under_load([each.url for each in instances], seed, clients) as load,
    ):
        for _ in range(stops):
            load.wait_for_moves(rng.randint(1, _MOST_MOVES_BETWEEN))
            stopped = which(rng, instances)
            for each in stopped:
                each.stop()
            for each in stopped:
                each.start()
            for each in stopped:
                each.wait()
        load.wait_for_moves(_MOST_MOVES_BETWEEN)
    violations = load.violations()
    violations += [violation for each in instances for violation in each.violations]
    return _outcome(f"{stops} stops, {load.summary()}", violations, seed)


def one(rng: random.Random, instances: Sequence[Instance]) -> Sequence[Instance]:
    """One of the instances."""
    return [rng.choice(instances)]


def every(_: random.Random, instances: Sequence[Instance]) -> Sequence[Instance]:
    """All of the instances."""
    return instances


def _reload(service: Launch) -> None:
    """Have the master replace its workers, and wait until none of the former is left."""
    master = service.member("gunicorn_program")
    before = set(service.workers())
    os.kill(master, signal.SIGHUP)
    wait_for(
        lambda: not before & set(now := service.workers()) and len(now) == _WORKERS,
        "workers that were replaced",
        _REPLACED_SECONDS,
    )


def _outcome(done: str, violations: Sequence[str], seed: int) -> Outcome:
    return Outcome(done, [f"seed {seed}: {each}" for each in violations])


_PROMISE = "no move fails for clients that repeat as documented, none is lost or made twice"
TRIALS = (
    Trial(
        f"A rolling restart: {_PROMISE}.",
        "SIGHUP to the web server's master, 20 times, while games are played and watched",
        run_reloads,
    ),
    Trial(
        f"A stop of one of two instances: {_PROMISE}.",
        "SIGTERM to one of two behind a list of addresses, 20 times, and a start",
        partial(run_stops, one),
    ),
    Trial(
        f"A stop of every instance: {_PROMISE}.",
        "SIGTERM to both at once, 20 times, and a start on the same storage",
        partial(run_stops, every),
    ),
)
