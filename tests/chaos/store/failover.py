"""The loss of the store's master loses no acknowledged move with `DURABILITY=acknowledged`.

The real service runs over a Sentinel group or a cluster. Clients play whole games and repeat what
was not answered, as documented. Meanwhile the master is killed, frozen, or replaced by a failover.
At the end every answer is compared with the game's event log.
"""

from __future__ import annotations

import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

from service.store.durability import Durability
from tests.chaos.traffic.history import History
from tests.chaos.traffic.http_client import HttpTransport
from tests.chaos.traffic.load import Workload, run_load
from tests.chaos.trial import Outcome, Trial
from tests.nodes import Group, cluster_group, sentinel_group, wait_for
from tests.system.launch import Launch

_MOVES_BETWEEN = 40
_FREEZE_SECONDS = 4.0
_WAIT_SECONDS = 60.0


def _kill(group: Group) -> None:
    master = group.find_master()
    master.kill()
    wait_for(lambda: group.has_other_master(master), "a new master")
    master.start()


def _freeze(group: Group) -> None:
    master = group.find_master()
    master.suspend()
    time.sleep(_FREEZE_SECONDS)
    master.resume()


def _fail_over(group: Group) -> None:
    group.fail_over()


FAULTS: Mapping[str, Callable[[Group], None]] = {
    "kills": _kill,
    "freezes": _freeze,
    "failovers": _fail_over,
}


def run(
    group_of: Callable[[], AbstractContextManager[Group]],
    faults: Sequence[str],
    durability: Durability = Durability.ACKNOWLEDGED,
    clients: int = 4,
    seed: int = 1,
) -> Outcome:
    """Inject these faults into the master, in random order, while games are played."""
    history, rng = History(), random.Random(seed)
    with group_of() as group, serving_over(group, durability) as service:
        load = partial(
            run_load, HttpTransport(service.url()), history, Workload(), f"failover {seed}"
        )
        shuffled = rng.sample(faults, len(faults))
        violations = _run_with_faults(partial(load, clients=clients), group, history, shuffled)
        output = service.output
    if "Traceback" in output:
        violations.append(f"the service printed {output[-2000:]}")
    violations += history.violations()
    return Outcome(_summary(history), [f"seed {seed}: {violation}" for violation in violations])


def _run_with_faults(
    load: Callable[..., None], group: Group, history: History, faults: Sequence[str]
) -> list[str]:
    """Run the load in another thread until all faults are injected; return the violations."""
    violations: list[str] = []
    faults_are_done = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(load, enough=faults_are_done.is_set)
        try:
            # In this thread: a server ends together with the thread that started it.
            _inject_faults(group, history, faults)
        except AssertionError as error:
            violations.append(f"the group did not recover: {error}")
        finally:
            faults_are_done.set()
        playing.result()
    return violations


def _inject_faults(group: Group, history: History, faults: Sequence[str]) -> None:
    """Inject the faults, each after some moves and once the group has recovered."""
    for name in faults:
        enough = history.moves + _MOVES_BETWEEN
        wait_for(lambda enough=enough: history.moves >= enough, "moves between", _WAIT_SECONDS)
        wait_for(group.is_complete, "a whole group", _WAIT_SECONDS)
        FAULTS[name](group)
        history.count(name)


@contextmanager
def serving_over(
    group: Group, durability: Durability = Durability.ACKNOWLEDGED
) -> Iterator[Launch]:
    """A service whose store is a group, with all that its level of durability needs."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Launch(
            Path(folder),
            REDIS_URL=group.url,
            DURABILITY=durability,
            REPLICAS=str(len(group.nodes) - 1),
            LOG_LEVEL="CRITICAL",
            WORKERS="2",
        ) as service,
    ):
        yield service


def _summary(history: History) -> str:
    counts = history.counts
    faults = ", ".join(f"{counts[name]} {name}" for name in FAULTS)
    unavailable = counts["storage-unavailable"] + counts["outcome-unknown"]
    return (
        f"{faults}; {history.moves} moves acknowledged, {unavailable} requests repeated after 503,"
        f" {counts['finished']} games finished"
    )


def sentinel(rounds: int = 5) -> Outcome:
    """Faults of the master of a Sentinel group."""
    return run(sentinel_group, [*FAULTS] * rounds)


def cluster(rounds: int = 5) -> Outcome:
    """Faults of a master of a cluster."""
    return run(cluster_group, [*FAULTS] * rounds)


TRIALS = (
    Trial(
        "The loss of a Sentinel master loses no acknowledged move; repeated requests succeed.",
        "DURABILITY=acknowledged: the master is killed, frozen or replaced during games",
        sentinel,
    ),
    Trial(
        "The loss of a cluster master loses no acknowledged move; repeated requests succeed.",
        "DURABILITY=acknowledged: a master is killed, frozen or replaced during games",
        cluster,
    ),
)
