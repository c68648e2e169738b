"""Whether the store is ready: what is asked of the servers, what counts, what is only a warning."""

from __future__ import annotations

import logging

import pytest
from redis import exceptions

from service.errors import StorageUnavailableError
from service.store.durability import Durability
from service.store.game_store import GameStore
from service.store.readiness import NO_CHANNEL, NO_FILE, NO_INFO, report
from service.store.scripts import commit_script
from tests.store.connections.scripted_servers import (
    ONCE,
    ManualClock,
    Pool,
    RawConnection,
    ScriptedPools,
)

GOOD = (b"maxmemory_policy:noeviction\r\n", b"aof_enabled:1\r\n")
TWO_REPLICAS = b"role:master\r\nmin_slaves_good_slaves:2\r\n"
ONE_REPLICA = b"role:master\r\nmin_slaves_good_slaves:1\r\n"
NO_REPLICA = b"role:master\r\nmin_slaves_good_slaves:0\r\n"
UNGUARDED = b"role:master\r\n"
PROBE = [[None] * 3, None, None, [], None, [b"allowed"], [b"allowed"], 0]
"""The answers to the commands of a probe."""
CHANNELS = (0, [b"sunsubscribe"], [b"ssubscribe"], [b"sunsubscribe"])
"""The answers about channels, which come last."""
UNKNOWN = exceptions.ResponseError("ERR unknown command 'SPUBLISH', with args beginning with: ")
DENIED = exceptions.NoPermissionError("no permissions to run the 'ssubscribe' command")


def at(
    *answers: object, level: Durability = Durability.LOCAL, own_commands: tuple[str, ...] = ()
) -> tuple[GameStore, RawConnection]:
    """A store of one attempt and two replicas, whose server gives these answers, then CHANNELS."""
    connection = RawConnection(*answers, *CHANNELS)
    pools = ScriptedPools([Pool(connection)], own_commands=own_commands)
    return GameStore(pools, level, 2, ONCE), connection  # type: ignore[arg-type]


def test_the_probe_runs_every_command_of_the_service_on_keys_of_no_game() -> None:
    store, connection = at(*PROBE, *GOOD)
    assert store.check_ready() == ()
    tag = "{g:ready-0}"
    game, log, record = f"{tag}:game", f"{tag}:events", f"{tag}:key:check"
    keys, answers = f"{tag}:keys:check", f"{tag}:answers:check"
    arguments = (0, "", "", "", "", 1, 1, 0, 0, "", 0, 8, 0)
    assert connection.sent == [
        [
            ("HMGET", game, "version", "state", "meta"),
            ("GET", record),
            ("HGET", keys, b"check"),
            ("LRANGE", log, 0, 0),
            ("LINDEX", log, 0),
            ("EVAL", commit_script.SCRIPT, 3, game, log, record, *arguments),
            ("EVALSHA", commit_script.SHA, 4, game, log, keys, answers, *arguments),
            ("UNLINK", game, log),
        ],
        [("INFO", "memory")],
        [("INFO", "persistence")],
        [("SPUBLISH", f"{tag}:news", 0)],
        [("SUNSUBSCRIBE", f"{tag}:news")],
        [("SSUBSCRIBE", f"{tag}:news")],
        [("SUNSUBSCRIBE", f"{tag}:news")],
    ]


def test_the_probe_sends_what_the_connections_send_of_their_own() -> None:
    answers = [PROBE[0], b"PONG", b"OK", *PROBE[1:]]
    store, connection = at(*answers, *GOOD, own_commands=("PING", "ASKING"))
    assert store.check_ready() == ()
    assert connection.sent[0][1:3] == [("PING",), ("ASKING",)]


def test_a_guarded_store_asks_for_the_replicas() -> None:
    level = Durability.REPLICATED
    store, connection = at(*PROBE, ONE_REPLICA, *GOOD, level=level)
    assert store.check_ready() == ()
    assert connection.sent[0][6][-6] == 1  # the script looks at the guard as well
    assert connection.sent[1] == [("INFO", "replication")]
    with pytest.raises(StorageUnavailableError, match="set min-replicas-to-write") as caught:
        at(*PROBE, UNGUARDED, level=level)[0].check_ready()
    assert str(caught.value.__cause__) == "UNGUARDED min-replicas-to-write is not set"
    with pytest.raises(StorageUnavailableError, match="too few replicas") as caught:
        at(*PROBE, NO_REPLICA, level=level)[0].check_ready()
    assert str(caught.value.__cause__) == "0 replicas keep up"


def test_an_acknowledged_store_needs_every_replica_and_the_commands_to_wait_for_them() -> None:
    level = Durability.ACKNOWLEDGED
    store, connection = at(*PROBE, TWO_REPLICAS, None, 0, *GOOD, level=level)
    assert store.check_ready() == ()
    record = "{g:ready-0}:key:check"
    assert connection.sent[2] == [("SET", record, b"", "XX", "KEEPTTL"), ("WAIT", 0, 1)]
    with pytest.raises(StorageUnavailableError, match="too few replicas") as caught:
        at(*PROBE, ONE_REPLICA, level=level)[0].check_ready()
    assert str(caught.value.__cause__) == "1 replicas keep up"


@pytest.mark.parametrize("place", range(len(PROBE)))
def test_a_store_that_refuses_any_command_is_not_ready(place: int) -> None:
    denial = exceptions.NoPermissionError("no permissions to run the 'x' command")
    answers = [*PROBE[:place], denial]
    with pytest.raises(StorageUnavailableError, match="lacks the right to run X"):
        at(*answers, *GOOD)[0].check_ready()


@pytest.mark.parametrize(
    ("answers", "warnings"),
    [
        (GOOD, ()),
        ((GOOD[0], b"aof_enabled:0\r\n"), (NO_FILE,)),
        ((GOOD[0], b"# Persistence\r\n"), ()),
        ((b"# Memory\r\n", b"aof_enabled:0\r\n"), (NO_INFO, NO_FILE)),
        ((exceptions.NoPermissionError("no permissions to run the 'info' command"),), (NO_INFO,)),
        ((exceptions.ResponseError("unknown command 'INFO'"),), (NO_INFO,)),
    ],
)
def test_what_an_operator_should_know_is_a_warning(
    answers: tuple[object, ...], warnings: tuple[str, ...]
) -> None:
    assert at(*PROBE, *answers)[0].check_ready() == warnings


@pytest.mark.parametrize(
    ("answers", "warnings"),
    [
        ((DENIED,), (NO_CHANNEL,)),
        ((0, [b"sunsubscribe"], DENIED), (NO_CHANNEL,)),
        ((UNKNOWN, *CHANNELS), ()),
        ((UNKNOWN, DENIED), (NO_CHANNEL,)),
        ((UNKNOWN, UNKNOWN), (NO_CHANNEL,)),
    ],
)
def test_channels_that_cannot_be_used_are_a_warning(
    answers: tuple[object, ...], warnings: tuple[str, ...]
) -> None:
    store, connection = at(*PROBE, *GOOD, *answers)
    assert store.check_ready() == warnings
    if len(answers) > len(CHANNELS):
        channel = "{g:ready-0}:news"
        names = ("PUBLISH", "UNSUBSCRIBE", "SUBSCRIBE", "UNSUBSCRIBE")
        assert [(command[0], command[1]) for command in connection.commands[-4:]] == [
            (name, channel) for name in names
        ]


@pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-ttl", "allkeys-random"])
def test_a_server_that_may_evict_games_is_not_ready(policy: str) -> None:
    memory = f"maxmemory_policy:{policy}\r\n".encode()
    with pytest.raises(StorageUnavailableError, match="set maxmemory-policy noeviction") as caught:
        at(*PROBE, memory, GOOD[1])[0].check_ready()
    assert str(caught.value.__cause__) == f"maxmemory-policy is {policy}"


def test_the_warnings_of_several_servers_are_given_once() -> None:
    silent = (GOOD[0], b"aof_enabled:0\r\n")
    pools = ScriptedPools([Pool(RawConnection(*PROBE, *silent, *CHANNELS)) for _ in range(3)])
    store = GameStore(pools, policy=ManualClock().policy())  # type: ignore[arg-type]
    assert store.check_ready() == (NO_FILE,)
    assert len(set(pools.keys)) == 3


def test_the_reason_is_logged_once_until_the_store_is_ready(
    caplog: pytest.LogCaptureFixture,
) -> None:
    answers: list[object] = [
        StorageUnavailableError("the storage does not answer", 2),
        StorageUnavailableError("the storage does not answer", 2),
        StorageUnavailableError("the storage is full", 15),
        (NO_FILE, NO_INFO),
    ]
    slept: list[float] = []

    def check_ready() -> tuple[str, ...]:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, tuple)
        return answer

    with caplog.at_level(logging.WARNING, "service.store"):
        report(check_ready, slept.append)
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("ERROR", "not ready: the storage does not answer"),
        ("ERROR", "not ready: the storage is full"),
        ("WARNING", NO_FILE),
        ("WARNING", NO_INFO),
    ]
    assert slept == [5.0, 5.0, 5.0]
