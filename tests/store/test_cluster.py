"""A real cluster while a slot moves, and while none of its nodes answers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
import redis
from redis.crc import key_slot

from service.app import create_app
from service.config import Config
from service.errors import StorageUnavailableError
from service.store.call_counts import CallCounts
from service.store.connections.retry import RetryPolicy
from service.store.connections.topologies import Sentinels, open_pools
from service.store.connections.url import parse
from service.store.game_store import GameStore
from service.store.keys import game_key
from service.store.models import Committed, MoveKey, RecordKey
from tests.nodes import Group, cluster_group, lone_node
from tests.player import QUICK, Player, create
from tests.store.connections.scripted_servers import ONCE
from tests.store.test_game_store import CREATION, first_commit, move_key, next_commit


@pytest.fixture(scope="module")
def group() -> Iterator[Group]:
    with cluster_group() as group:
        yield group


@pytest.fixture
def store(group: Group) -> Iterator[GameStore]:
    with closing(GameStore.from_url(group.url, 8, policy=RetryPolicy(deadline=0.2))) as store:
        yield store


def test_a_game_and_its_rematch_may_be_on_two_servers(store: GameStore) -> None:
    client = create_app(Config(log_level="CRITICAL"), store).test_client()
    player = create(client, QUICK)
    player.play_to_the_end()
    places = set()
    for _ in range(12):
        old = player.game["id"]
        answer = client.post(player.path + "/rematch", headers=player.auth)
        player = Player(client, answer)
        places.add(server_of(store, old) == server_of(store, player.game["id"]))
        assert client.get(f"/v1/games/{old}").get_json()["rematch"] == player.game["id"]
        if places == {True, False}:
            return
        player.play_to_the_end()
    raise AssertionError("each game was on the server of the one before")


def test_calls_are_counted_at_every_server(store: GameStore) -> None:
    counts = CallCounts(pools=store._pools)
    callers = [f"192.0.2.{number}" for number in range(20)]
    for number in (1, 2):
        counted = {counts.incr(f"join/{caller}", 60) for caller in callers}
        assert counted <= {number, 1}  # 1 again in a new minute


def server_of(store: GameStore, game_id: str) -> object:
    """The port of the server that has a game."""
    return store._pools.for_key(game_key(game_id)).connection_kwargs["port"]


def test_a_game_on_a_moving_slot_is_read_whole_with_its_records(
    group: Group, store: GameStore
) -> None:
    move = first_commit(key=move_key(1))
    assert store.commit(move) == Committed()
    commit = next_commit(move, key=CREATION)
    assert store.commit(commit) == Committed()
    game = f"{{g:{commit.game_id}}}:game"
    slot = key_slot(game.encode())
    port = store._pools.for_key(game).connection_kwargs["port"]
    source = next(node for node in group.all_nodes if node.port == port)
    masters = [node for node in group.all_nodes if node.execute("ROLE")[0] == b"master"]
    target = next(node for node in masters if node is not source)
    names = {node.port: node.execute("CLUSTER", "MYID").decode() for node in (source, target)}
    target.execute("CLUSTER", "SETSLOT", slot, "IMPORTING", names[source.port])
    source.execute("CLUSTER", "SETSLOT", slot, "MIGRATING", names[target.port])

    def migrate(*names: str) -> None:
        keys = [f"{{g:{commit.game_id}}}:{name}" for name in names]
        source.execute("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *keys)

    def check_reads() -> None:
        assert store.read(commit.game_id, CREATION) == (commit.stored, b"next")
        assert store.read(commit.game_id, move_key(1)) == (commit.stored, b"first")
        # What is not there is asked for where the slot goes, wherever the game is.
        assert store.read(commit.game_id, move_key(2)) == (commit.stored, None)

    def check_commit(key: RecordKey | MoveKey) -> None:
        with pytest.raises(StorageUnavailableError, match="moving"):
            store.commit(next_commit(commit, key=key))

    check_reads()
    check_commit(RecordKey("not there"))
    migrate("game", "events")
    check_reads()
    check_commit(move_key(2))
    assert store.events(commit.game_id, 0, 9) == [b"event 1", b"event 2", b"event 3"]
    assert store.events_at(commit.game_id, [2, 1]) == [b"event 2", b"event 1"]
    migrate("answers:ann")
    check_reads()
    migrate("keys:ann", "key:create:key")
    check_reads()
    for node in (target, source):
        node.execute("CLUSTER", "SETSLOT", slot, "NODE", names[target.port])
    with closing(GameStore.from_url(group.url, 8, policy=RetryPolicy(deadline=5.0))) as patient:
        assert patient.commit(next_commit(commit, key=move_key(2))) == Committed()
    assert store.read(commit.game_id)[0] == next_commit(commit).stored


@pytest.mark.parametrize("known", [True, False], ids=["known before", "never reached"])
def test_a_cluster_that_does_not_answer_holds_nobody_for_long(group: Group, known: bool) -> None:
    threads = 8
    with (
        closing(GameStore.from_url(group.url, threads)) as store,
        ThreadPoolExecutor(threads) as pool,
    ):
        if known:
            store.check_ready()
        for node in group.all_nodes:
            node.suspend()
        try:
            begun = time.monotonic()
            reading = [pool.submit(store.read, "a") for _ in range(threads)]
            for each in reading:
                with pytest.raises(StorageUnavailableError):
                    each.result()
            assert time.monotonic() - begun < 5
        finally:
            for node in group.all_nodes:
                node.resume()


def test_a_cluster_without_a_slot_is_not_ready() -> None:
    with (
        lone_node("--cluster-enabled", "yes") as node,
        closing(GameStore.from_url(f"redis+cluster://{node.address}", 2, policy=ONCE)) as store,
        pytest.raises(StorageUnavailableError, match="has no master"),
    ):
        store.check_ready()


def test_a_slot_that_no_node_serves_is_left_out_of_the_keys() -> None:
    with lone_node("--cluster-enabled", "yes") as node:
        node.execute("CLUSTER", "ADDSLOTSRANGE", 0, 8000)
        with closing(open_pools(parse(f"redis+cluster://{node.address}"), 1)) as pools:
            keys = [f"{{{number}}}" for number in range(100)]
            (key,) = pools.one_key_each(keys)
            assert key_slot(key.encode()) <= 8000
            unserved = [key for key in keys if key_slot(key.encode()) > 8000]
            with pytest.raises(redis.exceptions.ClusterDownError):
                pools.one_key_each(unserved)


class FakeSentinel:
    """A sentinel that answers or does not."""

    def __init__(self, answers: bool) -> None:
        self._answers = answers

    def sentinel_masters(self) -> dict[str, dict[str, object]]:
        time.sleep(0.001)
        if not self._answers:
            raise redis.ConnectionError("down")
        state = {"is_master": True, "is_sdown": False, "is_odown": False, "num-other-sentinels": 2}
        return {"games": {**state, "ip": "127.0.0.1", "port": 6379}}


def test_no_sentinel_is_forgotten_however_many_ask_at_once() -> None:
    sentinel_nodes = [FakeSentinel(False), FakeSentinel(False), FakeSentinel(True)]
    for _ in range(20):
        sentinels = Sentinels([])
        sentinels.sentinels = list(sentinel_nodes)
        with ThreadPoolExecutor(8) as pool:
            addresses = [pool.submit(sentinels.discover_master, "games") for _ in range(8)]
        assert {each.result() for each in addresses} == {("127.0.0.1", 6379)}
        assert set(sentinels.sentinels) == set(sentinel_nodes)
        assert sentinels.sentinels[0] is sentinel_nodes[2]
