"""What tells of the changes of games: the channels of real servers, and the lengths of logs."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from redis import ConnectionPool, exceptions
from redis.crc import key_slot

from service.store.connections.retry import RetryPolicy
from service.store.connections.topologies import Pools, open_pools
from service.store.connections.url import parse
from service.store.game_store import GameStore
from service.store.keys import game_key
from service.store.models import Committed, Deleted, Nonce
from service.store.subscriptions.channels import Channels
from service.store.subscriptions.length_checks import LengthChecks
from service.store.subscriptions.subscriber import Subscriber
from tests.nodes import Group, Node, cluster_group, lone_node, sentinel_group, wait_for
from tests.store.test_game_store import first_commit, next_commit


class Heard:
    """When there was news of a game."""

    def __init__(self, store: GameStore, game_id: str) -> None:
        self.times: list[float] = []
        store.subscription.watch(game_id, lambda: self.times.append(time.monotonic()))

    def wait_for_news_since(self, begun: float) -> float:
        """Wait until there was news after a time; return when."""
        wait_for(lambda: bool(self.times) and self.times[-1] > begun, "news of the game")
        return self.times[-1]

    def settle(self) -> None:
        """Wait until the game is followed, and both sources have told of the beginning."""
        wait_for(lambda: len(self.times) >= 2, "two first news of the game")


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    with lone_node() as node:
        yield node


@pytest.fixture
def store(node: Node) -> Iterator[GameStore]:
    with closing(GameStore.from_url(f"redis://{node.address}", 4)) as store:
        yield store


def test_a_commit_and_a_deletion_are_told_of_soon(store: GameStore) -> None:
    commit = first_commit()
    heard = Heard(store, commit.game_id)
    heard.settle()
    delays = []
    for number in range(20):
        commit = next_commit(commit, Nonce(b"%d" % number)) if number else commit
        begun = time.monotonic()
        assert store.commit(commit) == Committed()
        delays.append(heard.wait_for_news_since(begun) - begun)
    assert statistics.median(delays) < 0.05
    begun = time.monotonic()
    assert store.delete(commit.game_id, commit.stored.version) == Deleted()
    assert heard.wait_for_news_since(begun) - begun < 1


def test_a_game_that_is_watched_no_longer_is_not_told_of(store: GameStore) -> None:
    commit, other = first_commit(), first_commit()
    heard, other_heard = Heard(store, commit.game_id), Heard(store, other.game_id)
    heard.settle()
    other_heard.settle()
    store.subscription.leave(commit.game_id)
    count = len(heard.times)
    begun = time.monotonic()
    store.commit(commit)
    store.commit(other)
    other_heard.wait_for_news_since(begun)
    assert len(heard.times) == count


def test_a_lost_connection_is_made_again_and_counts_as_news(node: Node, store: GameStore) -> None:
    commit = first_commit()
    heard = Heard(store, commit.game_id)
    heard.settle()
    begun = time.monotonic()
    assert node.execute("CLIENT", "KILL", "TYPE", "pubsub") == 1
    heard.wait_for_news_since(begun)
    wait_for(lambda: _channels(node, commit.game_id) == 1, "the channel to be followed again")
    begun = time.monotonic()
    store.commit(commit)
    heard.wait_for_news_since(begun)


def test_after_an_error_that_nobody_expects_the_channels_are_followed_again(
    store: GameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = first_commit()
    heard = Heard(store, commit.game_id)
    heard.settle()
    failures = []

    def fail(subscriber: Subscriber) -> None:
        failures.append(True)
        subscriber._connection.disconnect()
        raise RuntimeError("nobody expects this")

    with monkeypatch.context() as patch:
        patch.setattr(Subscriber, "read", fail)
        store.commit(commit)
        wait_for(lambda: bool(failures), "the error")
    begun = time.monotonic()
    heard.wait_for_news_since(begun)
    delays = []
    for number in range(5):
        commit = next_commit(commit, Nonce(b"%d" % number))
        begun = time.monotonic()
        store.commit(commit)
        delays.append(heard.wait_for_news_since(begun) - begun)
    assert statistics.median(delays) < 0.05, "the lengths of logs tell later"


def test_a_connection_that_the_client_closes_itself_is_made_again(
    node: Node, store: GameStore
) -> None:
    commit = first_commit()
    heard = Heard(store, commit.game_id)
    heard.settle()
    channels = store.subscription._sources[0]
    assert isinstance(channels, Channels)
    (subscriber,) = channels._subscribers.values()
    begun = time.monotonic()
    subscriber._connection.disconnect()
    heard.wait_for_news_since(begun)
    wait_for(lambda: _channels(node, commit.game_id) == 1, "the channel to be followed again")
    begun = time.monotonic()
    store.commit(commit)
    assert heard.wait_for_news_since(begun) - begun < 1
    assert [*channels._subscribers.values()] != [subscriber]


class LostOnce:
    """Pools of which nothing is known at first, by an error that nobody expects."""

    def __init__(self, pools: Pools) -> None:
        self._pools = pools
        self.failures = 0

    def for_key(self, key: str) -> ConnectionPool:
        if not self.failures:
            self.failures += 1
            raise RuntimeError("nobody expects this")
        return self._pools.for_key(key)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pools, name)


def test_after_an_error_that_nobody_expects_the_lengths_are_looked_at_again(
    store: GameStore,
) -> None:
    commit = first_commit()
    store.commit(commit)
    heard: list[str] = []
    pools = LostOnce(store._pools)
    with closing(LengthChecks(pools, heard.append, 0.02)) as checks:  # type: ignore[arg-type]
        checks.follow(commit.game_id)
        wait_for(lambda: heard == [commit.game_id], "the first look")
        assert pools.failures == 1
        store.commit(next_commit(commit))
        wait_for(lambda: heard == [commit.game_id] * 2, "the change")


def test_a_damaged_log_hides_no_change_of_another(store: GameStore, node: Node) -> None:
    commits = [first_commit() for _ in range(3)]
    damaged = commits[1].game_id
    node.execute("SET", f"{{g:{damaged}}}:events", "no list")
    heard: list[str] = []
    with closing(LengthChecks(store._pools, heard.append, 0.02)) as checks:
        for commit in commits:
            checks.follow(commit.game_id)
        wait_for(lambda: {each.game_id for each in commits} <= set(heard), "the first looks")
        store.commit(commits[2])
        wait_for(lambda: heard.count(commits[2].game_id) == 2, "the change")


def _channels(node: Node, game_id: str) -> int:
    """How many connections follow the channel of a game."""
    count = node.execute("PUBSUB", "SHARDNUMSUB", f"{{g:{game_id}}}:news")[1]
    return int(count)


def test_without_a_right_to_channels_the_lengths_of_logs_tell(node: Node) -> None:
    node.execute("ACL", "SETUSER", "ann", "reset", "on", ">word", "~{g:*", "+@all", "resetchannels")
    commit = first_commit()
    with closing(GameStore.from_url(f"redis://ann:word@{node.address}", 4)) as store:
        heard = Heard(store, commit.game_id)
        for each in (commit, next_commit(commit)):
            begun = time.monotonic()
            assert store.commit(each) == Committed()
            heard.wait_for_news_since(begun)
        assert _channels(node, commit.game_id) == 0


def test_lengths_are_looked_at_again_after_a_server_was_lost() -> None:
    commit, told = first_commit(), list[str]()
    with lone_node("--appendonly", "yes") as node:
        url = f"redis://{node.address}"
        policy = RetryPolicy(deadline=10.0)
        with (
            closing(GameStore.from_url(url, 4, policy=policy)) as store,
            closing(open_pools(parse(url), 2)) as pools,
            closing(LengthChecks(pools, told.append, seconds=0.05)) as checks,
        ):
            checks.follow(commit.game_id)
            wait_for(lambda: len(told) == 1, "the first look")
            node.kill()
            node.start()
            store.commit(commit)
            wait_for(lambda: len(told) == 2, "the change")
            checks.leave(commit.game_id)
            store.commit(next_commit(commit))
            checks.follow("another")
            wait_for(lambda: len(told) == 3, "the first look at another game")
    assert told == [commit.game_id, commit.game_id, "another"]


def test_after_a_failover_the_new_master_is_followed() -> None:
    commit = first_commit()
    with sentinel_group() as group, closing(GameStore.from_url(group.url, 4)) as store:
        heard = Heard(store, commit.game_id)
        heard.settle()
        before = group.find_master()
        group.fail_over()
        wait_for(lambda: group.has_other_master(before), "another master")
        master = group.find_master()
        wait_for(lambda: _channels(master, commit.game_id) == 1, "the channel to be followed")
        with closing(GameStore.from_url(group.url, 4, policy=RetryPolicy(deadline=10.0))) as other:
            begun = time.monotonic()
            assert other.commit(commit) == Committed()
        heard.wait_for_news_since(begun)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Group]:
    with cluster_group() as group:
        yield group


def test_in_a_cluster_each_game_is_followed_at_its_master_also_when_its_slot_moves(
    cluster: Group,
) -> None:
    with closing(GameStore.from_url(cluster.url, 4)) as store:
        masters = {
            node.port: node for node in cluster.all_nodes if node.execute("ROLE")[0] == b"master"
        }
        commits = [first_commit() for _ in range(36)]  # on every master, all but surely
        heard = [Heard(store, commit.game_id) for commit in commits]
        for each in heard:
            each.settle()
        for commit, each in zip(commits, heard, strict=True):
            begun = time.monotonic()
            store.commit(commit)
            each.wait_for_news_since(begun)

        commit, watched = commits[0], heard[0]
        port = _port(store, commit.game_id)
        assert {_port(store, each.game_id) for each in commits} == set(masters)
        source = masters.pop(port)
        target = next(iter(masters.values()))
        _move_slot(source, target, commit.game_id, [*masters.values(), source])
        wait_for(lambda: _channels(target, commit.game_id) == 1, "the channel at its new server")
        with closing(
            GameStore.from_url(cluster.url, 4, policy=RetryPolicy(deadline=10.0))
        ) as other:
            begun = time.monotonic()
            other.commit(next_commit(commit))
        watched.wait_for_news_since(begun)


def _port(store: GameStore, game_id: str) -> Any:
    return store._pools.for_key(game_key(game_id)).connection_kwargs["port"]


def _move_slot(source: Node, target: Node, game_id: str, masters: list[Node]) -> None:
    """Move the slot of a game with all its keys."""
    slot = key_slot(game_key(game_id).encode())
    names = {node.port: node.execute("CLUSTER", "MYID").decode() for node in (source, target)}
    target.execute("CLUSTER", "SETSLOT", slot, "IMPORTING", names[source.port])
    source.execute("CLUSTER", "SETSLOT", slot, "MIGRATING", names[target.port])
    keys = source.execute("CLUSTER", "GETKEYSINSLOT", slot, 100)
    source.execute("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *keys)
    for node in (target, *masters):
        node.execute("CLUSTER", "SETSLOT", slot, "NODE", names[target.port])


class OldServer:
    """A connection to a server that knows no sharded channels; each command has its answer."""

    def __init__(self) -> None:
        self._sock = object()
        self.sent: list[tuple[str, str]] = []
        self.answers: list[object] = []

    def get_connection(self) -> OldServer:
        return self

    def release(self, connection: object) -> None:
        """Take it back."""

    def disconnect(self) -> None:
        """Close it."""

    def pack_commands(self, commands: list[tuple[str, str]]) -> list[tuple[str, str]]:
        return commands

    def send_packed_command(self, packed: list[tuple[str, str]], *, check_health: bool) -> None:
        assert not check_health
        for verb, channel in packed:
            self.sent.append((verb, channel))
            self.answers.append(
                exceptions.ResponseError(f"unknown command '{verb}', with args beginning with: ")
                if verb.startswith("S") and verb != "SUBSCRIBE"
                else [verb.lower().encode(), channel.encode(), 1]
            )

    def can_read(self) -> bool:
        return bool(self.answers)

    def read_response(self) -> object:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_a_server_without_sharded_channels_has_its_global_ones_followed() -> None:
    server = OldServer()
    subscriber = Subscriber(server)  # type: ignore[arg-type]
    subscriber.subscribe(["a", "b"])
    news, lost = subscriber.read()
    assert set(news) == {"a", "b"}
    assert lost == []
    assert [verb for verb, _ in server.sent] == ["SSUBSCRIBE"] * 2 + ["SUBSCRIBE"] * 2
    server.answers.append([b"message", b"{g:b}:news", b"7"])
    assert subscriber.read() == (["b"], [])
    subscriber.unsubscribe("a")
    assert server.sent[-1] == ("UNSUBSCRIBE", "{g:a}:news")
    assert subscriber.read() == ([], [])
    server.answers.append([b"unsubscribe", b"{g:b}:news", 0])
    assert subscriber.read() == ([], ["b"])


def test_a_silent_server_is_asked_and_then_given_up() -> None:
    server = OldServer()
    subscriber = Subscriber(server)  # type: ignore[arg-type]
    subscriber.subscribe(["a"])
    subscriber.read()
    now = time.monotonic()
    subscriber.check(now + 1.0)
    count = len(server.sent)
    subscriber.check(now + 2.5)
    assert len(server.sent) == count + 1
    subscriber.check(now + 1.0)
    with pytest.raises(exceptions.TimeoutError):
        subscriber.check(now + 5.0)
    subscriber.read()
    subscriber.check(now + 1.0)
