"""Stores of one server or several over TCP, and what each server spends on a piece of work.

The servers write to disk like the embedded one, but never rewrite their files: one server would
begin with that sooner than each of three.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import astuple, dataclass
from typing import Self, TypeVar

import redis

from bench.service.servers import Store
from bench.service.usage import cpu_us
from tests.nodes import Node, cluster_masters, lone_node, replicated_pair

Done = TypeVar("Done")


@dataclass(frozen=True, slots=True)
class Masters:
    """The servers that share the games of a store, and the URL that leads to all of them."""

    url: str
    stores: tuple[Store, ...]


@dataclass(frozen=True, slots=True)
class Spent:
    """What a server spent.

    Bytes: `received` from clients and `sent` to them, sent to replicas (`replicated`), added to
    its file (`written`). µs: of the commit's script (`script`), of CPU (`cpu`), of the time in
    which its event loop did not wait for requests (`busy`), so with the flushes to disk.
    """

    received: float
    sent: float
    replicated: float
    written: float
    script: float
    cpu: float
    busy: float

    def __sub__(self, other: Self) -> Self:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return type(self)(*(ours - theirs for ours, theirs in pairs))

    def each(self, number: int) -> Self:
        """The same for one of so many."""
        return type(self)(*(value / max(1, number) for value in astuple(self)))

    @classmethod
    def total(cls, parts: Sequence[Self]) -> Self:
        """What several servers, or several pieces of work, spent together."""
        return cls(*map(sum, zip(*map(astuple, parts), strict=True)))


@contextmanager
def masters(count: int, append_fsync: str) -> Iterator[Masters]:
    """One server, or a cluster of several masters; no replicas."""
    options = _options(append_fsync)
    with ExitStack() as stack:
        if count == 1:
            node = stack.enter_context(lone_node(*options))
            yield Masters(f"redis://{node.address}", (_store(stack, node),))
        else:
            # A flush to a busy disk can take longer than the timeout that tests want.
            patient = ("--cluster-node-timeout", "15000")
            nodes = stack.enter_context(cluster_masters(*options, *patient, masters=count))
            places = ",".join(node.address for node in nodes)
            stores = tuple(_store(stack, node) for node in nodes)
            yield Masters(f"redis+cluster://{places}", stores)


@contextmanager
def master_with_replica(append_fsync: str) -> Iterator[Store]:
    """A master that sends all it writes to one replica."""
    with ExitStack() as stack:
        master, _ = stack.enter_context(replicated_pair(*_options(append_fsync)))
        yield _store(stack, master)


def spent_on(stores: Sequence[Store], work: Callable[[], Done]) -> tuple[Done, list[Spent]]:
    """What a piece of work gives, and what each server spent on it.

    What the look at the server costs is measured before, and subtracted.
    """
    idle = [_spent_so_far(store) for store in stores]
    before = [_spent_so_far(store) for store in stores]
    done = work()
    after = [_spent_so_far(store) for store in stores]
    looks = [second - first for first, second in zip(idle, before, strict=True)]
    both = [last - first for first, last in zip(before, after, strict=True)]
    return done, [all_of - look for all_of, look in zip(both, looks, strict=True)]


def _options(append_fsync: str) -> tuple[str, ...]:
    rewriting = ("--auto-aof-rewrite-percentage", "0")
    return ("--appendonly", "yes", "--appendfsync", append_fsync, *rewriting)


def _store(stack: ExitStack, node: Node) -> Store:
    client = stack.enter_context(closing(redis.Redis.from_url(f"redis://{node.address}")))
    assert node.process is not None
    return Store(f"redis://{node.address}", node.process.pid, client)


def _spent_so_far(store: Store) -> Spent:
    cpu = cpu_us([store.pid])
    info = store.client.info("everything")
    replicated = info["total_net_repl_output_bytes"]
    return Spent(
        received=info["total_net_input_bytes"],
        sent=info["total_net_output_bytes"] - replicated,
        replicated=replicated,
        written=info["aof_current_size"],
        script=info.get("cmdstat_evalsha", {"usec": 0})["usec"],
        cpu=cpu,
        busy=info["eventloop_duration_sum"],
    )
