"""The servers of a store, each by its pool of connections.

Nothing connects before the first use, and the client itself retries nothing: whoever uses a
connection knows what it was in the middle of.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from copy import copy
from typing import Any, Protocol

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.connection import parse_url
from redis.exceptions import AskError, ClusterDownError
from redis.retry import Retry
from redis.sentinel import Sentinel, SentinelConnectionPool

from service.store.url import StoreAddress, Topology, parse

SOCKET_TIMEOUT = 1.0
_SENTINEL_TIMEOUT = 0.3
_SENTINELS_OWN = "sentinel_"


class Servers(Protocol):
    """Which server holds what."""

    def of(self, key: str) -> redis.ConnectionPool:
        """The server that a key may be written to."""

    def all(self) -> Sequence[redis.ConnectionPool]:
        """Every server that takes writes."""

    def asked(self, error: AskError) -> redis.ConnectionPool:
        """The server that another one says to ask for this once."""

    def look_again(self) -> None:
        """Find out anew which server is which, after one was lost."""

    def close(self) -> None:
        """Close every connection."""


def servers(url: str, connections: int) -> Servers:
    """The servers of a store's URL, with so many connections to each; raises ValueError."""
    address = parse(url)
    match address.topology:
        case Topology.ONE:
            pool = redis.BlockingConnectionPool.from_url(
                url, max_connections=connections, timeout=SOCKET_TIMEOUT, retry=_never(), **_times()
            )
            return OneServer(pool)
        case Topology.SENTINEL:
            return OneServer(_sentinel_pool(address, connections))
        case Topology.CLUSTER:
            return Cluster(address, connections)


class OneServer:
    """One server, or whichever the sentinels call the master when a connection is made."""

    def __init__(self, pool: redis.ConnectionPool) -> None:
        self._pool = pool

    def of(self, key: str) -> redis.ConnectionPool:
        """The server."""
        return self._pool

    def all(self) -> Sequence[redis.ConnectionPool]:
        """The server alone."""
        return (self._pool,)

    def asked(self, error: AskError) -> redis.ConnectionPool:
        """Raise the error: only a cluster says so."""
        raise error

    def look_again(self) -> None:
        """Do nothing: the next connection finds the server."""

    def close(self) -> None:
        """Close every connection."""
        self._pool.disconnect()


class Cluster:
    """A cluster: every key has a slot, every slot a master that may change.

    Its nodes are looked for by a thread of their own, one look at a time, so that nobody waits
    for nodes that do not answer one after another.
    """

    def __init__(self, address: StoreAddress, connections: int) -> None:
        self._places = address.places
        options = _options(address)
        options.pop("db", None)
        self._options = {**_times(), **options, "max_connections": connections}
        self._lock = threading.Lock()
        self._seeker = ThreadPoolExecutor(1, "cluster")
        self._look: Future[RedisCluster] | None = None
        self._known: RedisCluster | None = None

    def of(self, key: str) -> redis.ConnectionPool:
        """The master of the key's slot."""
        cluster = self._cluster()
        return _pool_of(cluster, cluster.get_node_from_key(key))

    def all(self) -> Sequence[redis.ConnectionPool]:
        """Every master."""
        cluster = self._cluster()
        return [_pool_of(cluster, node) for node in cluster.get_primaries()]

    def asked(self, error: AskError) -> redis.ConnectionPool:
        """The node that a slot is moving to; raises the error where that is not known."""
        cluster = self._cluster()
        node = cluster.get_node(host=error.host, port=error.port)
        if node is None:
            raise error
        return _pool_of(cluster, node)

    def look_again(self) -> None:
        """Ask the nodes which of them has which slots now, for as long as a call may take."""
        with suppress(redis.RedisError, redis.exceptions.RedisClusterException):
            self._found()

    def close(self) -> None:
        """Close every connection."""
        self._seeker.shutdown(wait=False, cancel_futures=True)
        if self._known is not None:
            self._known.close()

    def _cluster(self) -> RedisCluster:
        return self._known or self._found()

    def _found(self) -> RedisCluster:
        """The cluster as the look finds it that is under way, or a new one."""
        with self._lock:
            if self._look is None or self._look.done():
                self._look = self._seeker.submit(self._seek)
            look = self._look
        try:
            return look.result(SOCKET_TIMEOUT)
        except FutureTimeoutError as error:
            raise redis.TimeoutError("the nodes of the cluster do not answer") from error

    def _seek(self) -> RedisCluster:
        if self._known is None:
            self._known = RedisCluster(
                startup_nodes=[ClusterNode(host, port) for host, port in self._places],
                dynamic_startup_nodes=False,  # all nodes may be replaced behind a name
                require_full_coverage=False,  # a lost part must not take all games with it
                retry=_never(),
                **self._options,
            )
        else:
            self._known.nodes_manager.initialize()
        return self._known


class Sentinels(Sentinel):
    """The sentinels as many threads may ask them.

    The client's own list changes places while it is gone through, which loses sentinels.
    """

    def discover_master(self, service_name: str) -> tuple[str, int]:
        """The address of a master; raises MasterNotFoundError."""
        asked = copy(self)
        asked.sentinels = list(self.sentinels)
        address: tuple[str, int] = Sentinel.discover_master(asked, service_name)
        self.sentinels = asked.sentinels  # the one that answered first
        return address


def _pool_of(cluster: RedisCluster, node: ClusterNode | None) -> redis.ConnectionPool:
    if node is None:
        raise ClusterDownError("CLUSTERDOWN no node serves the slot")
    return cluster.get_redis_connection(node).connection_pool


def _sentinel_pool(address: StoreAddress, connections: int) -> redis.ConnectionPool:
    options = _options(address)
    own = {
        name.removeprefix(_SENTINELS_OWN): options.pop(name)
        for name in tuple(options)
        if name.startswith(_SENTINELS_OWN)
    }
    shared = {name: value for name, value in options.items() if name.startswith("ssl")}
    sentinels = Sentinels(  # type: ignore[no-untyped-call]
        address.places,
        sentinel_kwargs={**shared, **_times(_SENTINEL_TIMEOUT), "retry": _never(), **own},
    )
    return SentinelConnectionPool(
        address.master,
        sentinels,
        **{**_times(), "retry": _never(), **options, "max_connections": connections},
    )


def _options(address: StoreAddress) -> dict[str, Any]:
    """What the URL says beside the places: user, password, database, TLS, the query."""
    options: dict[str, Any] = parse_url(address.plain_url)
    del options["host"], options["port"]
    if options.pop("connection_class", None) is not None:  # what a single server has for TLS
        options["ssl"] = True
    return options


def _times(seconds: float = SOCKET_TIMEOUT) -> dict[str, Any]:
    return {"socket_timeout": seconds, "socket_connect_timeout": seconds}


def _never() -> Retry:
    return Retry(NoBackoff(), 0)
