"""What the store asks, of which server and in which words, and how it tells what it gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from redis import exceptions

from service.errors import CorruptGameError, OutcomeUnknownError, StorageUnavailableError
from service.store import retry
from service.store.durability import Durability
from service.store.failures import SOON
from service.store.game_store import GameStore
from service.store.models import Committed, RecordKey, Stale, StoredGame
from service.store.topologies import OneServer
from tests.store.scripted_servers import Connection, Place, Pool
from tests.store.test_game_store import first_commit

KEY = RecordKey("seat:key")
FIELDS = [b"7", b"state", b"meta"]
CONFIRMED = ("WAIT", 2, 600)
FOLLOWED = b"role:master\r\nmin_slaves_good_slaves:2\r\n"
LONELY = b"role:master\r\nmin_slaves_good_slaves:1\r\n"
UNGUARDED = b"role:master\r\n"


@pytest.fixture(autouse=True)
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "DEADLINE", 0.0)


def at(*answers: object, level: Durability = Durability.LOCAL) -> tuple[GameStore, Place]:
    """A store of masters with two replicas each, whose server gives these answers."""
    place = Place([Pool(Connection(*answers))])
    return GameStore(place, level, replicas=2), place  # type: ignore[arg-type]


def sent(place: Place) -> list[Any]:
    return [command for sending in place.pools[0].connection.sent for command in sending]


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (lambda store: store.read("a"), FIELDS),
        (lambda store: store.read("a", KEY), FIELDS),
        (lambda store: store.events("a", 0, 1), []),
        (lambda store: store.events_at("a", [1]), None),
        (lambda store: store.delete("a"), 2),
        (lambda store: store.commit(first_commit()), [b"done", b"1"]),
    ],
)
def test_every_call_goes_to_the_server_of_its_game(
    call: Callable[[GameStore], object], answer: object
) -> None:
    store, place = at(answer, None)
    call(store)
    words = [str(word) for command in sent(place) for word in command]
    (asked,) = place.keys
    tag = asked.partition("}")[0] + "}"
    assert tag.startswith("{g:")
    assert any(word.startswith(tag) for word in words)


def test_a_game_is_read_before_the_record() -> None:
    store, place = at(FIELDS, b"nonce\nkept")
    assert store.read("a", KEY) == (StoredGame(7, b"state", b"meta"), b"kept")
    assert sent(place) == [
        ("HMGET", "{g:a}:game", "version", "state", "meta"),
        ("GET", "{g:a}:key:seat:key"),
    ]


def test_a_game_may_be_there_without_a_record_and_a_record_without_a_game() -> None:
    assert at(FIELDS, None)[0].read("a", KEY) == (StoredGame(7, b"state", b"meta"), None)
    assert at([None] * 3, b"\nkept")[0].read("a", KEY) == (None, b"kept")


def test_only_the_first_line_of_a_record_is_the_stores_own() -> None:
    assert at(FIELDS, b"nonce\none\ntwo\n")[0].read("a", KEY)[1] == b"one\ntwo\n"


@pytest.mark.parametrize("missing", range(3))
def test_a_game_of_which_anything_is_missing_is_none(missing: int) -> None:
    fields = [*FIELDS[:missing], None, *FIELDS[missing + 1 :]]
    assert at(fields)[0].read("a") == (None, None)


def test_a_version_that_is_no_number_is_corrupt() -> None:
    with pytest.raises(CorruptGameError, match=r"^the version is not a number$"):
        at([b"seven", b"state", b"meta"])[0].read("a")


def test_what_is_read_is_confirmed_to_come_from_the_master_that_all_follow() -> None:
    for key, answers in ((None, [FIELDS]), (KEY, [FIELDS, None])):
        store, place = at(*answers, FOLLOWED, level=Durability.ACKNOWLEDGED)
        assert store.read("a", key)[0] == StoredGame(7, b"state", b"meta")
        assert sent(place)[-1] == ("INFO", "replication")
    store, place = at([b"1"], FOLLOWED, b"2", FOLLOWED, level=Durability.ACKNOWLEDGED)
    assert (store.events("a", 0, 1), store.events_at("a", [2])) == ([b"1"], [b"2"])
    assert sent(place).count(("INFO", "replication")) == 2


@pytest.mark.parametrize("level", [Durability.LOCAL, Durability.REPLICATED])
def test_nobody_waits_for_what_was_not_promised(level: Durability) -> None:
    store, place = at(FIELDS, b"\nkept", level=level)
    store.read("a", KEY)
    assert len(sent(place)) == 2


def test_a_record_is_written_once_more_so_that_the_replicas_can_confirm_it() -> None:
    store, place = at(FIELDS, b"nonce\nkept", b"OK", 2, level=Durability.ACKNOWLEDGED)
    assert store.read("a", KEY)[1] == b"kept"
    assert sent(place)[2:] == [
        ("SET", "{g:a}:key:seat:key", b"nonce\nkept", "XX", "KEEPTTL"),
        CONFIRMED,
    ]


def test_a_master_that_too_few_follow_has_nothing_to_tell() -> None:
    for key, answers in ((None, [FIELDS]), (KEY, [FIELDS, None])):
        for told in (LONELY, UNGUARDED):
            store, _ = at(*answers, told, level=Durability.ACKNOWLEDGED)
            with pytest.raises(StorageUnavailableError, match="too few replicas") as caught:
                store.read("a", key)
            assert str(caught.value.__cause__) == "fewer than 2 replicas keep up"


def test_a_master_that_counts_no_replicas_has_none() -> None:
    place = Place([Pool(Connection(FIELDS, UNGUARDED))])
    store = GameStore(place, Durability.ACKNOWLEDGED, replicas=1)  # type: ignore[arg-type]
    with pytest.raises(StorageUnavailableError, match="too few replicas"):
        store.read("a")


@pytest.mark.parametrize(
    ("call", "answers"),
    [
        (lambda store: store.read("a", KEY), [FIELDS, b"\nkept", b"OK"]),
        (lambda store: store.delete("a"), [2]),
        (lambda store: store.commit(first_commit()), [[b"done", b"1"]]),
    ],
)
@pytest.mark.parametrize(
    ("told", "cause"),
    [(1, "1 of 2 replicas confirm"), (exceptions.ConnectionError("gone"), "gone")],
)
def test_what_too_few_confirm_may_not_last(
    call: Callable[[GameStore], object], answers: list[object], told: object, cause: str
) -> None:
    store, _ = at(*answers, told, level=Durability.ACKNOWLEDGED)
    with pytest.raises(OutcomeUnknownError, match="not confirmed") as caught:
        call(store)
    assert str(caught.value.__cause__) == cause


def test_a_deletion_is_confirmed() -> None:
    store, place = at(2, 2, level=Durability.ACKNOWLEDGED)
    store.delete("a")
    assert sent(place) == [("UNLINK", "{g:a}:game", "{g:a}:events"), CONFIRMED]


def test_events_are_read_by_their_place_in_the_log() -> None:
    store, place = at([b"6", b"7"], b"9", b"2")
    assert store.events("a", 5, 2) == [b"6", b"7"]
    assert store.events_at("a", [9, 2]) == [b"9", b"2"]
    log = "{g:a}:events"
    assert sent(place) == [("LRANGE", log, 5, 6), ("LINDEX", log, 8), ("LINDEX", log, 1)]


@pytest.mark.parametrize(
    ("key", "level", "mark", "kept", "flags"),
    [
        (KEY, Durability.LOCAL, b"", b"\nfirst", (0, 0)),
        (RecordKey("own", "n"), Durability.REPLICATED, b"n\n", b"n\nfirst", (1, 0)),
        (KEY, Durability.ACKNOWLEDGED, b"", b"\nfirst", (1, 1)),
    ],
)
def test_the_script_is_told_all_that_it_has_to_know(
    key: RecordKey, level: Durability, mark: bytes, kept: bytes, flags: tuple[int, int]
) -> None:
    commit = replace(first_commit(key=key), game_id="a", logged=4)
    store, place = at([b"done", b"1"], 2, level=level)
    assert store.commit(commit) == Committed()
    keys = ("{g:a}:game", "{g:a}:events", f"{{g:a}}:key:{key.name}")
    game = (0, 1, b"state 1", b"meta 1")
    log = (4, b"event 1", b"event 2")
    told = (3, *keys, *game, mark, kept, 60_000, 100_000, *flags, *log)
    assert sent(place)[0][2:] == told


def after_a_loss(monkeypatch: pytest.MonkeyPatch) -> GameStore:
    """A store that loses a commit and then meets a newer game."""
    monkeypatch.setattr(retry, "DEADLINE", 9.0)
    monkeypatch.setattr(retry, "_PAUSE", (0.0, 0.0))
    return at(exceptions.ConnectionError("gone"), [b"stale", b"3"])[0]


def test_a_commit_of_our_own_that_may_have_been_overwritten_is_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = RecordKey("own", "n")
    words = r"^the game went on while the storage was lost$"
    with pytest.raises(OutcomeUnknownError, match=words) as caught:
        after_a_loss(monkeypatch).commit(first_commit(key=own))
    assert caught.value.retry_after == SOON


def test_a_commit_of_a_client_that_left_no_record_was_not_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert after_a_loss(monkeypatch).commit(first_commit(key=KEY)) == Stale(3)


def test_a_script_that_is_not_known_is_sent_whole() -> None:
    store, place = at(exceptions.NoScriptError("NOSCRIPT"), [b"done", b"1"])
    assert store.commit(first_commit()) == Committed()
    known, whole = sent(place)
    assert (known[0], len(known[1]), whole[0]) == ("EVALSHA", 40, "EVAL")
    assert "redis.call" in whole[1]
    assert known[2:] == whole[2:]


def test_a_store_has_the_connections_and_the_promises_it_was_given() -> None:
    store = GameStore.from_url("redis://127.0.0.1:1/0", 3, Durability.ACKNOWLEDGED, 5)
    assert isinstance(store._servers, OneServer)
    assert store._servers._pool.max_connections == 3
    assert (store._durability, store._replicas) == (Durability.ACKNOWLEDGED, 5)
    plain = GameStore.from_url("redis://127.0.0.1:1/0", 3)
    assert (plain._durability, plain._replicas) == (Durability.LOCAL, 1)
    store.close()


def test_a_server_must_answer_and_refuse_writes_without_replicas_where_promised() -> None:
    for level in (Durability.REPLICATED, Durability.ACKNOWLEDGED):
        store, place = at(b"PONG", FOLLOWED, level=level)
        store.ping()
        assert sent(place) == [("PING",), ("INFO", "replication")]
        with pytest.raises(StorageUnavailableError, match="set min-replicas-to-write") as caught:
            at(b"PONG", UNGUARDED, level=level)[0].ping()
        told = "UNGUARDED min-replicas-to-write is not set"
        assert str(caught.value.__cause__) == told
    store, place = at(b"PONG")
    store.ping()
    assert sent(place) == [("PING",)]


def test_a_server_without_the_replicas_it_needs_is_not_ready() -> None:
    at(b"PONG", LONELY, level=Durability.REPLICATED)[0].ping()
    alone = LONELY.replace(b":1", b":0")
    for level, told in ((Durability.REPLICATED, alone), (Durability.ACKNOWLEDGED, LONELY)):
        with pytest.raises(StorageUnavailableError, match="too few replicas") as caught:
            at(b"PONG", told, level=level)[0].ping()
        assert str(caught.value.__cause__).endswith("replicas keep up")


@pytest.mark.parametrize("answer", [["done", "1"], [b"odd", b"1"], [b"done"], []])
def test_an_answer_that_is_not_the_scripts_is_not_taken_for_done(answer: list[object]) -> None:
    with pytest.raises(OutcomeUnknownError, match="cannot be read") as caught:
        at(answer)[0].commit(first_commit())
    assert str(caught.value.__cause__) == "the script gave no answer of its own"
