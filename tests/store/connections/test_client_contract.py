"""What the store relies on in the pinned client, and in servers, without their promising it.

A new version of the client that changes any of it fails here, by name.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
import redis
from redis import exceptions
from redis.cluster import NodesManager, RedisCluster
from redis.connection import Connection, ConnectionPool, HiredisRespSerializer
from redis.sentinel import Sentinel, SentinelManagedConnection

from service.store.connections import failures, topologies
from service.store.connections.failures import failure_of, was_refused
from service.store.connections.packer import Packer
from service.store.connections.topologies import ClusterPools, Pools, Sentinels, open_pools
from service.store.connections.url import parse
from tests.nodes import Group, Node, cluster_group, lone_node, sentinel_group

KNOWN_EXCEPTIONS = {
    "RedisError": None,
    "ConnectionError": "RedisError",
    "TimeoutError": "RedisError",
    "AuthenticationError": "ConnectionError",
    "AuthorizationError": "ConnectionError",
    "BusyLoadingError": "ConnectionError",
    "ExternalAuthProviderError": "ConnectionError",
    "MaxConnectionsError": "ConnectionError",
    "InvalidResponse": "RedisError",
    "ResponseError": "RedisError",
    "DataError": "RedisError",
    "PubSubError": "RedisError",
    "WatchError": "RedisError",
    "LockError": "RedisError",
    "LockNotOwnedError": "LockError",
    "NoScriptError": "ResponseError",
    "OutOfMemoryError": "ResponseError",
    "ExecAbortError": "ResponseError",
    "ReadOnlyError": "ResponseError",
    "NoPermissionError": "ResponseError",
    "ModuleError": "ResponseError",
    "NoSuchFieldsetError": "ResponseError",
    "AuthenticationWrongNumberOfArgsError": "ResponseError",
    "ClusterError": "RedisError",
    "ClusterDownError": "ClusterError",
    "MasterDownError": "ClusterDownError",
    "AskError": "ResponseError",
    "MovedError": "AskError",
    "TryAgainError": "ResponseError",
    "ClusterCrossSlotError": "ResponseError",
    "RedisClusterException": None,
    "SlotNotCoveredError": "RedisClusterException",
    "CrossSlotTransactionError": "RedisClusterException",
    "InvalidPipelineStack": "RedisClusterException",
    "ChildDeadlockedError": None,
    "IncorrectPolicyType": None,
}
"""Every exception of the client, and the one it derives from."""


def test_the_client_has_no_exception_that_the_table_was_not_written_for() -> None:
    classes = {
        name: kind
        for name, kind in vars(exceptions).items()
        if inspect.isclass(kind) and issubclass(kind, Exception)
    }
    assert classes.keys() == KNOWN_EXCEPTIONS.keys()
    for name, base in KNOWN_EXCEPTIONS.items():
        assert base is None or issubclass(classes[name], classes[base]), name
        is_client_error = issubclass(classes[name], failures.CLIENT_ERRORS)
        assert is_client_error or name in ("ChildDeadlockedError", "IncorrectPolicyType")


@pytest.mark.parametrize(
    ("answer", "kind", "text"),
    [
        ("OOM full", exceptions.OutOfMemoryError, "full"),
        ("READONLY no", exceptions.ReadOnlyError, "no"),
        ("LOADING it", exceptions.BusyLoadingError, "it"),
        ("NOSCRIPT no", exceptions.NoScriptError, "no"),
        ("NOPERM no", exceptions.NoPermissionError, "no"),
        ("NOAUTH no", exceptions.AuthenticationError, "no"),
        ("WRONGPASS no", exceptions.AuthenticationError, "no"),
        ("MOVED 7 a:1", exceptions.MovedError, "7 a:1"),
        ("ASK 7 a:1", exceptions.AskError, "7 a:1"),
        ("TRYAGAIN no", exceptions.TryAgainError, "no"),
        ("CLUSTERDOWN no", exceptions.ClusterDownError, "no"),
        ("MASTERDOWN no", exceptions.MasterDownError, "no"),
        ("BUSY no", exceptions.ResponseError, "BUSY no"),
        ("MISCONF no", exceptions.ResponseError, "MISCONF no"),
        ("NOREPLICAS no", exceptions.ResponseError, "NOREPLICAS no"),
        ("WRONGTYPE no", exceptions.ResponseError, "WRONGTYPE no"),
        ("TORN no", exceptions.ResponseError, "TORN no"),
        ("UNGUARDED no", exceptions.ResponseError, "UNGUARDED no"),
        ("ERR DB index is out of range", exceptions.ResponseError, "DB index is out of range"),
    ],
)
def test_the_first_word_of_a_refusal_chooses_the_class(
    answer: str, kind: type[Exception], text: str
) -> None:
    error = redis.connection.DefaultParser.parse_error(answer)
    assert type(error) is kind
    assert str(error) == text


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        (ConnectionPool.get_connection, ["self", "command_name", "keys", "options"]),
        (redis.BlockingConnectionPool.get_connection, ["self", "command_name", "keys", "options"]),
        (ConnectionPool.release, ["self", "connection"]),
        (ConnectionPool.disconnect, ["self", "inuse_connections"]),
        (Connection.pack_commands, ["self", "commands"]),
        (Connection.send_packed_command, ["self", "command", "check_health"]),
        (Connection.disconnect, ["self", "args", "kwargs"]),
        (Sentinel.discover_master, ["self", "service_name"]),
        (Sentinel.check_master_state, ["self", "state", "service_name"]),
        (RedisCluster.get_node, ["self", "host", "port", "node_name"]),
        (RedisCluster.get_node_from_key, ["self", "key", "replica"]),
        (RedisCluster.get_primaries, ["self"]),
        (RedisCluster.get_redis_connection, ["self", "node"]),
        (RedisCluster.close, ["self"]),
    ],
)
def test_a_method_that_is_called_or_overridden_has_its_parameters(
    method: Any, parameters: list[str]
) -> None:
    assert list(inspect.signature(inspect.unwrap(method)).parameters) == parameters


def test_a_cluster_can_be_asked_anew_without_arguments() -> None:
    parameters = list(inspect.signature(NodesManager.initialize).parameters.values())[1:]
    assert all(parameter.default is not inspect.Parameter.empty for parameter in parameters)


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    with lone_node("--appendonly", "yes") as node:
        yield node


@contextmanager
def pools_of(url: str, connections: int = 2) -> Iterator[Pools]:
    with closing(open_pools(parse(url), connections)) as pools:
        yield pools


@contextmanager
def connected(url: str) -> Iterator[Any]:
    """A connection of the client to the server of a key."""
    with pools_of(url) as pools:
        pool = pools.for_key("{g:a}:game")
        connection = pool.get_connection()
        yield connection
        pool.release(connection)


def ask(connection: Any, *commands: tuple[object, ...]) -> list[Any]:
    """The answers to commands sent in one go, refusals among them."""
    connection.send_packed_command(connection.pack_commands(commands))
    answers = []
    for _ in commands:
        try:
            answers.append(connection.read_response())
        except exceptions.ResponseError as error:
            answers.append(error)
    return answers


def refusal(connection: Any, *command: object) -> Exception:
    (answer,) = ask(connection, command)
    assert isinstance(answer, exceptions.ResponseError)
    return answer


def test_a_connection_stays_in_step_after_a_refusal(node: Node) -> None:
    with connected(f"redis://{node.address}") as connection:
        answers = ask(connection, ("PING",), ("NONSENSE",), ("ECHO", "a"))
        assert (answers[0], answers[2]) == (b"PONG", b"a")
        assert isinstance(answers[1], exceptions.ResponseError)
        assert ask(connection, ("ECHO", "b")) == [b"b"]


def test_a_new_connection_sends_nothing_but_what_it_is_asked_to(node: Node) -> None:
    node.execute("CONFIG", "RESETSTAT")
    with connected(f"redis://{node.address}") as connection:
        assert ask(connection, ("ECHO", "a")) == [b"a"]
    sent = {name for name in node.execute("INFO", "commandstats") if name.startswith("cmdstat_")}
    # What the test itself sent to reset and to read the numbers, and its own handshake.
    ours = {"cmdstat_config|resetstat", "cmdstat_info", "cmdstat_hello"}
    assert sent - ours - {name for name in sent if name.startswith("cmdstat_client|")} == {
        "cmdstat_echo"
    }
    assert connection.get_protocol() == 2
    assert connection.driver_info is None


def test_a_connection_takes_our_packer_and_it_packs_as_the_clients_own_does(
    node: Node, watched: Group
) -> None:
    for url in (f"redis://{node.address}", watched.url):
        with connected(url) as connection:
            assert isinstance(connection._command_packer, Packer)
    for command in (("PING",), ("HSET", "{g:é}:game", b"\xff\r\n", 7, ""), ("SET", b"k" * 9000)):
        assert Packer().pack(*command) == HiredisRespSerializer().pack(*command)


def test_a_pool_replaces_a_connection_that_its_server_has_closed() -> None:
    with lone_node() as node, pools_of(f"redis://{node.address}") as pools:
        pool = pools.for_key("any")
        first = pool.get_connection()
        assert ask(first, ("ECHO", "a")) == [b"a"]
        pool.release(first)
        node.kill()
        node.start()
        second = pool.get_connection()
        assert second is first
        assert ask(second, ("ECHO", "b")) == [b"b"]
        pool.release(second)


def test_a_disconnected_connection_is_made_anew_by_its_pool(node: Node) -> None:
    with pools_of(f"redis://{node.address}") as pools:
        pool = pools.for_key("any")
        connection = pool.get_connection()
        connection.send_packed_command(connection.pack_commands([("ECHO", "stale")]))
        connection.disconnect()
        pool.release(connection)
        again = pool.get_connection()
        assert ask(again, ("ECHO", "fresh")) == [b"fresh"]
        pool.release(again)


def test_an_exhausted_pool_says_so_in_these_words(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topologies, "SOCKET_TIMEOUT", 0.05)
    with pools_of(f"redis://{node.address}", connections=1) as pools:
        pool = pools.for_key("any")
        held = pool.get_connection()
        with pytest.raises(exceptions.ConnectionError, match="No connection available") as caught:
            pool.get_connection()
        assert failure_of(caught.value) is failures.POOL_EXHAUSTED
        pool.release(held)


def test_no_topology_lets_the_client_retry(node: Node, watched: Group, cluster: Group) -> None:
    for url in (f"redis://{node.address}", watched.url, cluster.url):
        with connected(url) as connection:
            assert connection.retry.get_retries() == 0
    with pools_of(watched.url) as pools:
        manager = pools.for_key("any").sentinel_manager  # type: ignore[attr-defined]
        for sentinel in manager.sentinels:
            assert sentinel.connection_pool.connection_kwargs["retry"].get_retries() == 0


HALFWAY = "redis.call('SET', KEYS[1], 'x') return redis.call('LPUSH', KEYS[1], 'x')"
FIRST_WRITE = "return redis.call('SET', KEYS[1], 'x')"


def test_a_script_that_fails_halfway_has_written_and_is_named(node: Node) -> None:
    with connected(f"redis://{node.address}") as connection:
        error = refusal(connection, "EVAL", HALFWAY, 1, "halfway")
        assert str(error).startswith("WRONGTYPE ")
        assert not was_refused(error)
        assert ask(connection, ("GET", "halfway")) == [b"x"]


@pytest.mark.parametrize(
    ("setting", "value", "after", "failure"),
    [
        ("maxmemory", "1", "0", failures.OUT_OF_MEMORY),
        ("min-replicas-to-write", "1", "0", failures.TOO_FEW_REPLICAS),
    ],
)
def test_a_script_refused_at_its_first_write_has_written_nothing(
    node: Node, setting: str, value: str, after: str, failure: failures.Failure
) -> None:
    with connected(f"redis://{node.address}") as connection:
        node.execute("CONFIG", "SET", setting, value)
        error = refusal(connection, "EVAL", FIRST_WRITE, 1, "first")
        node.execute("CONFIG", "SET", setting, after)
        assert "script: " in str(error)
        assert was_refused(error)
        assert failure_of(error) is failure
        assert ask(connection, ("GET", "first")) == [None]


def test_a_denial_names_its_command_alone_and_in_a_script(node: Node) -> None:
    node.execute("ACL", "SETUSER", "ann", "reset", "on", ">word", "~mine", "+eval", "+get")
    with connected(f"redis://ann:word@{node.address}") as connection:
        plain = refusal(connection, "HMGET", "mine", "x")
        in_script = refusal(connection, "EVAL", FIRST_WRITE, 1, "mine")
        foreign = refusal(connection, "GET", "others")
        foreign_in_script = refusal(connection, "EVAL", "return redis.call('GET', 'others')", 0)
    assert isinstance(plain, exceptions.NoPermissionError)
    assert failure_of(plain).detail.endswith("to run HMGET")
    assert str(in_script).startswith("ACL failure in script: ")
    assert failure_of(in_script).detail.endswith("to run SET")
    for error in (foreign, foreign_in_script):
        assert failure_of(error) is failures.FORBIDDEN_KEYS
    assert all(map(was_refused, (plain, in_script, foreign, foreign_in_script)))


def test_a_server_says_what_is_read_of_it(node: Node) -> None:
    info = {section: node.execute("INFO", section) for section in ("server", "memory")}
    assert info["server"]["uptime_in_seconds"] >= 0
    assert info["memory"]["maxmemory_policy"] == "noeviction"
    assert node.execute("INFO", "persistence")["aof_enabled"] == 1
    assert "min_slaves_good_slaves" not in node.execute("INFO", "replication")
    node.execute("CONFIG", "SET", "min-replicas-to-write", 1)
    assert node.execute("INFO", "replication")["min_slaves_good_slaves"] == 0
    node.execute("CONFIG", "SET", "min-replicas-to-write", 0)
    assert node.execute("WAIT", 0, 1) == 0


def test_the_uptime_of_a_server_starts_anew_with_its_process() -> None:
    with lone_node() as node:
        first = node.execute("INFO", "server")
        node.kill()
        node.start()
        second = node.execute("INFO", "server")
        assert second["run_id"] != first["run_id"]
        assert second["uptime_in_seconds"] <= 1


@pytest.fixture(scope="module")
def watched() -> Iterator[Group]:
    with sentinel_group(replicas=1) as group:
        yield group


@pytest.fixture(scope="module")
def cluster() -> Iterator[Group]:
    with cluster_group() as group:
        yield group


def test_sentinels_say_what_is_read_of_them(watched: Group) -> None:
    with pools_of(watched.url) as pools:
        manager = pools.for_key("any").sentinel_manager  # type: ignore[attr-defined]
        assert isinstance(manager, Sentinels)
        assert manager.discover_master("games") == ("127.0.0.1", watched.find_master().port)
        with pytest.raises(failures.NoMasterError):
            manager.discover_master("others")


def test_a_connection_from_a_sentinel_hides_that_its_master_was_demoted(watched: Group) -> None:
    master = watched.find_master()
    with connected(watched.url) as connection:
        assert isinstance(connection, SentinelManagedConnection)
        master.execute("REPLICAOF", "127.0.0.1", 1)
        connection.send_packed_command(connection.pack_commands([("SET", "a", "b")]))
        with pytest.raises(exceptions.ConnectionError, match="previous master") as caught:
            connection.read_response()
        master.execute("REPLICAOF", "NO", "ONE")
    assert failure_of(caught.value) is failures.READ_ONLY
    assert was_refused(caught.value)


def test_the_client_finds_its_way_in_a_cluster(cluster: Group) -> None:
    with pools_of(cluster.url) as pools:
        assert isinstance(pools, ClusterPools)
        keys = pools.one_key_each(f"{{g:{number}}}:game" for number in range(1000))
        assert len(keys) == 3
        ports = {pools.for_key(key).connection_kwargs["port"] for key in keys}
        masters = [each for each in cluster.all_nodes if each.execute("ROLE")[0] == b"master"]
        assert ports == {master.port for master in masters}
        for key in keys:
            pool = pools.for_key(key)
            connection = pool.get_connection()
            assert ask(connection, ("GET", key)) == [None]  # and no redirect
            pool.release(connection)
        known = exceptions.AskError(f"7 127.0.0.1:{masters[0].port}")
        assert pools.redirect_target(known).connection_kwargs["port"] == masters[0].port
        unknown = exceptions.AskError("7 127.0.0.1:1")
        with pytest.raises(exceptions.AskError):
            pools.redirect_target(unknown)
        pools.refresh()
        assert pools.for_key(keys[0]) is not None


def test_a_discovery_runs_in_a_thread_of_its_own(cluster: Group) -> None:
    with pools_of(cluster.url) as pools:
        pools.refresh()
        assert any(thread.name.startswith("cluster") for thread in threading.enumerate())


def test_a_connection_tells_its_socket_and_takes_answers_that_no_command_asked_for(
    node: Node,
) -> None:
    with closing(open_pools(parse(f"redis://{node.address}"), 1)) as pools:
        pool = pools.for_key("a")
        connection: Any = pool.get_connection()
        assert connection._sock.fileno() > 0
        connection.send_packed_command(
            connection.pack_commands([("SSUBSCRIBE", "a")]), check_health=False
        )
        assert connection.read_response() == [b"ssubscribe", b"a", 1]
        assert not connection.can_read()
        assert node.execute("SPUBLISH", "a", "7") == 1
        assert connection.can_read(5)
        assert connection.read_response() == [b"smessage", b"a", b"7"]
        connection.disconnect()
        pool.release(connection)
