"""Games go on while the master of the storage is killed, frozen, or made to step down.

The real service, with `DURABILITY=acknowledged`, on a master that sentinels watch, or on a
cluster. Clients play whole games and repeat what was not answered, as documented: what they are
told is held against the games in the end, so a move that was acknowledged and lost would show.
"""

from __future__ import annotations

import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from service.store.durability import Durability
from tests.chaos.traffic.linearizability import Record
from tests.chaos.traffic.load import Habits, play
from tests.chaos.traffic.wire import HttpWire
from tests.chaos.trial import Outcome, Trial
from tests.nodes import Group, cluster_group, sentinel_group, wait_for
from tests.system.launch import Launch

_MOVES_BETWEEN = 40
_GONE_SECONDS = 4.0
_PATIENCE_SECONDS = 60.0


def _kill(group: Group) -> None:
    master = group.find_master()
    master.kill()
    wait_for(lambda: group.has_master_beside(master), "a new master")
    master.start()


def _freeze(group: Group) -> None:
    master = group.find_master()
    master.freeze()
    time.sleep(_GONE_SECONDS)
    master.thaw()


def _step_down(group: Group) -> None:
    group.fail_over()


TROUBLES: Mapping[str, Callable[[Group], None]] = {
    "kills": _kill,
    "freezes": _freeze,
    "failovers": _step_down,
}


def run(
    group_of: Callable[[], AbstractContextManager[Group]],
    troubles: Sequence[str],
    durability: Durability = Durability.ACKNOWLEDGED,
    clients: int = 4,
    seed: int = 1,
) -> Outcome:
    """Bring these troubles upon the master, in any order, while games are played to their end."""
    record, over = Record(), threading.Event()
    violations: list[str] = []
    with (
        group_of() as group,
        _service(group, durability) as service,
        ThreadPoolExecutor(1) as beside,
    ):
        playing = beside.submit(
            play,
            HttpWire(service.url()),
            record,
            Habits(),
            f"failover {seed}",
            clients=clients,
            enough=over.is_set,
        )
        try:
            # Here and not beside: a server ends with the thread that started it.
            _trouble(group, record, random.Random(seed).sample(troubles, len(troubles)))
        except AssertionError as error:
            violations.append(f"the group did not recover: {error}")
        finally:
            over.set()
        playing.result()
        output = service.output
    if "Traceback" in output:
        violations.append(f"the service printed {output[-2000:]}")
    violations += record.violations()
    return Outcome(_done(record), [f"seed {seed}: {violation}" for violation in violations])


def _trouble(group: Group, record: Record, troubles: Sequence[str]) -> None:
    """Bring troubles upon a group, each after some moves and when it is whole again."""
    for name in troubles:
        enough = record.moves + _MOVES_BETWEEN
        wait_for(lambda enough=enough: record.moves >= enough, "moves between", _PATIENCE_SECONDS)
        wait_for(group.is_whole, "a whole group", _PATIENCE_SECONDS)
        TROUBLES[name](group)
        record.count(name)


@contextmanager
def _service(group: Group, durability: Durability) -> Iterator[Launch]:
    with (
        tempfile.TemporaryDirectory() as folder,
        Launch(
            Path(folder),
            REDIS_URL=group.url,
            DURABILITY=durability,
            REPLICAS=str(len(group.nodes) - 1),
            LOG_LEVEL="CRITICAL",
        ) as service,
    ):
        yield service


def _done(record: Record) -> str:
    tally = record.tally
    troubles = ", ".join(f"{tally[name]} {name}" for name in TROUBLES)
    away = tally["storage-unavailable"] + tally["outcome-unknown"]
    return (
        f"{troubles}; {record.moves} moves acknowledged, {away} answers of 503 repeated,"
        f" {tally['finished']} games played out"
    )


def sentinel(rounds: int = 5) -> Outcome:
    """Troubles of a master that sentinels watch."""
    return run(sentinel_group, [*TROUBLES] * rounds)


def cluster(rounds: int = 5) -> Outcome:
    """Troubles of a cluster's first master."""
    return run(cluster_group, [*TROUBLES] * rounds)


TRIALS = (
    Trial(
        "a lost master costs no acknowledged move, and no error that repeating does not mend",
        "Sentinel, acknowledged: the master killed, frozen, deposed during play",
        sentinel,
    ),
    Trial(
        "the same of a cluster",
        "Cluster, acknowledged: a master killed, frozen, deposed during play",
        cluster,
    ),
)
