"""The rights that `docs/operations.md` lists are what the service needs, for each form of URL.

A user with exactly these rights plays; with any one of them missing the store is not ready, in
words that name the command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path

import pytest

from service.app import create_app
from service.config import Config
from service.errors import StorageUnavailableError, UncountedCallError
from service.store.call_counts import CallCounts
from service.store.durability import Durability
from service.store.game_store import GameStore
from service.store.models import Deleted, MoveKey, Nonce, RecordKey
from service.store.readiness import NO_CHANNEL, NO_INFO
from tests.nodes import Group, Node, cluster_group, lone_node, sentinel_group
from tests.player import QUICK, create, refused
from tests.store.connections.scripted_servers import ONCE
from tests.store.test_game_store import (
    CREATION,
    NEXT_NONCE,
    first_commit,
    move_key,
    next_commit,
)

_PAGE = Path(__file__).parents[2] / "docs" / "operations.md"
_ROW = re.compile(r"^\| (?P<need>[^|]+) \| (?P<commands>(?:`[A-Z ]+` ?)+)\|$", re.MULTILINE)
_LOGIN = "ann:word@"
_KEYS = "~{g:*"
_CHANNELS = "&{g:*"


def documented() -> dict[str, list[str]]:
    """The commands that the page lists, by what they are needed for."""
    section = _PAGE.read_text().partition("### The rights of a user\n")[2].partition("\n## ")[0]
    rows = list(_ROW.finditer(section))
    assert len(rows) == section.count("\n| ") - 2  # every row but the head and its line
    return {row["need"]: re.findall(r"`([A-Z ]+)`", row["commands"]) for row in rows}


RIGHTS = documented()
EVERY = RIGHTS["every store"]
LEVEL = {
    Durability.LOCAL: [],
    Durability.REPLICATED: RIGHTS["`DURABILITY=replicated`"],
    Durability.ACKNOWLEDGED: RIGHTS["`DURABILITY=acknowledged`"],
}
CLUSTER = RIGHTS["`redis+cluster`"]
SENTINELS = RIGHTS["the sentinels' own user"]
STREAMS = RIGHTS["streams"]
LIMITS = RIGHTS["rate limits"]


def grant(
    nodes: Sequence[Node], commands: Sequence[str], keys: str = _KEYS, channels: str = _CHANNELS
) -> None:
    """Have the user `ann` run these commands, and no other."""
    rights = [f"+{command.lower().replace(' ', '|')}" for command in commands]
    for node in nodes:
        node.execute("ACL", "SETUSER", "ann", "reset", "on", ">word", keys, channels, *rights)


@dataclass(frozen=True)
class Place:
    """Servers, and a URL of them with the user."""

    url: str
    nodes: Sequence[Node]
    replicas: int = 1

    def store(self, level: Durability = Durability.LOCAL) -> GameStore:
        """A store of one attempt, with connections of its own."""
        return GameStore.from_url(self.url, 2, level, self.replicas, policy=ONCE)


def _with_login(url: str) -> str:
    return url.replace("://", f"://{_LOGIN}")


@pytest.fixture(scope="module")
def single() -> Iterator[Place]:
    with lone_node("--appendonly", "yes") as node:
        yield Place(f"redis://{_LOGIN}{node.address}", [node])


@pytest.fixture(scope="module")
def watched() -> Iterator[Group]:
    with sentinel_group(replicas=1) as group:
        yield group


@pytest.fixture(scope="module")
def sentinel(watched: Group) -> Place:
    return Place(_with_login(watched.url), watched.all_nodes)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Place]:
    with cluster_group() as group:
        yield Place(_with_login(group.url), group.all_nodes)


def play_a_move(store: GameStore) -> None:
    """Use the store in every way that the service does."""
    assert set(store.check_ready()) <= {NO_INFO, NO_CHANNEL}
    client = create_app(Config(log_level="CRITICAL"), store).test_client()
    player = create(client, QUICK)
    assert player.draw(idempotency_key="one").status_code == 200
    assert player.draw(idempotency_key="one").headers["Idempotency-Replayed"] == "true"
    assert player.discard().status_code == 200
    for path in ("/events", "/scores"):
        assert player.get(path).status_code == 200
    assert client.delete(player.path, headers=player.auth).status_code == 204
    check_a_review_is_kept(store)


def check_a_review_is_kept(store: GameStore) -> None:
    """Keep the review of a game and read it."""
    commit = first_commit()
    store.commit(commit)
    assert store.keep_review(commit.game_id, 1, 0, b"judged")
    assert store.review(commit.game_id, 0) == b"judged"
    store.delete(commit.game_id, 1)


def check_each_right(
    place: Place, commands: Sequence[str], level: Durability = Durability.LOCAL
) -> None:
    """A move is played with these rights, and each of them is missed."""
    grant(place.nodes, commands)
    with closing(place.store(level)) as store:
        play_a_move(store)
    for missing in commands:
        grant(place.nodes, [command for command in commands if command != missing])
        expect_not_ready(place, rf"^the storage's user lacks the right to run {missing}$", level)
    grant(place.nodes, commands, keys="~others:*")
    expect_not_ready(place, r"^the storage's user may not use keys that begin with \{g:$", level)


def expect_not_ready(place: Place, message: str, level: Durability = Durability.LOCAL) -> None:
    with (
        closing(place.store(level)) as store,
        pytest.raises(StorageUnavailableError, match=message),
    ):
        store.check_ready()


def test_the_page_lists_what_one_server_needs(single: Place) -> None:
    check_each_right(single, EVERY)


def test_the_page_lists_what_a_url_with_database_and_options_needs(single: Place) -> None:
    options = ("the option `client_name`", "the option `health_check_interval`")
    more = [command for need in ("a database other than 0", *options) for command in RIGHTS[need]]
    url = f"{single.url}/3?client_name=rummy&health_check_interval=1"
    check_each_right(Place(url, single.nodes), [*EVERY, *more])


@pytest.mark.parametrize("level", Durability)
def test_the_page_lists_what_a_master_behind_sentinels_needs(
    sentinel: Place, level: Durability
) -> None:
    check_each_right(sentinel, [*EVERY, *LEVEL[level]], level)


def test_the_page_lists_what_the_sentinels_own_user_needs(sentinel: Place, watched: Group) -> None:
    grant(sentinel.nodes, EVERY)
    url = f"{sentinel.url}?sentinel_username=ann&sentinel_password=word"
    grant(watched.sentinels, SENTINELS, keys="~*")
    with closing(Place(url, sentinel.nodes).store()) as store:
        play_a_move(store)
    grant(watched.sentinels, ["PING"], keys="~*")
    expect_not_ready(
        Place(url, sentinel.nodes), r"^the storage's user lacks the right to run SENTINEL MASTERS$"
    )
    wrong_password = url.replace("=word", "=other")
    expect_not_ready(Place(wrong_password, sentinel.nodes), "refuses the service's user")


@pytest.mark.parametrize("level", Durability)
def test_the_page_lists_what_a_cluster_needs(cluster: Place, level: Durability) -> None:
    check_each_right(cluster, [*EVERY, *CLUSTER, *LEVEL[level]], level)


def test_without_the_right_to_info_a_local_store_warns(single: Place) -> None:
    grant(single.nodes, [*EVERY, *STREAMS])
    with closing(single.store()) as store:
        assert store.check_ready() == (NO_INFO,)
    grant(single.nodes, [*EVERY, *STREAMS, "INFO"])
    with closing(single.store()) as store:
        assert store.check_ready() == ()


@pytest.mark.parametrize("missing", [*STREAMS, "the channels"])
def test_without_a_right_to_channels_a_store_warns_and_plays(single: Place, missing: str) -> None:
    rights = [command for command in (*EVERY, *STREAMS, "INFO") if command != missing]
    grant(single.nodes, rights, channels="&others:*" if missing == "the channels" else _CHANNELS)
    with closing(single.store()) as store:
        assert store.check_ready() == (NO_CHANNEL,)
        play_a_move(store)


@pytest.mark.parametrize("missing", [None, *LIMITS, "the keys"])
def test_calls_are_counted_with_these_rights_and_pass_without_them(
    single: Place, missing: str | None
) -> None:
    (node,) = single.nodes
    grant(single.nodes, [command for command in (*EVERY, *LIMITS) if command != missing])
    if missing != "the keys":
        node.execute("ACL", "SETUSER", "ann", "~limit:*")
    with closing(single.store()) as store:
        counts = CallCounts(pools=store._pools)
        with pytest.raises(UncountedCallError) if missing else nullcontext():
            counts.incr(f"without {missing}", 60)


@pytest.mark.parametrize(
    ("missing", "key"),
    [
        *((command, NEXT_NONCE) for command in ("HMGET", "LLEN", "HSET", "RPUSH", "PEXPIRE")),
        *((command, CREATION) for command in ("GET", "SET", "PEXPIRE")),
        *((command, move_key(1)) for command in ("HGETALL", "HSET", "HDEL", "PEXPIRE")),
    ],
)
def test_a_denied_commit_writes_nothing_and_names_the_command(
    single: Place, missing: str, key: RecordKey | MoveKey | Nonce
) -> None:
    (node,) = single.nodes
    commit = first_commit()
    grant(single.nodes, EVERY)
    with closing(single.store()) as store:
        store.commit(commit)
        grant(single.nodes, [command for command in EVERY if command != missing])
        before = node.execute("HGETALL", f"{{g:{commit.game_id}}}:game")
        with pytest.raises(StorageUnavailableError, match=rf"lacks the right to run {missing}$"):
            store.commit(next_commit(commit, key=key))
        assert node.execute("HGETALL", f"{{g:{commit.game_id}}}:game") == before
        assert node.execute("LLEN", f"{{g:{commit.game_id}}}:events") == 2


def test_a_denied_deletion_deletes_nothing_and_names_the_command(single: Place) -> None:
    (node,) = single.nodes
    commit = first_commit()
    grant(single.nodes, EVERY)
    with closing(single.store()) as store:
        store.commit(commit)
        for missing in ("HGET", "UNLINK"):
            grant(single.nodes, [command for command in EVERY if command != missing])
            message = rf"lacks the right to run {missing}$"
            with pytest.raises(StorageUnavailableError, match=message):
                store.delete(commit.game_id, 1)
            assert node.execute("HLEN", f"{{g:{commit.game_id}}}:game") == 4
            assert node.execute("LLEN", f"{{g:{commit.game_id}}}:events") == 2
        grant(single.nodes, EVERY)
        assert store.delete(commit.game_id, 1) == Deleted()


def test_a_denial_is_told_to_the_client(single: Place) -> None:
    grant(single.nodes, EVERY)
    with closing(single.store()) as store:
        client = create_app(Config(log_level="CRITICAL"), store).test_client()
        player = create(client, QUICK)
        grant(single.nodes, [command for command in EVERY if command != "RPUSH"])
        problem = refused(player.draw(), 503, "storage-unavailable")
        assert "lacks the right to run RPUSH" in problem["detail"]
        problem = refused(client.get("/readyz"), 503, "storage-unavailable")
        assert "lacks the right to run RPUSH" in problem["detail"]
        grant(single.nodes, EVERY)
        assert client.get("/readyz").status_code == 200
        assert player.draw().status_code == 200
