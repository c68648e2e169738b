"""Half an hour of mixed load leaves nothing behind: what the service holds does not grow.

    start -> some load, so that pools are full -> rest -> load, sampled -> every lifetime is over

The lifetimes of games are so short that they expire within the run, and those of idempotency
records, a day by themselves, are shortened from outside. A figure of the last third of the load is
compared with that of the middle third; the first third is for caches and pools to fill.

The clients keep a pace, but on a machine that others use they may be slower in one third. Then what
depends on them may differ by as much as their calls did. Connections to the storage are opened when
threads meet, up to a bound: below it they may grow.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.chaos.endurance.mixed_load import Mix, MixedLoad
from tests.chaos.endurance.samples import STREAMS, Sample, Sampler, drifts
from tests.chaos.trial import Outcome, Trial
from tests.system.launch import Launch

_SAMPLE_SECONDS = 2.0
_LEAST_SAMPLES = 60
_UNPLAYED_SECONDS = 30
_KEEPALIVE_SECONDS = 2
_IDLE_SECONDS = _KEEPALIVE_SECONDS + 6.0
"""After so long no connection of a client is open any more."""
_SETTINGS = {
    "WORKERS": "2",
    "THREADS": "4",
    "METRICS_PORT": "0",
    "KEEPALIVE_SECONDS": str(_KEEPALIVE_SECONDS),
    "LOG_LEVEL": "CRITICAL",
    "RATE_LIMIT": "on",
    "RATE_LIMIT_CREATE": "1000000",
    "RATE_LIMIT_JOIN": "1000000",
    "RATE_LIMIT_EVALUATE": "100",  # some are refused
}
_MOST_CONNECTIONS = 2 * (4 + 4 + 1) + 1
"""Of each worker those of its threads, of its own tasks and its subscription; and the trial's."""
_SPARE_THREADS = 2 * (4 + 2)
"""Of each worker those that answer and those that read for watchers: all start at need."""
_SPARE_DESCRIPTORS = 2
"""The trial asks for the metrics."""
_CONNECTIONS = "connections to the storage"
_CALLS = "calls a second"
COUNTED = {
    "200": "answers 200",
    "304": "304",
    "429": "429",
    "games": "whole games",
    "unplayed": "games that nobody played",
    "streams": "streams",
    "waits": "waiting calls",
    "refused": "refused calls",
    "cut": "cut connections",
}
MIX = Mix()
Leak = Callable[[MixedLoad, Sampler], None]


@dataclass(frozen=True)
class Size:
    """How long each part takes in seconds, and what is a difference between two thirds.

    `lifetime`: of games. `rest`: how long after the lifetime something may still be there. `share`
    and `least`: a difference is more than this share, and more than this many MB or pieces.
    """

    warm: float = 20.0
    seconds: float = 1_800.0
    lifetime: int = 60
    rest: float = 60.0
    share: float = 0.05
    least: float = 1.0
    mix: Mix = MIX


WHOLE = Size()


def run(size: Size = WHOLE, leak: Leak | None = None) -> Outcome:
    """Load a service for a time, and judge what it holds. `leak`: a fault that must be found."""
    unplayed = min(size.lifetime, _UNPLAYED_SECONDS)
    lifetimes = {"GAME_TTL_SECONDS": str(size.lifetime), "UNPLAYED_TTL_SECONDS": str(unplayed)}
    with (
        tempfile.TemporaryDirectory() as folder,
        Launch(Path(folder), **(_SETTINGS | lifetimes)) as service,
        Sampler(service) as sampler,
    ):
        with MixedLoad(service.url(), size.mix, seed=0) as load:
            time.sleep(size.warm)
        violations = load.violations
        time.sleep(_IDLE_SECONDS)
        before = sampler.take(0.0)
        with MixedLoad(service.url(), size.mix, seed=1) as load:
            if leak is not None:
                leak(load, sampler)
            samples, endless = _sampled(sampler, load, size)
        violations += [*load.violations, *endless]
        violations += _drifted(samples, size)
        violations += _left(sampler, before, size)
        if set(service.pids()) != set(sampler.members.values()):
            violations.append("the service has other processes than at the start")
    return Outcome(_summary(load, samples), violations)


def _sampled(sampler: Sampler, load: MixedLoad, size: Size) -> tuple[list[Sample], list[str]]:
    """Samples of the time under load, and the keys that would never end."""
    samples, endless = [], set[str]()
    began = time.monotonic()
    pause = min(_SAMPLE_SECONDS, size.seconds / _LEAST_SAMPLES)
    passed, calls = 0.0, load.calls
    while passed < size.seconds:
        time.sleep(pause)
        endless |= set(sampler.shorten_records(size.lifetime))
        before, passed = passed, time.monotonic() - began
        calls_before, calls = calls, load.calls
        taken = sampler.take(passed)
        speed = (calls - calls_before) / (passed - before)
        samples.append(replace(taken, figures={**taken.figures, _CALLS: speed}))
    found = f"{len(endless)} keys without a lifetime, such as {min(endless, default='')}"
    return samples, [found] if endless else []


def _drifted(samples: Sequence[Sample], size: Size) -> list[str]:
    """The figures that are more or less in the last third; of connections what no pool may hold."""
    found = {drift.name: drift for drift in drifts(samples)}
    load = found.pop(_CALLS)
    if found[_CONNECTIONS].last <= _MOST_CONNECTIONS:
        del found[_CONNECTIONS]
    return [
        f"{drift} is more than {size.share:.0%}, with {load}"
        for drift in found.values()
        if not drift.is_within(size.share, size.least, 1 + load.share)
    ]


def _left(sampler: Sampler, before: Sample, size: Size) -> list[str]:
    """What is still there when every lifetime is over, and was not there before."""
    names = ("descriptors", "threads", _CONNECTIONS)
    most = {name: before.figures[name] for name in names}
    # Those connections that the pools had no need for until then.
    spare = _MOST_CONNECTIONS - most[_CONNECTIONS]
    most["descriptors"] += 2 * spare + _SPARE_DESCRIPTORS  # a connection has one at each end
    most[_CONNECTIONS] += spare
    most["threads"] += _SPARE_THREADS
    most |= {"keys": 0.0, "channels": 0.0, STREAMS: 0.0}

    def left() -> list[str]:
        figures = sampler.take(0.0).figures
        return [
            f"in the end there are {figures[name]:.0f} {name}, and not {bound:.0f}"
            for name, bound in most.items()
            if figures[name] > bound
        ]

    deadline = time.monotonic() + size.lifetime + size.rest
    while (found := left()) and time.monotonic() < deadline:
        sampler.shorten_records(size.lifetime)
        time.sleep(0.5)
    return found


def _summary(load: MixedLoad, samples: Sequence[Sample]) -> str:
    counted = ", ".join(
        f"{load.counts[name]} {words}" for name, words in COUNTED.items() if load.counts[name]
    )
    figures = "; ".join(str(drift) for drift in drifts(samples))
    return f"{samples[-1].at:.0f} s: {counted}; {len(samples)} samples: {figures}"


TRIALS = (
    Trial(
        "Half an hour of load leaves memory, files, connections and keys where they were",
        "medians of the last third within 5 % of the middle third; every game's keys are gone",
        run,
    ),
)
