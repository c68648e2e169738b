"""Games in Redis: read once, commit once.

The keys of one game share a hash tag, so that they live in one slot of a cluster:

    {g:<id>}:game          hash: version, state (a snapshot), meta (times, token hashes)
    {g:<id>}:events        list: one JSON record an event, the one of seq n at index n - 1
    {g:<id>}:key:<name>    string: an idempotency record, a nonce line before it

Every key has a lifetime. `commit` runs one script: it looks the record up, compares the version
and writes everything, or nothing. It is never retried blindly: its record makes running it
again harmless, so a connection lost in between is settled by running it once more.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any, cast

import redis
from redis.backoff import NoBackoff
from redis.exceptions import BusyLoadingError, NoScriptError, RedisError
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError
from redis.retry import Retry

from service.commits import Commit, Done, Kept, RecordKey, Stale, Stored
from service.errors import (
    OutcomeUnknownError,
    ServiceError,
    StorageUnavailableError,
)

SOCKET_TIMEOUT = 1.0
DEADLINE = 1.5
"""Seconds within which a call to the store is tried again."""
_PAUSE = (0.02, 0.25)
_SCRIPT = (files("service") / "commit.lua").read_text("utf-8")
_NONCE_END = b"\n"
_LOST = (RedisConnectionError, RedisTimeoutError)


class Store:
    """The games of one Redis database; safe to share between threads."""

    def __init__(self, pool: redis.ConnectionPool) -> None:
        self._pool = pool
        self._redis: redis.Redis = redis.Redis(connection_pool=pool)
        self._sha = hashlib.sha1(_SCRIPT.encode(), usedforsecurity=False).hexdigest()

    @classmethod
    def from_url(cls, url: str, connections: int) -> Store:
        """A store on a server's URL; connects when first used."""
        pool = redis.BlockingConnectionPool.from_url(
            url,
            max_connections=connections,
            timeout=SOCKET_TIMEOUT,
            socket_timeout=SOCKET_TIMEOUT,
            socket_connect_timeout=SOCKET_TIMEOUT,
            retry=Retry(NoBackoff(), 0),
        )
        return cls(pool)

    def close(self) -> None:
        """Close every connection."""
        self._pool.disconnect()

    def ping(self) -> None:
        """Return if the server answers; raises StorageUnavailableError."""
        _reading(self._redis.ping)

    def read(
        self, game_id: str, record: RecordKey | None = None
    ) -> tuple[Stored | None, bytes | None]:
        """A game, None if there is none, and the record under a key, None likewise."""
        pipe = self._redis.pipeline(transaction=True)
        pipe.hmget(_game_key(game_id), "version", "state", "meta")
        if record is not None:
            pipe.get(_record_key(game_id, record))
        fields, *kept = _reading(pipe.execute)
        return _stored(fields), _record(kept[0]) if kept and kept[0] else None

    def events(self, game_id: str, after: int, limit: int) -> list[bytes]:
        """Up to `limit` event records with a seq above `after`, in order."""
        if limit <= 0:
            return []
        first, last = after, after + limit - 1
        found: list[bytes] = _reading(lambda: self._redis.lrange(_events_key(game_id), first, last))
        return found

    def events_at(self, game_id: str, seqs: Sequence[int]) -> list[bytes]:
        """The event records with the given seqs, in their order, as far as they are there."""
        pipe = self._redis.pipeline(transaction=False)
        for seq in seqs:
            pipe.lindex(_events_key(game_id), seq - 1)
        found: list[bytes | None] = _reading(pipe.execute)
        return [event for event in found if event is not None]

    def delete(self, game_id: str) -> None:
        """Delete a game and its log; records of its moves expire by themselves.

        Raises OutcomeUnknownError if the server was lost.
        """
        names = (_game_key(game_id), _events_key(game_id))
        _trying(lambda: self._redis.unlink(*names), OutcomeUnknownError)

    def commit(self, commit: Commit) -> Done | Kept | Stale:
        """Write a move, or say why not.

        Raises StorageUnavailableError if nothing was written, OutcomeUnknownError if the
        connection was lost and what happened could not be settled in time.
        """
        deadline = time.monotonic() + DEADLINE
        sent = False
        while True:
            try:
                outcome = self._commit_once(commit)
            except _LostError as lost:
                sent = sent or lost.sent
                if time.monotonic() > deadline:
                    failure = OutcomeUnknownError if sent else StorageUnavailableError
                    raise failure(str(lost)) from lost
            else:
                if sent and isinstance(outcome, Stale) and commit.record_key.nonce:
                    # Our own record may have been written and overwritten since: who can tell?
                    raise OutcomeUnknownError("the game went on while the store was lost")
                return outcome
            _pause()

    def _commit_once(self, commit: Commit) -> Done | Kept | Stale:
        """One run of the script on one connection, no retries by the client."""
        connection = _connected(self._pool)
        try:
            return _outcome(self._run_script(connection, _arguments(commit)))
        except BusyLoadingError as error:
            raise _LostError(error, sent=False) from error
        except _LOST as error:
            connection.disconnect()
            raise _LostError(error, sent=True) from error
        except RedisError as error:
            raise StorageUnavailableError(str(error)) from error
        finally:
            self._pool.release(connection)

    def _run_script(self, connection: Any, arguments: Sequence[bytes | str | int]) -> list[bytes]:
        try:
            return _answer(connection, "EVALSHA", self._sha, *arguments)
        except NoScriptError:
            return _answer(connection, "EVAL", _SCRIPT, *arguments)


class _LostError(Exception):
    """The server was not reached, or lost; `sent` where the script may have run."""

    def __init__(self, error: Exception, *, sent: bool) -> None:
        super().__init__(str(error))
        self.sent = sent


def _connected(pool: redis.ConnectionPool) -> Any:
    try:
        return pool.get_connection()
    except _LOST as error:
        raise _LostError(error, sent=False) from error
    except RedisError as error:
        raise StorageUnavailableError(str(error)) from error


def _answer(connection: Any, *command: bytes | str | int) -> list[bytes]:
    connection.send_command(*command)
    return cast("list[bytes]", connection.read_response())


def _arguments(commit: Commit) -> list[bytes | str | int]:
    keys = (
        _game_key(commit.game_id),
        _events_key(commit.game_id),
        _record_key(commit.game_id, commit.record_key),
    )
    nonce = commit.record_key.nonce.encode()
    mark = nonce + _NONCE_END
    stored = commit.stored
    return [
        len(keys),
        *keys,
        commit.expected,
        stored.version,
        stored.state,
        stored.meta,
        mark if nonce else b"",
        mark + commit.record,
        commit.record_ttl * 1000,
        commit.game_ttl * 1000,
        commit.logged,
        *commit.events,
    ]


def _outcome(answer: list[bytes]) -> Done | Kept | Stale:
    word, value = answer
    if word == b"kept":
        return Kept(_record(value))
    return Stale(int(value)) if word == b"stale" else Done()


def _record(kept: bytes) -> bytes:
    return kept.partition(_NONCE_END)[2]


def _stored(fields: list[bytes | None]) -> Stored | None:
    version, state, meta = fields
    if version is None or state is None or meta is None:
        return None
    return Stored(int(version), state, meta)


def _reading(read: Callable[[], Any]) -> Any:
    """What `read` gives; raises StorageUnavailableError."""
    return _trying(read, StorageUnavailableError)


def _trying(call: Callable[[], Any], failure: type[ServiceError]) -> Any:
    """What a call that may be repeated gives; tried until the deadline while it is lost."""
    deadline = time.monotonic() + DEADLINE
    while True:
        try:
            return call()
        except _LOST as error:
            if time.monotonic() > deadline:
                raise failure(str(error)) from error
        except RedisError as error:
            raise StorageUnavailableError(str(error)) from error
        _pause()


def _pause() -> None:
    least, most = _PAUSE
    time.sleep(least + secrets.randbelow(1000) / 1000 * (most - least))


def _game_key(game_id: str) -> str:
    return f"{{g:{game_id}}}:game"


def _events_key(game_id: str) -> str:
    return f"{{g:{game_id}}}:events"


def _record_key(game_id: str, key: RecordKey) -> str:
    return f"{{g:{game_id}}}:key:{key.name}"
