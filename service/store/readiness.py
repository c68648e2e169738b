"""Whether a read and a commit would be allowed now, found out without changing anything.

The probe runs the commands of a read, a deletion and a commit on keys of an id that no game can
have, at a server for each master. A commit is checked by its own script, which asks for its
rights and makes one write that finds nothing to change, so that a server which is full,
read-only, without replicas or without a disk refuses it as it would refuse a commit.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence

from redis.exceptions import NoPermissionError, ResponseError

from service.errors import StorageError
from service.store import records
from service.store.connections.connection import Connection
from service.store.connections.failures import EvictingError, TooFewReplicasError
from service.store.connections.retry import Retry
from service.store.connections.server_info import (
    eviction_policy,
    good_replicas,
    has_append_only_file,
)
from service.store.connections.topologies import Pools
from service.store.durability import DurabilityLevel
from service.store.keys import channel_of, events_key, game_key
from service.store.scripts.commit_script import (
    CHECKED_MOVE,
    CHECKED_RECORD,
    check_commands,
)
from service.store.subscriptions.subscriber import GLOBAL, SHARDED, UNKNOWN

NO_INFO = (
    "the storage's user may not run INFO: whether the storage evicts games or is nearly full is "
    "not known, and a commit whose answer was lost is never repeated"
)
NO_CHANNEL = (
    "the storage's user may not publish or follow the channels {g:*: who watches a game learns of "
    "its events up to 2 s late"
)
NO_FILE = "the storage keeps no append-only file: it loses games when it is restarted"
_LOG = logging.getLogger("service.store")
_PROBED_IDS = 1_000
"""Enough ids that every master of a cluster holds some of them."""
_PAUSE_SECONDS = 5.0


def check(pools: Pools, retry: Retry, level: DurabilityLevel) -> tuple[str, ...]:
    """The warnings for the operator, if one master at least would serve reads and commits.

    Raises StorageUnavailableError if none would, or if any of them may evict games.
    """

    def probe(connection: Connection, key: str) -> tuple[str, ...]:
        return tuple(_probe(connection, _id_of(key), level, pools.own_commands))

    def choose_keys() -> Sequence[str]:
        return pools.one_key_each(game_key(f"ready-{number}") for number in range(_PROBED_IDS))

    results = retry.read_all(choose_keys, probe)
    return tuple(dict.fromkeys(warning for warnings in results for warning in warnings))


def report(
    check_ready: Callable[[], tuple[str, ...]], sleep: Callable[[float], None] = time.sleep
) -> None:
    """Log why the storage is not ready, once a reason, until it is, and then its warnings."""
    reported = ""
    while True:
        try:
            warnings = check_ready()
        except StorageError as error:
            if str(error) != reported:
                reported = str(error)
                _LOG.error("not ready: %s", reported)
            sleep(_PAUSE_SECONDS)
        else:
            for warning in warnings:
                _LOG.warning("%s", warning)
            return


def _id_of(key: str) -> str:
    return key.removeprefix("{g:").partition("}")[0]


def _probe(
    connection: Connection, game_id: str, level: DurabilityLevel, own_commands: Sequence[str]
) -> Iterator[str]:
    game, log = game_key(game_id), events_key(game_id)
    connection.execute(
        ("HMGET", game, "version", "state", "meta"),
        *((command,) for command in own_commands),
        records.lookup(game_id, CHECKED_RECORD),  # ASKING is for this command only
        records.lookup(game_id, CHECKED_MOVE),
        ("LRANGE", log, 0, 0),
        ("LINDEX", log, 0),
        *check_commands(game_id, guarded=level.is_guarded),
        ("UNLINK", game, log),
    )
    if level.is_guarded:
        _require_replicas(connection, level)
    if level.is_confirmed:
        connection.execute(records.rewriting(game_id, CHECKED_RECORD, b""), ("WAIT", 0, 1))
    yield from _warnings(connection)
    if not _has_channels(connection, channel_of(game_id)):
        yield NO_CHANNEL


def _require_replicas(connection: Connection, level: DurabilityLevel) -> None:
    count = good_replicas(connection)
    if count is None:
        raise ResponseError("UNGUARDED min-replicas-to-write is not set")
    if count < (level.replicas if level.is_confirmed else 1):
        raise TooFewReplicasError(f"{count} replicas keep up")


def _has_channels(connection: Connection, channel: str) -> bool:
    """Whether the user may use channels; the connection follows none in the end."""
    for commands in (SHARDED, GLOBAL):
        try:
            connection.execute((commands.publish, channel, 0))
            # First to end what has not begun: without that right it would follow the channel.
            for command in (commands.unsubscribe, commands.subscribe, commands.unsubscribe):
                connection.execute((command, channel))
        except NoPermissionError:
            return False
        except ResponseError as error:
            if UNKNOWN not in str(error).lower():
                raise
        else:
            return True
    return False


def _warnings(connection: Connection) -> Iterator[str]:
    """What should be otherwise; raises EvictingError."""
    try:
        policy, has_file = eviction_policy(connection), has_append_only_file(connection)
    except ResponseError:
        policy = has_file = None
    if policy is None:
        yield NO_INFO
    elif policy != "noeviction":
        raise EvictingError(f"maxmemory-policy is {policy}")
    if has_file is False:
        yield NO_FILE
