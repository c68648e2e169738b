"""Reviews beside their games: kept at one version of the game, read from a guarded master."""

from __future__ import annotations

import pytest
import redis
from redis import exceptions

from service.errors import OutcomeUnknownError, StorageUnavailableError
from service.store.connections.retry import RetryPolicy
from service.store.durability import Durability
from service.store.game_store import GameStore
from service.store.models import Committed, Deleted
from service.store.scripts import review_script
from tests.store.connections.scripted_servers import Pool, RawConnection, ScriptedPools
from tests.store.test_commands import UNGUARDED, at, sent
from tests.store.test_game_store import first_commit, keys, next_commit

KEEP = (1, "{g:a}:game", 7, "review:2", b"judged")


def test_a_review_is_kept_beside_its_game_and_deleted_with_it(
    store: GameStore, server: redis.Redis
) -> None:
    commit = first_commit()
    store.commit(commit)
    assert store.review(commit.game_id, 2) is None
    assert store.keep_review(commit.game_id, 1, 2, b"judged")
    assert store.keep_review(commit.game_id, 1, 2, b"judged again")
    assert (store.review(commit.game_id, 2), store.review(commit.game_id, 1)) == (
        b"judged again",
        None,
    )
    assert store.read(commit.game_id)[0] == commit.stored
    assert 90 < server.ttl(f"{{g:{commit.game_id}}}:game") <= 100
    assert store.commit(next_commit(commit)) == Committed()
    assert store.review(commit.game_id, 2) == b"judged again"
    assert store.delete(commit.game_id, 2) == Deleted()
    assert keys(server, commit) == {}


@pytest.mark.parametrize("version", [0, 2, 11])
def test_a_review_of_another_version_is_not_kept(
    store: GameStore, server: redis.Redis, version: int
) -> None:
    commit = first_commit()
    store.commit(commit)
    before = keys(server, commit)
    assert not store.keep_review(commit.game_id, version, 0, b"judged")
    assert keys(server, commit) == before


def test_a_game_that_is_gone_keeps_no_review(store: GameStore, server: redis.Redis) -> None:
    commit = first_commit()
    for version in (0, 1):
        assert not store.keep_review(commit.game_id, version, 0, b"judged")
    assert keys(server, commit) == {}


@pytest.mark.parametrize("level", Durability)
def test_no_replica_is_waited_for(level: Durability) -> None:
    store, pools = at([b"kept"], level=level)
    assert store.keep_review("a", 7, 2, b"judged")
    assert sent(pools) == [("EVALSHA", review_script.SHA, *KEEP)]


def test_a_server_that_does_not_know_the_script_is_given_it() -> None:
    store, pools = at(exceptions.NoScriptError(), [b"stale"])
    assert not store.keep_review("a", 7, 2, b"judged")
    assert sent(pools)[1:] == [("EVAL", review_script.SCRIPT, *KEEP)]


@pytest.mark.parametrize("answer", [[], [b"kept", b"7"], [b"committed"], None])
def test_an_answer_of_no_script_is_refused(answer: object) -> None:
    with pytest.raises(OutcomeUnknownError):
        at(answer)[0].keep_review("a", 7, 2, b"judged")


@pytest.mark.parametrize(
    ("failure", "raised"),
    [
        (exceptions.ReadOnlyError("READONLY"), StorageUnavailableError),
        (exceptions.ResponseError("MISCONF no disk"), StorageUnavailableError),
        (exceptions.ConnectionError("gone"), OutcomeUnknownError),
    ],
)
def test_one_attempt_is_enough(failure: Exception, raised: type[Exception]) -> None:
    """A call that can be made again does not hold up its caller."""
    pools = ScriptedPools([Pool(RawConnection(failure, [b"kept"]))])
    store = GameStore(pools, policy=RetryPolicy(deadline=60.0))  # type: ignore[arg-type]
    with pytest.raises(raised):
        store.keep_review("a", 7, 2, b"judged")
    assert len(sent(pools)) == 1


def test_a_master_that_too_few_follow_tells_no_review() -> None:
    store, _ = at(b"judged", UNGUARDED, level=Durability.ACKNOWLEDGED)
    with pytest.raises(StorageUnavailableError, match="too few replicas"):
        store.review("a", 2)
