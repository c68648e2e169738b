"""The servers of a store: for each key the pool of connections to the server that holds it.

Nothing connects before the first use, and the client itself retries nothing: only `retry.py`
knows whether an operation may be repeated. Connections speak RESP2 and send nothing that the
service does not need, so that a user needs few rights.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from typing import Any, Protocol, assert_never

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.connection import SSLConnection, UnixDomainSocketConnection
from redis.exceptions import (
    AskError,
    AuthenticationError,
    ClusterDownError,
    SlotNotCoveredError,
)
from redis.retry import Retry
from redis.sentinel import Sentinel, SentinelConnectionPool

from service.store.connections.failures import CLIENT_ERRORS, NoMasterError
from service.store.connections.packer import Packer
from service.store.connections.quick_pool import QuickPool
from service.store.connections.url import StoreUrl
from service.store.connections.url_options import Topology

SOCKET_TIMEOUT = 1.0
"""Seconds for a connection, and for an answer."""
_SENTINEL_TIMEOUT = 0.3
_SENTINEL_PREFIX = "sentinel_"


class Pools(Protocol):
    """The pools of connections to a store's servers."""

    own_commands: Sequence[str]
    """What connections send beside what the store executes, and a user needs the right to."""

    def for_key(self, key: str) -> redis.ConnectionPool:
        """The pool of the server that a key may be written to."""

    def one_key_each(self, keys: Iterable[str]) -> Sequence[str]:
        """Of some keys one for every server that holds any of them; never none of them."""

    def redirect_target(self, redirect: AskError) -> redis.ConnectionPool:
        """The pool of the server that a redirect names."""

    def refresh(self) -> None:
        """Find out anew which server holds what, after one was lost."""

    def close(self) -> None:
        """Close every connection."""


def open_pools(url: StoreUrl, connections: int) -> Pools:
    """The pools of a store, with so many connections to each server."""
    match url.topology:
        case Topology.SINGLE:
            return SinglePool(_single_pool(url, connections), _health_check(url))
        case Topology.SENTINEL:
            return SinglePool(_sentinel_pool(url, connections), _health_check(url))
        case Topology.CLUSTER:
            return ClusterPools(url, connections)
    assert_never(url.topology)


class SinglePool:
    """One server, or whichever the sentinels name as the master when a connection is made."""

    def __init__(self, pool: redis.ConnectionPool, own_commands: Sequence[str] = ()) -> None:
        self._pool = pool
        self.own_commands = own_commands

    def for_key(self, key: str) -> redis.ConnectionPool:
        """The pool of the server."""
        return self._pool

    def one_key_each(self, keys: Iterable[str]) -> Sequence[str]:
        """The first key."""
        return [next(iter(keys))]

    def redirect_target(self, redirect: AskError) -> redis.ConnectionPool:
        """Raise the redirect: only a cluster has other servers."""
        raise redirect

    def refresh(self) -> None:
        """Do nothing: the next connection finds the server."""

    def close(self) -> None:
        """Close every connection."""
        self._pool.disconnect()


class ClusterPools:
    """A cluster: every key has a slot, every slot a master, which may change.

    A thread of its own asks the nodes, one discovery at a time, so that nobody waits for nodes
    that do not answer one after another.
    """

    own_commands: Sequence[str] = ("ASKING",)

    def __init__(self, url: StoreUrl, connections: int) -> None:
        self._hosts = url.hosts
        self._options = {**_connection_options(url), "max_connections": connections}
        self._lock = threading.Lock()
        self._executor = ThreadPoolExecutor(1, "cluster")
        self._discovery: Future[RedisCluster] | None = None
        self._known: RedisCluster | None = None

    def for_key(self, key: str) -> redis.ConnectionPool:
        """The pool of the master of the key's slot."""
        cluster = self._cluster()
        return _node_pool(cluster, cluster.get_node_from_key(key))

    def one_key_each(self, keys: Iterable[str]) -> Sequence[str]:
        """Of some keys one for every master that holds any of them."""
        cluster = self._cluster()
        missing = {node.name for node in cluster.get_primaries()}
        chosen = []
        for key in keys:
            if not missing:
                break
            with suppress(SlotNotCoveredError):
                name = cluster.get_node_from_key(key).name
                if name in missing:
                    missing.remove(name)
                    chosen.append(key)
        if not chosen:
            raise ClusterDownError("CLUSTERDOWN no node serves any of the keys")
        return chosen

    def redirect_target(self, redirect: AskError) -> redis.ConnectionPool:
        """The pool of the node that a slot moves to; raises the redirect where it is unknown."""
        cluster = self._cluster()
        node = cluster.get_node(host=redirect.host, port=redirect.port)
        if node is None:
            raise redirect
        return _node_pool(cluster, node)

    def refresh(self) -> None:
        """Ask the nodes which of them has which slots now, for as long as an answer may take."""
        with suppress(*CLIENT_ERRORS):
            self._discover()

    def close(self) -> None:
        """Close every connection."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        if self._known is not None:
            self._known.close()

    def _cluster(self) -> RedisCluster:
        return self._known or self._discover()

    def _discover(self) -> RedisCluster:
        """The cluster by the discovery that is under way, or by a new one."""
        with self._lock:
            if self._discovery is None or self._discovery.done():
                self._discovery = self._executor.submit(self._ask_nodes)
            discovery = self._discovery
        try:
            return discovery.result(SOCKET_TIMEOUT)
        except FutureTimeoutError as error:
            raise redis.TimeoutError("the nodes of the cluster do not answer") from error

    def _ask_nodes(self) -> RedisCluster:
        try:
            if self._known is None:
                self._known = self._new_cluster()
            else:
                self._known.nodes_manager.initialize()
        except IndexError as error:  # how the client fails where nothing has a slot
            raise ClusterDownError("CLUSTERDOWN no node serves any slot") from error
        return self._known

    def _new_cluster(self) -> RedisCluster:
        return RedisCluster(
            startup_nodes=[ClusterNode(host, port) for host, port in self._hosts],
            dynamic_startup_nodes=False,  # all nodes may be replaced behind a name
            require_full_coverage=False,  # a lost part must not take all games with it
            retry=_no_retry(),
            **self._options,
        )


class Sentinels(Sentinel):
    """The sentinels, as many threads may ask them.

    The client's own method changes the list while it goes through it, which loses sentinels,
    and takes a refused password for a master that is not there.
    """

    def discover_master(self, service_name: str) -> tuple[str, int]:
        """The address of a master; raises what the sentinels answer, or NoMasterError."""
        is_up: Any = self.check_master_state
        sentinels = list(self.sentinels)
        failures: list[Exception] = []
        for sentinel in sentinels:
            try:
                masters: Any = sentinel.sentinel_masters()
            except (redis.ConnectionError, redis.TimeoutError) as error:
                failures.append(error)
                continue
            master = masters.get(service_name)
            if master and is_up(master, service_name):
                self.sentinels = [sentinel, *(each for each in sentinels if each is not sentinel)]
                return master["ip"], master["port"]
            failures.append(NoMasterError("no sentinel names a master that is up"))
        raise min(failures, key=_by_meaning)


def _by_meaning(failure: Exception) -> int:
    """The place of a sentinel's failure: first what says most."""
    if isinstance(failure, AuthenticationError):
        return 0
    return 1 if isinstance(failure, NoMasterError) else 2


def _node_pool(cluster: RedisCluster, node: ClusterNode | None) -> redis.ConnectionPool:
    if node is None:
        raise ClusterDownError("CLUSTERDOWN no node serves the slot")
    return cluster.get_redis_connection(node).connection_pool


def _single_pool(url: StoreUrl, connections: int) -> redis.ConnectionPool:
    options = _connection_options(url) | {"db": url.database, "retry": _no_retry()}
    options["command_packer"] = Packer()
    if url.path:
        options |= {"connection_class": UnixDomainSocketConnection, "path": url.path}
    else:
        ((host, port),) = url.hosts
        options |= {"host": host, "port": port}
    if options.pop("ssl", False):
        options["connection_class"] = SSLConnection
    return QuickPool(  # type: ignore[no-untyped-call]
        max_connections=connections, timeout=SOCKET_TIMEOUT, **options
    )


def _sentinel_pool(url: StoreUrl, connections: int) -> redis.ConnectionPool:
    options = _connection_options(url)
    own = {
        name.removeprefix(_SENTINEL_PREFIX): options.pop(name)
        for name in tuple(options)
        if name.startswith(_SENTINEL_PREFIX)
    }
    shared = {name: value for name, value in options.items() if name.startswith("ssl")}
    sentinels = Sentinels(  # type: ignore[no-untyped-call]
        url.hosts,
        sentinel_kwargs={**shared, **_quiet(_SENTINEL_TIMEOUT), "retry": _no_retry(), **own},
    )
    return SentinelConnectionPool(
        url.master,
        sentinels,
        **options,
        db=url.database,
        retry=_no_retry(),
        max_connections=connections,
        command_packer=Packer(),
    )


def _connection_options(url: StoreUrl) -> dict[str, Any]:
    """What a connection to any of the servers is made with, but where it is and its database."""
    options: dict[str, Any] = {**_quiet(SOCKET_TIMEOUT), **url.options}
    if url.username is not None:
        options["username"] = url.username
    if url.password is not None:
        options["password"] = url.password
    if url.tls:
        options["ssl"] = True
    return options


def _health_check(url: StoreUrl) -> Sequence[str]:
    """What a connection that was idle for long sends first, where the URL asks for it."""
    return ("PING",) if url.options.get("health_check_interval") else ()


def _quiet(seconds: float) -> dict[str, Any]:
    """Timeouts, and nothing sent on a new connection but what has to be."""
    times = {"socket_timeout": seconds, "socket_connect_timeout": seconds}
    return {**times, "protocol": 2, "driver_info": None}


def _no_retry() -> Retry:
    return Retry(NoBackoff(), 0)
