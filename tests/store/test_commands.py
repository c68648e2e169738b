"""Which commands the store sends to which server, and what it makes of the answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from redis import exceptions

from service.errors import CorruptGameError, OutcomeUnknownError, StorageUnavailableError
from service.store.connections.failures import SOON
from service.store.connections.retry import RetryPolicy
from service.store.connections.topologies import SinglePool
from service.store.durability import Durability, DurabilityLevel
from service.store.game_store import GameStore
from service.store.models import (
    AlreadyCommitted,
    Commit,
    Committed,
    Deleted,
    KeyExpired,
    MoveKey,
    Nonce,
    Outcome,
    RecordKey,
    Stale,
    StoredGame,
)
from service.store.scripts import delete_script
from tests.store.connections.scripted_servers import (
    ONCE,
    ManualClock,
    Pool,
    RawConnection,
    ScriptedPools,
)
from tests.store.test_game_store import FIRST_NONCE, NOW, first_commit

KEY = RecordKey("create:key")
MOVE = MoveKey("ann", b"id of a key", NOW)
ENTRY = b"21:%d" % (NOW + 1)
FIELDS = [b"7", b"state", b"meta"]
CONFIRMED = ("WAIT", 2, 600)
WITH_REPLICAS = b"role:master\r\nmin_slaves_good_slaves:2\r\n"
WITH_ONE_REPLICA = b"role:master\r\nmin_slaves_good_slaves:1\r\n"
UNGUARDED = b"role:master\r\n"


def at(
    *answers: object, level: Durability = Durability.LOCAL, policy: RetryPolicy = ONCE
) -> tuple[GameStore, ScriptedPools]:
    """A store of masters with two replicas each, whose server gives these answers."""
    pools = ScriptedPools([Pool(RawConnection(*answers))])
    return GameStore(pools, level, 2, policy), pools  # type: ignore[arg-type]


def sent(pools: ScriptedPools) -> list[Any]:
    return pools.pools[0].connection.commands


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (lambda store: store.read("a"), FIELDS),
        (lambda store: store.read("a", KEY), FIELDS),
        (lambda store: store.read("a", MOVE), FIELDS),
        (lambda store: store.events("a", 0, 1), []),
        (lambda store: store.events_at("a", [1]), None),
        (lambda store: store.delete("a", 7), [b"deleted"]),
        (lambda store: store.review("a", 0), b"review"),
        (lambda store: store.keep_review("a", 7, 0, b"review"), [b"kept"]),
        (lambda store: store.commit(first_commit()), [b"committed", b"1"]),
    ],
)
def test_every_call_goes_to_the_server_of_its_game(
    call: Callable[[GameStore], object], answer: object
) -> None:
    store, pools = at(answer, None)
    call(store)
    words = [str(word) for command in sent(pools) for word in command]
    (asked,) = pools.keys
    tag = asked.partition("}")[0] + "}"
    assert tag.startswith("{g:")
    assert any(word.startswith(tag) for word in words)


def test_a_game_is_read_before_the_record() -> None:
    store, pools = at(FIELDS, b"first answer")
    assert store.read("a", KEY) == (StoredGame(7, b"state", b"meta"), b"first answer")
    assert pools.pools[0].connection.sent == [
        [
            ("HMGET", "{g:a}:game", "version", "state", "meta"),
            ("GET", "{g:a}:key:create:key"),
        ]
    ]


def test_a_record_of_a_move_is_read_only_where_its_key_is_known() -> None:
    store, pools = at(FIELDS, None)
    assert store.read("a", MOVE) == (StoredGame(7, b"state", b"meta"), None)
    both = [
        ("HMGET", "{g:a}:game", "version", "state", "meta"),
        ("HGET", "{g:a}:keys:ann", b"id of a key"),
    ]
    assert pools.pools[0].connection.sent == [both]
    store, pools = at(FIELDS, ENTRY, b"id of a keyfirst answer")
    assert store.read("a", MOVE) == (StoredGame(7, b"state", b"meta"), b"first answer")
    assert pools.pools[0].connection.sent == [both, [("HGET", "{g:a}:answers:ann", 5)]]


@pytest.mark.parametrize("answer", [None, b"id of another keyits answer"])
def test_a_known_key_whose_record_has_made_room_is_expired(answer: bytes | None) -> None:
    assert at(FIELDS, ENTRY, answer)[0].read("a", MOVE)[1] == KeyExpired()


def test_a_key_whose_lifetime_is_over_is_as_if_it_were_not_there() -> None:
    store, pools = at(FIELDS, b"21:%d" % NOW)
    assert store.read("a", MOVE)[1] is None
    assert len(sent(pools)) == 2


def test_a_game_may_be_there_without_a_record_and_a_record_without_a_game() -> None:
    assert at(FIELDS, None)[0].read("a", KEY) == (StoredGame(7, b"state", b"meta"), None)
    assert at([None] * 3, b"first answer")[0].read("a", KEY) == (None, b"first answer")


@pytest.mark.parametrize("missing", range(3))
def test_a_game_that_lacks_a_field_is_damaged(missing: int) -> None:
    fields = [*FIELDS[:missing], None, *FIELDS[missing + 1 :]]
    message = r"^the game lacks its version, its state or its meta$"
    with pytest.raises(CorruptGameError, match=message):
        at(fields)[0].read("a")


@pytest.mark.parametrize(
    "version", [b"seven", b"", b"-1", b"07", b" 7", b"7\n", b"1_0", b"1.5", b"9" * 19, b"\xd9\xa7"]
)
def test_a_version_that_no_commit_wrote_is_damaged(version: bytes) -> None:
    message = r"^the version of the game is not a number$"
    with pytest.raises(CorruptGameError, match=message):
        at([version, b"state", b"meta"])[0].read("a")
    with pytest.raises(CorruptGameError, match=message):
        at([b"stale", version])[0].commit(first_commit())


def test_a_game_of_version_0_is_damaged() -> None:
    with pytest.raises(CorruptGameError, match=r"^the version of the game is 0$"):
        at([b"0", b"state", b"meta"])[0].read("a")
    assert at([b"stale", b"0"])[0].commit(first_commit()) == Stale(0)


@pytest.mark.parametrize("entry", [b"", b"21", b":5", b"0:5", b"21:5 ", b"x:5", b"1:-5"])
def test_a_key_that_no_commit_wrote_is_damaged(entry: bytes) -> None:
    with pytest.raises(CorruptGameError, match=r"^an idempotency key is damaged$"):
        at(FIELDS, entry)[0].read("a", MOVE)


def test_what_is_read_is_confirmed_to_come_from_the_master_that_all_follow() -> None:
    for key, answers in ((None, [FIELDS]), (KEY, [FIELDS, None]), (MOVE, [FIELDS, None])):
        store, pools = at(*answers, WITH_REPLICAS, level=Durability.ACKNOWLEDGED)
        assert store.read("a", key)[0] == StoredGame(7, b"state", b"meta")
        assert sent(pools)[-1] == ("INFO", "replication")
    store, pools = at(b"kept", WITH_REPLICAS, level=Durability.ACKNOWLEDGED)
    assert store.review("a", 2) == b"kept"
    assert sent(pools) == [("HGET", "{g:a}:game", "review:2"), ("INFO", "replication")]
    store, pools = at([b"1"], WITH_REPLICAS, b"2", WITH_REPLICAS, level=Durability.ACKNOWLEDGED)
    assert (store.events("a", 0, 1), store.events_at("a", [2])) == ([b"1"], [b"2"])
    assert sent(pools).count(("INFO", "replication")) == 2


@pytest.mark.parametrize("level", [Durability.LOCAL, Durability.REPLICATED])
def test_nobody_waits_for_what_was_not_promised(level: Durability) -> None:
    store, pools = at(FIELDS, b"first answer", level=level)
    store.read("a", KEY)
    assert len(sent(pools)) == 2


def test_a_record_is_written_once_more_so_that_the_replicas_can_confirm_it() -> None:
    store, pools = at(FIELDS, b"first answer", b"OK", 2, level=Durability.ACKNOWLEDGED)
    assert store.read("a", KEY)[1] == b"first answer"
    assert sent(pools)[2:] == [
        ("SET", "{g:a}:key:create:key", b"first answer", "XX", "KEEPTTL"),
        CONFIRMED,
    ]


@pytest.mark.parametrize(
    ("answer", "record"), [(b"id of a keyfirst", b"first"), (None, KeyExpired())]
)
def test_a_key_is_written_once_more_so_that_the_replicas_can_confirm_it(
    answer: bytes | None, record: object
) -> None:
    store, pools = at(FIELDS, ENTRY, answer, 0, 2, level=Durability.ACKNOWLEDGED)
    assert store.read("a", MOVE)[1] == record
    assert sent(pools)[3:] == [("HSET", "{g:a}:keys:ann", b"id of a key", ENTRY), CONFIRMED]


def test_a_master_that_too_few_follow_has_nothing_to_tell() -> None:
    for key, answers in ((None, [FIELDS]), (KEY, [FIELDS, None])):
        for answer in (WITH_ONE_REPLICA, UNGUARDED):
            store, _ = at(*answers, answer, level=Durability.ACKNOWLEDGED)
            with pytest.raises(StorageUnavailableError, match="too few replicas") as caught:
                store.read("a", key)
            assert str(caught.value.__cause__) == "fewer than 2 replicas keep up"


def test_a_master_that_counts_no_replicas_has_none() -> None:
    pools = ScriptedPools([Pool(RawConnection(FIELDS, UNGUARDED))])
    store = GameStore(pools, Durability.ACKNOWLEDGED, 1, ONCE)  # type: ignore[arg-type]
    with pytest.raises(StorageUnavailableError, match="too few replicas"):
        store.read("a")


@pytest.mark.parametrize(
    ("call", "answers"),
    [
        (lambda store: store.read("a", KEY), [FIELDS, b"first answer", b"OK"]),
        (lambda store: store.read("a", MOVE), [FIELDS, ENTRY, b"id of a keyfirst", 0]),
        (lambda store: store.delete("a", 7), [[b"deleted"]]),
        (lambda store: store.commit(first_commit()), [[b"committed", b"1"]]),
    ],
)
@pytest.mark.parametrize(
    ("answer", "cause"),
    [(1, "1 of 2 replicas confirm"), (exceptions.ConnectionError("gone"), "gone")],
)
def test_what_too_few_confirm_may_not_last(
    call: Callable[[GameStore], object], answers: list[object], answer: object, cause: str
) -> None:
    store, _ = at(*answers, answer, level=Durability.ACKNOWLEDGED)
    with pytest.raises(OutcomeUnknownError, match="not confirmed") as caught:
        call(store)
    assert str(caught.value.__cause__) == cause


def test_a_deletion_is_confirmed() -> None:
    store, pools = at([b"deleted"], 2, level=Durability.ACKNOWLEDGED)
    assert store.delete("a", 7) == Deleted()
    script = ("EVALSHA", delete_script.SHA, 2, "{g:a}:game", "{g:a}:events", 7)
    assert sent(pools) == [script, CONFIRMED]


def test_a_server_that_does_not_know_the_script_of_a_deletion_is_given_it() -> None:
    store, pools = at(exceptions.NoScriptError(), [b"stale", b"8"])
    assert store.delete("a", 7) == Stale(8)
    script = ("EVAL", delete_script.SCRIPT, 2, "{g:a}:game", "{g:a}:events", 7)
    assert sent(pools)[1:] == [script]


@pytest.mark.parametrize("answer", [[], [b"deleted", b"7"], [b"committed", b"7"], [b"stale"]])
def test_an_answer_that_no_deletion_gives_leaves_its_outcome_unknown(answer: object) -> None:
    with pytest.raises(OutcomeUnknownError):
        at(answer)[0].delete("a", 7)


def test_events_are_read_by_their_place_in_the_log() -> None:
    store, pools = at([b"6", b"7"], b"9", b"2")
    assert store.events("a", 5, 2) == [b"6", b"7"]
    assert store.events_at("a", [9, 2]) == [b"9", b"2"]
    log = "{g:a}:events"
    assert sent(pools) == [("LRANGE", log, 5, 6), ("LINDEX", log, 8), ("LINDEX", log, 1)]


@pytest.mark.parametrize(
    ("key", "level", "names", "flags", "key_arguments"),
    [
        (FIRST_NONCE, Durability.REPLICATED, (), (1, 0), (b"nonce 1", 0)),
        (KEY, Durability.LOCAL, ("key:create:key",), (0, 0), (b"", 0)),
        (
            MOVE,
            Durability.ACKNOWLEDGED,
            ("keys:ann", "answers:ann"),
            (1, 1),
            (b"id of a key", NOW),
        ),
    ],
)
def test_the_script_is_given_the_whole_commit(
    key: RecordKey | MoveKey | Nonce,
    level: Durability,
    names: tuple[str, ...],
    flags: tuple[int, int],
    key_arguments: tuple[object, ...],
) -> None:
    commit = replace(first_commit(key=key), game_id="a", logged=4)
    store, pools = at([b"committed", b"1"], 2, level=level)
    assert store.commit(commit) == Committed()
    keys = [f"{{g:a}}:{name}" for name in ("game", "events", *names)]
    game = (0, 1, b"state 1", b"meta 1")
    record = (commit.record, 60_000, 100_000)
    log = (4, b"event 1", b"event 2")
    arguments = (len(keys), *keys, *game, *record, *flags, *key_arguments, 8, *log)
    assert sent(pools)[0][2:] == arguments


UPTIME = b"# Server\r\nredis_version:7.2.4\r\nuptime_in_seconds:%d\r\n"
LOST = exceptions.ConnectionError("gone")


def after_a_loss(
    *answers: object, level: Durability = Durability.LOCAL, pause: float = 3.0
) -> tuple[GameStore, ScriptedPools]:
    """A store that loses its first command, and tries again `pause` seconds later."""
    return at(LOST, *answers, level=level, policy=ManualClock().policy(9.0, pause))


@pytest.mark.parametrize(
    ("key", "answers", "outcome"),
    [
        (FIRST_NONCE, [b"nonce 1"], AlreadyCommitted(b"")),
        (KEY, [b"first"], AlreadyCommitted(b"first")),
        (MOVE, [ENTRY, b"id of a keyfirst"], AlreadyCommitted(b"first")),
        (MOVE, [ENTRY, None], KeyExpired()),
    ],
)
def test_a_lost_commit_that_left_its_nonce_or_its_key_was_made(
    key: RecordKey | MoveKey | Nonce, answers: list[object], outcome: Outcome
) -> None:
    store, pools = after_a_loss(*answers)
    assert store.commit(first_commit(key=key)) == outcome
    tag = f"{{g:{game_of(pools)}}}"
    expected: dict[object, list[tuple[object, ...]]] = {
        FIRST_NONCE: [("HGET", f"{tag}:game", "nonce")],
        KEY: [("GET", f"{tag}:key:create:key")],
        MOVE: [("HGET", f"{tag}:keys:ann", b"id of a key"), ("HGET", f"{tag}:answers:ann", 5)],
    }
    assert sent(pools)[1:] == expected[key]


def game_of(pools: ScriptedPools) -> str:
    return pools.keys[0].removeprefix("{g:").partition("}")[0]


def test_a_lost_commit_is_sent_again_to_a_server_that_has_run_since_before() -> None:
    store, pools = after_a_loss(None, UPTIME % 5, [b"committed", b"1"])
    assert store.commit(first_commit(key=KEY)) == Committed()
    assert [command[0] for command in sent(pools)] == ["EVALSHA", "GET", "INFO", "EVALSHA"]
    assert sent(pools)[2] == ("INFO", "server")
    assert sent(pools)[3] == sent(pools)[0]


@pytest.mark.parametrize(
    ("uptime", "cause"),
    [
        (UPTIME % 4, "the server has run for 4 s"),
        (UPTIME % 0, "the server has run for 0 s"),
        (b"# Server\r\n", "the server has run for None s"),
        (
            exceptions.NoPermissionError("no permissions to run the 'info' command"),
            "the server does not say for how long it has run",
        ),
    ],
)
@pytest.mark.parametrize(
    ("key", "answer"),
    [(FIRST_NONCE, None), (FIRST_NONCE, b"another nonce"), (KEY, None), (MOVE, None)],
)
def test_a_lost_commit_is_not_sent_to_a_server_that_may_have_started_since(
    uptime: object, cause: str, key: RecordKey | MoveKey | Nonce, answer: bytes | None
) -> None:
    store, pools = after_a_loss(answer, uptime)
    with pytest.raises(OutcomeUnknownError, match="may have been restarted") as caught:
        store.commit(first_commit(key=key))
    assert str(caught.value.__cause__) == cause
    assert caught.value.retry_after == SOON
    looked_up = "GET" if key == KEY else "HGET"
    assert [command[0] for command in sent(pools)] == ["EVALSHA", looked_up, "INFO"]


def test_a_lost_deletion_is_sent_again_only_to_a_server_that_has_run_since_before() -> None:
    for answer, outcome in (
        ([b"deleted"], Deleted()),
        ([b"stale", b"0"], Deleted()),  # by the attempt that was lost
        ([b"stale", b"8"], Stale(8)),
    ):
        store, pools = after_a_loss(UPTIME % 5, answer)
        assert store.delete("a", 7) == outcome
        assert [command[0] for command in sent(pools)] == ["EVALSHA", "INFO", "EVALSHA"]
    store, pools = after_a_loss(UPTIME % 4)
    with pytest.raises(OutcomeUnknownError, match="may have been restarted"):
        store.delete("a", 7)
    assert [command[0] for command in sent(pools)] == ["EVALSHA", "INFO"]


def test_a_lost_commit_with_its_record_is_confirmed_by_the_replicas() -> None:
    store, pools = after_a_loss(
        b"first", UPTIME % 5, [b"recorded", b"first"], 2, level=Durability.ACKNOWLEDGED
    )
    assert store.commit(first_commit(key=KEY)) == AlreadyCommitted(b"first")
    assert sent(pools)[-1] == CONFIRMED
    store, pools = after_a_loss(b"first", UPTIME % 4, level=Durability.ACKNOWLEDGED)
    with pytest.raises(OutcomeUnknownError, match="may have been restarted"):
        store.commit(first_commit(key=KEY))


def test_a_record_is_written_again_only_where_no_attempt_was_lost_by_a_restart() -> None:
    level = Durability.ACKNOWLEDGED
    record = b"first"
    store, pools = after_a_loss(FIELDS, record, UPTIME % 5, b"OK", 2, level=level)
    assert store.read("a", KEY)[1] == b"first"
    store, pools = after_a_loss(FIELDS, record, UPTIME % 4, level=level)
    with pytest.raises(OutcomeUnknownError, match="may have been restarted"):
        store.read("a", KEY)
    assert "SET" not in [command[0] for command in sent(pools)]


def test_a_read_after_a_lost_one_asks_nothing_of_the_servers_age() -> None:
    store, pools = after_a_loss(FIELDS)
    assert store.read("a")[0] == StoredGame(7, b"state", b"meta")
    assert [command[0] for command in sent(pools)] == ["HMGET", "HMGET"]


def after_a_newer_game(commit: Commit) -> Outcome:
    """The outcome of a commit that is lost, and sent again to a game that has gone on."""
    store, _ = after_a_loss(None, UPTIME % 9, [b"stale", b"3"])
    return store.commit(commit)


def test_a_lost_commit_without_a_clients_key_may_have_been_overwritten() -> None:
    message = r"^the game went on while the storage was lost$"
    with pytest.raises(OutcomeUnknownError, match=message) as caught:
        after_a_newer_game(first_commit())
    assert caught.value.retry_after == SOON


def test_a_lost_commit_with_a_clients_key_and_no_record_was_not_made() -> None:
    for key in (KEY, MOVE):
        assert after_a_newer_game(first_commit(key=key)) == Stale(3)


def test_a_script_that_is_not_known_is_sent_whole() -> None:
    store, pools = at(exceptions.NoScriptError("NOSCRIPT"), [b"committed", b"1"])
    assert store.commit(first_commit()) == Committed()
    known, whole = sent(pools)
    assert (known[0], len(known[1]), whole[0]) == ("EVALSHA", 40, "EVAL")
    assert "redis.call" in whole[1]
    assert known[2:] == whole[2:]


def test_a_store_has_the_connections_and_the_promises_it_was_given() -> None:
    store = GameStore.from_url("redis://127.0.0.1:1/0", 3, Durability.ACKNOWLEDGED, 5)
    assert isinstance(store._pools, SinglePool)
    assert store._pools._pool.max_connections == 3
    assert store._level == DurabilityLevel(Durability.ACKNOWLEDGED, 5)
    plain = GameStore.from_url("redis://127.0.0.1:1/0", 3)
    assert plain._level == DurabilityLevel(Durability.LOCAL, 1)
    assert GameStore(ScriptedPools([]))._level == DurabilityLevel(Durability.LOCAL, 1)  # type: ignore[arg-type]
    store.close()


def test_a_key_whose_record_has_made_room_ends_a_commit() -> None:
    assert at([b"expired"])[0].commit(first_commit(key=MOVE)) == KeyExpired()


@pytest.mark.parametrize("answer", [["committed", "1"], [b"odd", b"1"], [b"committed"], []])
def test_an_answer_that_is_not_the_scripts_is_not_taken_for_done(answer: list[object]) -> None:
    with pytest.raises(OutcomeUnknownError, match="cannot be read") as caught:
        at(answer)[0].commit(first_commit())
    assert str(caught.value.__cause__) == "the script gave no answer of its own"
