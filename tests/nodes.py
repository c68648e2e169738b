"""Servers as they stand together: a master with replicas and sentinels, or a cluster.

All are processes of the embedded program, on loopback and free ports, each in a folder of its own
below one that goes away with them. They can be killed, frozen and started again.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import redis

from service.runtime.embedded.embedded_server import EmbeddedServer
from service.runtime.embedded.server_program import bundled_path
from service.runtime.parent_death import die_with_parent

_HOST = "127.0.0.1"
_MASTER = "games"
_BUS = 10_000
_PORTS = range(21_000, 31_000)  # below those that the system gives out, bus ports included
_WAIT_SECONDS = 30.0
_CLUSTER = ("--cluster-enabled", "yes", "--cluster-node-timeout", "1000")


@dataclass
class Node:
    """One server process on a port of its own."""

    folder: Path
    options: tuple[str, ...] = ()
    port: int = field(default_factory=lambda: next(_free_ports()))
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it on the data it has, and wait until it answers, even by refusing."""
        self.folder.mkdir(exist_ok=True)
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [bundled_path(), *self._arguments()],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=partial(die_with_parent, signal.SIGKILL, os.getpid()),  # noqa: PLW1509
            )
        wait_for(self._answers, f"a server on port {self.port}")

    def kill(self) -> None:
        """End it on the spot."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def suspend(self) -> None:
        """Stop it as it stands; its connections stay open."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)

    def execute(self, *arguments: str | int) -> Any:
        """The answer to one command."""
        with contextlib.closing(redis.Redis(_HOST, self.port, socket_timeout=5)) as client:
            return client.execute_command(*arguments)

    def execute_as(self, password: str, *arguments: str) -> Any:
        """The answer to one command, asked with a password."""
        with contextlib.closing(redis.Redis(_HOST, self.port, password=password)) as client:
            return client.execute_command(*arguments)

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"{_HOST}:{self.port}"

    def _arguments(self) -> list[str]:
        given = ("--port", str(self.port), "--bind", _HOST, "--dir", str(self.folder))
        return [*given, "--save", "", "--protected-mode", "no", *self.options]

    def _answers(self) -> bool:
        with contextlib.suppress(redis.ConnectionError, redis.TimeoutError):
            return bool(self.execute("PING"))
        return False


class Sentinel(Node):
    """One sentinel; it keeps what it learns in its own file."""

    def _arguments(self) -> list[str]:
        rules = self.folder / "sentinel.conf"
        if not rules.exists():
            port, *more = self.options
            lines = (
                f"sentinel monitor {_MASTER} {_HOST} {port} 2",
                *(f"sentinel {line}" for line in more),
            )
            rules.write_text("\n".join(lines))
        return [str(rules), "--sentinel", "--port", str(self.port), "--bind", _HOST]


@dataclass
class Group:
    """Data servers that stand in for each other, and the URL that a client reaches them by.

    A cluster has more of them: `all_nodes`.
    """

    url: str
    nodes: list[Node]
    all_nodes: list[Node]
    find_master: Callable[[], Node]
    fail_over: Callable[[], None]
    sentinels: list[Sentinel] = field(default_factory=list)

    def is_complete(self) -> bool:
        """Whether there is a master with every other node as its replica, and all caught up."""
        with contextlib.suppress(redis.RedisError, LookupError):
            return all(_is_in_sync(node) for node in self.nodes)
        return False

    def has_other_master(self, node: Node) -> bool:
        """Whether another node has become the master."""
        with contextlib.suppress(redis.RedisError, LookupError):
            return self.find_master() is not node
        return False


def _is_in_sync(node: Node) -> bool:
    """Whether a replica has caught up with its master; of a master, whether it has any."""
    info = node.execute("INFO", "replication")
    if info["role"] == "master":
        return bool(info["connected_slaves"])
    return bool(info["master_link_status"] == "up" and not info["master_sync_in_progress"])


def wait_for(
    fact: Callable[[], bool], what: str, seconds: float = _WAIT_SECONDS, poll: float = 0.05
) -> None:
    """Return once something is so; fails where it does not come to be."""
    deadline = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(poll)


@contextlib.contextmanager
def lone_node(*options: str) -> Iterator[Node]:
    """One server."""
    with _folder() as folder, _running(Node(folder / "one", options)) as (node,):
        yield node


@contextlib.contextmanager
def replicated_pair(*options: str) -> Iterator[tuple[Node, Node]]:
    """A master and a replica that is in sync."""
    quick = (*options, "--repl-diskless-sync-delay", "0")
    with _folder() as folder, _running(Node(folder / "master", quick)) as (master,):
        follow = ("--replicaof", f"{_HOST} {master.port}")
        with _running(Node(folder / "replica", (*quick, *follow))) as (replica,):
            wait_for(lambda: _is_in_sync(replica), "a replica in sync")
            yield master, replica


@contextlib.contextmanager
def sentinel_group(
    *, replicas: int = 2, required: int | None = None, sentinels: int = 3
) -> Iterator[Group]:
    """A master that refuses writes without the `required` replicas, and sentinels that watch.

    All of its replicas are required unless it is said how many.
    """
    least = str(replicas if required is None else required)
    guard = ("--min-replicas-to-write", least, "--min-replicas-max-lag", "2")
    shared = (*guard, "--repl-diskless-sync-delay", "0", "--appendonly", "yes")
    with _folder() as folder, contextlib.ExitStack() as stack:
        master = Node(folder / "data-0", shared)
        stack.enter_context(_running(master))
        follow = ("--replicaof", f"{_HOST} {master.port}")
        followers = [Node(folder / f"data-{n}", (*shared, *follow)) for n in range(1, replicas + 1)]
        stack.enter_context(_running(*followers))
        nodes = [master, *followers]
        rules = (
            str(master.port),
            f"down-after-milliseconds {_MASTER} 700",
            f"failover-timeout {_MASTER} 3000",
        )
        sentinel_nodes = [Sentinel(folder / f"sentinel-{n}", rules) for n in range(sentinels)]
        stack.enter_context(_running(*sentinel_nodes))
        places = ",".join(sentinel.address for sentinel in sentinel_nodes)
        group = Group(
            url=f"redis+sentinel://{places}/{_MASTER}/0",
            nodes=nodes,
            all_nodes=nodes,
            find_master=lambda: _sentinels_master(sentinel_nodes, nodes),
            fail_over=lambda: _sentinels_failover(sentinel_nodes),
            sentinels=sentinel_nodes,
        )
        wait_for(lambda: _know_all(sentinel_nodes, replicas), "sentinels that know each other")
        wait_for(group.is_complete, "replicas in sync")
        yield group


@contextlib.contextmanager
def cluster_group(*, masters: int = 3) -> Iterator[Group]:
    """A cluster of masters with one replica each; the group is the shard of the first."""
    shared = (
        *_CLUSTER,
        *("--repl-diskless-sync-delay", "0", "--appendonly", "yes"),
        *("--min-replicas-to-write", "1", "--cluster-replica-validity-factor", "0"),
    )
    with _folder() as folder:
        nodes = [Node(folder / f"node-{n}", shared) for n in range(2 * masters)]
        with _running(*nodes):
            _form_cluster(nodes, masters)
            places = ",".join(node.address for node in nodes)
            shard = [nodes[0], nodes[masters]]
            group = Group(
                url=f"redis+cluster://{places}",
                nodes=shard,
                all_nodes=nodes,
                find_master=lambda: _role_master(shard),
                fail_over=lambda: _cluster_failover(shard),
            )
            wait_for(group.is_complete, "replicas in sync")
            yield group


@contextlib.contextmanager
def cluster_masters(*options: str, masters: int = 3) -> Iterator[tuple[Node, ...]]:
    """A cluster of masters that share the slots evenly, without a replica."""
    with _folder() as folder:
        nodes = [Node(folder / f"node-{n}", (*_CLUSTER, *options)) for n in range(masters)]
        with _running(*nodes) as running:
            _form_cluster(nodes, masters)
            yield running


def _form_cluster(nodes: list[Node], masters: int) -> None:
    slots = 16_384
    for number, node in enumerate(nodes[:masters]):
        first, last = slots * number // masters, slots * (number + 1) // masters - 1
        node.execute("CLUSTER", "ADDSLOTSRANGE", first, last)
        node.execute("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
    for node in nodes[1:]:
        node.execute("CLUSTER", "MEET", _HOST, nodes[0].port)
    wait_for(
        lambda: all(_known(node) == len(nodes) for node in nodes), "nodes that know each other"
    )
    for number, node in enumerate(nodes[masters:]):
        name = nodes[number].execute("CLUSTER", "MYID").decode()
        node.execute("CLUSTER", "REPLICATE", name)
    for node in nodes:
        wait_for(partial(_is_ok, node), "a cluster that serves")


def _known(node: Node) -> int:
    return int(node.execute("CLUSTER INFO")["cluster_known_nodes"])


def _is_ok(node: Node) -> bool:
    info = node.execute("CLUSTER INFO")
    return bool(info["cluster_state"] == "ok" and info["cluster_slots_ok"] == "16384")


def _role_master(nodes: list[Node]) -> Node:
    for node in nodes:
        with contextlib.suppress(redis.RedisError):
            if node.process is not None and node.execute("ROLE")[0] == b"master":
                return node
    raise LookupError("no node is a master")


def _cluster_failover(nodes: list[Node]) -> None:
    master = _role_master(nodes)
    replica = next(node for node in nodes if node is not master)
    replica.execute("CLUSTER", "FAILOVER")
    wait_for(lambda: _role_master(nodes) is replica, "the replica's turn")


def _sentinels_master(sentinel_nodes: list[Sentinel], nodes: list[Node]) -> Node:
    port = int(sentinel_nodes[0].execute("SENTINEL", "GET-MASTER-ADDR-BY-NAME", _MASTER)[1])
    return next(node for node in nodes if node.port == port)


def _sentinels_failover(sentinel_nodes: list[Sentinel]) -> None:
    before = sentinel_nodes[0].execute("SENTINEL", "GET-MASTER-ADDR-BY-NAME", _MASTER)

    def is_begun() -> bool:
        with contextlib.suppress(redis.ResponseError):  # one is still under way
            sentinel_nodes[0].execute("SENTINEL", "FAILOVER", _MASTER)
            return True
        return False

    wait_for(is_begun, "a failover that may begin")
    wait_for(
        lambda: sentinel_nodes[0].execute("SENTINEL", "GET-MASTER-ADDR-BY-NAME", _MASTER) != before,
        "another master",
    )


def _know_all(sentinel_nodes: list[Sentinel], replicas: int) -> bool:
    for sentinel in sentinel_nodes:
        info = sentinel.execute("SENTINEL MASTER", _MASTER)
        if info["num-other-sentinels"] < len(sentinel_nodes) - 1 or info["num-slaves"] < replicas:
            return False
    return True


@contextlib.contextmanager
def _running(*nodes: Node) -> Iterator[tuple[Node, ...]]:
    try:
        for node in nodes:
            node.start()
        yield nodes
    finally:
        for node in nodes:
            with contextlib.suppress(AssertionError):
                node.resume()
            node.kill()


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="three-thirteen-nodes-") as folder:
        yield Path(folder)


def _free_ports() -> Iterator[int]:
    """Ports that nobody listens on, nor on the bus port that a cluster adds."""
    begin = _PORTS[(os.getpid() * 97 + time.monotonic_ns() // 1000) % len(_PORTS)]
    for port in [*range(begin, _PORTS.stop), *range(_PORTS.start, begin)]:
        with contextlib.suppress(OSError):
            for place in (port, port + _BUS):
                with socket.create_server((_HOST, place)):
                    pass
            yield port


@contextlib.contextmanager
def throwaway_server() -> Iterator[EmbeddedServer]:
    """Run a server on a folder of its own that goes away with it, for tests and measurements."""
    with (
        tempfile.TemporaryDirectory(prefix="three-thirteen-") as folder,
        EmbeddedServer(Path(folder), append_fsync="no") as server,
    ):
        yield server
