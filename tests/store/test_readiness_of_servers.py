"""Real servers that are ready, and in every way not; nothing is changed by asking."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, suppress

import pytest
import redis

from service.errors import StorageUnavailableError
from service.store.connections.retry import RetryPolicy
from service.store.game_store import GameStore
from service.store.readiness import NO_FILE
from service.store.scripts import commit_script
from tests.nodes import Group, Node, cluster_group, lone_node, wait_for
from tests.store.connections.scripted_servers import ONCE
from tests.store.test_game_store import CREATION, first_commit, keys, move_key


@pytest.fixture
def node() -> Iterator[Node]:
    with lone_node("--appendonly", "yes") as node:
        yield node


@pytest.fixture
def own(node: Node) -> Iterator[GameStore]:
    with closing(GameStore.from_url(f"redis://{node.address}", 2, policy=ONCE)) as store:
        yield store


def writes(node: Node) -> tuple[object, ...]:
    """All that a write would change, in memory, in the file, and for a replica."""
    persistence = node.execute("INFO", "persistence")
    return (
        node.execute("DBSIZE"),
        persistence["rdb_changes_since_last_save"],
        persistence["aof_current_size"],
        node.execute("INFO", "replication")["master_repl_offset"],
    )


def test_the_probe_changes_nothing(node: Node, own: GameStore) -> None:
    before = writes(node)
    assert own.check_ready() == ()
    assert writes(node) == before


@pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-lfu"])
def test_a_real_server_that_may_evict_games_is_not_ready(
    node: Node, own: GameStore, policy: str
) -> None:
    node.execute("CONFIG", "SET", "maxmemory-policy", policy)
    with pytest.raises(StorageUnavailableError, match="may delete games to free memory"):
        own.check_ready()
    node.execute("CONFIG", "SET", "maxmemory-policy", "noeviction")
    assert own.check_ready() == ()


def test_a_real_server_without_a_file_is_ready_with_a_warning(node: Node, own: GameStore) -> None:
    node.execute("CONFIG", "SET", "appendonly", "no")
    assert own.check_ready() == (NO_FILE,)


def full(node: Node) -> None:
    node.execute("CONFIG", "SET", "maxmemory", 1)


def without_replicas(node: Node) -> None:
    node.execute("CONFIG", "SET", "min-replicas-to-write", 1)


def a_replica(node: Node) -> None:
    node.execute("REPLICAOF", "127.0.0.1", 1)


def without_a_disk(node: Node) -> None:
    (node.folder / "dump.rdb").mkdir()
    node.execute("CONFIG", "SET", "save", "3600 100000")

    def is_failing() -> bool:
        with suppress(redis.ResponseError):  # one is under way
            node.execute("BGSAVE")
        return bool(node.execute("INFO", "persistence")["rdb_last_bgsave_status"] == "err")

    wait_for(is_failing, "a failed save")


@pytest.mark.parametrize(
    ("inject", "message"),
    [
        (full, "is full"),
        (without_replicas, "too few replicas"),
        (a_replica, "is read-only"),
        (without_a_disk, "cannot write to its disk"),
    ],
)
def test_a_server_that_would_refuse_a_commit_is_not_ready(
    node: Node, own: GameStore, inject: Callable[[Node], None], message: str
) -> None:
    inject(node)
    with pytest.raises(StorageUnavailableError, match=message):
        own.commit(first_commit())
    with pytest.raises(StorageUnavailableError, match=message):
        own.check_ready()


def test_a_database_that_the_server_does_not_have_is_named() -> None:
    with (
        lone_node() as node,
        closing(GameStore.from_url(f"redis://{node.address}/99", 2, policy=ONCE)) as store,
        pytest.raises(StorageUnavailableError, match="no database of the number in REDIS_URL"),
    ):
        store.check_ready()


def test_a_server_that_is_no_cluster_is_named() -> None:
    with (
        lone_node() as node,
        closing(GameStore.from_url(f"redis+cluster://{node.address}", 2, policy=ONCE)) as store,
        pytest.raises(StorageUnavailableError, match="is not a cluster: see REDIS_URL"),
    ):
        store.check_ready()


@pytest.fixture(scope="module")
def group() -> Iterator[Group]:
    with cluster_group() as group:
        yield group


def test_every_master_of_a_cluster_is_probed_and_one_is_enough(group: Group) -> None:
    masters = [node for node in group.all_nodes if node.execute("ROLE")[0] == b"master"]
    policy = RetryPolicy(deadline=5.0)
    with closing(GameStore.from_url(group.url, 2, policy=policy)) as store:
        for node in group.all_nodes:
            node.execute("CONFIG", "RESETSTAT")
        assert store.check_ready() == ()
        for node in masters:
            assert node.execute("INFO", "commandstats")["cmdstat_evalsha"]["calls"] == 1
        for node in masters[1:]:
            full(node)
        assert store.check_ready() == ()
        full(masters[0])
        with pytest.raises(StorageUnavailableError, match="is full"):
            store.check_ready()
        for node in masters:
            node.execute("CONFIG", "SET", "maxmemory", 0)
        masters[2].execute("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        with pytest.raises(StorageUnavailableError, match="may delete games"):
            store.check_ready()
        masters[2].execute("CONFIG", "SET", "maxmemory-policy", "noeviction")
        assert store.check_ready() == ()


def test_a_check_by_the_script_writes_nothing(server: redis.Redis) -> None:
    commit = first_commit()
    for command in commit_script.check_commands(commit.game_id, guarded=False):
        assert server.execute_command(*command) == [b"allowed"]
    assert keys(server, commit) == {}
    for command in commit_script.check_commands(commit.game_id, guarded=True):
        with pytest.raises(redis.ResponseError, match="UNGUARDED"):
            server.execute_command(*command)


@pytest.mark.parametrize("missing", ["hset", "rpush", "set", "pexpire", "hgetall", "hdel"])
def test_a_user_without_a_right_to_write_writes_nothing(
    server: redis.Redis, redis_url: str, missing: str
) -> None:
    reading = {"hmget", "get", "hget", "llen", "lrange", "lindex"}
    granted = reading | {"eval", "evalsha", "hset", "rpush", "set", "pexpire", "hgetall", "hdel"}
    rights = [f"+{command}" for command in granted - {missing}]
    server.execute_command("ACL", "SETUSER", "ann", "reset", "on", ">word", "~{g:*", *rights)
    commit = first_commit(key=CREATION if missing == "set" else move_key(1))
    store = GameStore.from_url(redis_url.replace("://", "://ann:word@"), 1, policy=ONCE)
    with closing(store):
        with pytest.raises(StorageUnavailableError, match=missing.upper()):
            store.commit(commit)
        with pytest.raises(StorageUnavailableError, match=missing.upper()):
            store.check_ready()
    server.execute_command("ACL", "DELUSER", "ann")
    assert keys(server, commit) == {}
