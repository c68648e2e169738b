"""What an answered change has survived, at each level, on a master with replicas."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from service.errors import OutcomeUnknownError, StorageUnavailableError
from service.store.connections.retry import RetryPolicy
from service.store.durability import Durability
from service.store.game_store import GameStore
from service.store.models import AlreadyCommitted, Committed, Deleted, MoveKey, Nonce, RecordKey
from tests.nodes import Node, lone_node, replicated_pair, wait_for
from tests.store.test_game_store import CREATION, first_commit, move_key, next_commit

GUARD = ("--min-replicas-to-write", "1", "--min-replicas-max-lag", "10")
LEVELS = (Durability.REPLICATED, Durability.ACKNOWLEDGED)


@pytest.fixture(scope="module")
def pair() -> Iterator[tuple[Node, Node]]:
    with replicated_pair(*GUARD) as nodes:
        yield nodes


@contextlib.contextmanager
def store_of(node: Node, level: Durability) -> Iterator[GameStore]:
    policy = RetryPolicy(deadline=0.2)
    url = f"redis://{node.address}"
    with contextlib.closing(GameStore.from_url(url, 4, level, policy=policy)) as store:
        yield store


@contextlib.contextmanager
def frozen(replica: Node) -> Iterator[None]:
    """A replica that still counts as one, but confirms nothing."""
    replica.suspend()
    try:
        yield
    finally:
        replica.resume()


def has_replica(master: Node) -> bool:
    return bool(master.execute("INFO", "replication")["min_slaves_good_slaves"] == 1)


def test_a_level_that_needs_replicas_is_refused_by_a_server_that_does_not() -> None:
    with lone_node() as node:
        for level in LEVELS:
            with store_of(node, level) as store:
                with pytest.raises(StorageUnavailableError, match="min-replicas-to-write"):
                    store.check_ready()
                with pytest.raises(StorageUnavailableError, match="min-replicas-to-write"):
                    store.commit(first_commit())
        assert node.execute("DBSIZE") == 0
        with store_of(node, Durability.LOCAL) as store:
            store.check_ready()
            assert store.commit(first_commit()) == Committed()


@pytest.mark.parametrize("level", LEVELS)
def test_a_replica_that_is_there_is_all_that_is_asked(
    pair: tuple[Node, Node], level: Durability
) -> None:
    master, replica = pair
    commit = first_commit(key=move_key(1))
    with store_of(master, level) as store:
        store.check_ready()
        assert store.commit(commit) == Committed()
        assert store.commit(commit) == AlreadyCommitted(b"first")
        assert store.read(commit.game_id, move_key(1))[1] == b"first"
        assert store.delete(commit.game_id, 1) == Deleted()
        assert store.read(commit.game_id)[0] is None
    assert replica.execute("ROLE")[0] == b"slave"


def test_what_is_acknowledged_is_on_the_replica(pair: tuple[Node, Node]) -> None:
    master, replica = pair
    with store_of(master, Durability.ACKNOWLEDGED) as store:
        for _ in range(50):
            commit = first_commit()
            assert store.commit(commit) == Committed()
            assert replica.execute("EXISTS", f"{{g:{commit.game_id}}}:game") == 1


@pytest.mark.parametrize("key", [CREATION, move_key(1)])
def test_a_replica_that_does_not_confirm_leaves_the_outcome_unknown(
    pair: tuple[Node, Node], key: RecordKey | MoveKey
) -> None:
    master, replica = pair
    committed, fresh = first_commit(key=key), first_commit(key=key)
    with store_of(master, Durability.ACKNOWLEDGED) as store:
        store.commit(committed)
        with frozen(replica), pytest.raises(OutcomeUnknownError, match="replicas"):
            store.commit(fresh)
        wait_for(lambda: has_replica(master), "the replica")
        assert store.commit(fresh) == AlreadyCommitted(b"first")
        with frozen(replica):
            # The record is there, but whether the replica has it is not known.
            with pytest.raises(OutcomeUnknownError):
                store.read(committed.game_id, key)
            with pytest.raises(OutcomeUnknownError):
                store.commit(committed)
            # What the replica has confirmed before may be read on.
            with store_of(master, Durability.ACKNOWLEDGED) as other:
                assert other.read(committed.game_id)[0] == committed.stored
        wait_for(lambda: has_replica(master), "the replica")
        assert store.read(committed.game_id, key)[1] == b"first"


@pytest.mark.parametrize(("key", "name"), [(CREATION, "key:create:key"), (move_key(1), "keys:ann")])
def test_a_repeated_answer_waits_on_the_connection_that_read_it(
    pair: tuple[Node, Node], key: RecordKey | MoveKey, name: str
) -> None:
    master, replica = pair
    commit = first_commit(key=key)
    # Written by a connection that waits for nobody, while the replica is not listening.
    with (
        frozen(replica),
        store_of(master, Durability.LOCAL) as hasty,
        store_of(master, Durability.ACKNOWLEDGED) as store,
    ):
        hasty.commit(commit)
        with pytest.raises(OutcomeUnknownError, match="replicas"):
            store.read(commit.game_id, key)
    wait_for(lambda: has_replica(master), "the replica")
    lifetime = master.execute("PTTL", f"{{g:{commit.game_id}}}:{name}")
    with store_of(master, Durability.ACKNOWLEDGED) as store:
        assert store.read(commit.game_id, key)[1] == b"first"
    assert 0 < master.execute("PTTL", f"{{g:{commit.game_id}}}:{name}") <= lifetime


def test_a_master_without_its_replica_accepts_no_change(pair: tuple[Node, Node]) -> None:
    master, replica = pair
    commit = first_commit()
    with store_of(master, Durability.REPLICATED) as store:
        store.commit(commit)
        replica.kill()
        wait_for(lambda: not has_replica(master), "the loss of the replica")
        with pytest.raises(StorageUnavailableError, match="too few replicas"):
            store.commit(next_commit(commit))
        assert store.read(commit.game_id)[0] == commit.stored
        with store_of(master, Durability.ACKNOWLEDGED) as sure:
            # Whether the replica has gone, or has become the master, cannot be told from here.
            with pytest.raises(StorageUnavailableError, match="too few replicas"):
                sure.read(commit.game_id)
            with pytest.raises(StorageUnavailableError, match="too few replicas"):
                sure.events(commit.game_id, 0, 1)
        replica.start()
        wait_for(lambda: has_replica(master), "the replica")
        assert store.commit(next_commit(commit, Nonce(b"again"))) == Committed()
