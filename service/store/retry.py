"""Commands to the server that holds a key: one connection, no answer left unread, bounded tries.

The one place that tries again. What hinders a call is one of `conditions.py`; while it may pass,
the call is repeated until the deadline, with a pause of random length in between. Whether a try
may have run although its answer was lost is remembered, and told.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Self, TypeVar

import redis
from redis.exceptions import AskError, MovedError, RedisClusterException, RedisError

from service.errors import CorruptGameError, OutcomeUnknownError, StorageUnavailableError
from service.store.failures import (
    UnconfirmedError,
    condition_of,
    is_corrupt,
    points_elsewhere,
    was_answered,
)
from service.store.topologies import Servers

DEADLINE = 1.5
"""Seconds within which a call to the store is tried again."""
_PAUSE = (0.02, 0.25)
_FAILURES = (RedisError, RedisClusterException)

Command = tuple[bytes | str | int, ...]
T = TypeVar("T")


class Line:
    """The way to the server of a key, for the time of one errand.

    A cluster that moves a key says whom to ask instead, command by command: `elsewhere` gives
    the line there.
    """

    def __init__(self, connection: Any, elsewhere: Callable[[AskError], Line]) -> None:
        self._connection = connection
        self._elsewhere = elsewhere

    def tell(self, *commands: Command) -> list[Any]:
        """The answers to commands, sent in one go; raises the first refusal among them."""
        self._send(*commands)
        answers = [self._answer() for _ in commands]
        return [
            self._elsewhere(answer).ask(command) if isinstance(answer, AskError) else answer
            for command, answer in zip(commands, answers, strict=True)
        ]

    def ask(self, command: Command) -> Any:
        """The answer to a command whose key is on its way here."""
        self._send(("ASKING",), command)
        self._connection.read_response()
        return self._connection.read_response()

    def _send(self, *commands: Command) -> None:
        self._connection.send_packed_command(self._connection.pack_commands(commands))

    def _answer(self) -> Any:
        try:
            return self._connection.read_response()
        except MovedError:
            raise
        except AskError as error:
            return error


Talk = Callable[[Line], T]


class _FailedError(Exception):
    """A try that failed by `error`; `may_have_run` where its commands may have been carried out."""

    def __init__(self, error: Exception, *, may_have_run: bool) -> None:
        self.error = error
        self.may_have_run = may_have_run


class Errands:
    """Carries commands to servers; safe to share between threads."""

    def __init__(self, servers: Servers) -> None:
        self._servers = servers

    def read(self, key: str, talk: Talk[T]) -> T:
        """What a talk that changes nothing gives, with the server of a key.

        Raises StorageUnavailableError, CorruptGameError.
        """
        return self._tried(lambda: self._at(key, talk), writes=False)[0]

    def write(self, key: str, talk: Talk[T]) -> tuple[T, bool]:
        """What a talk gives that may be repeated, and whether an earlier try may have run, too.

        Raises StorageUnavailableError if nothing was written, OutcomeUnknownError if that
        could not be settled in time, CorruptGameError.
        """
        return self._tried(lambda: self._at(key, talk), writes=True)

    def anywhere(self, talk: Talk[T]) -> T:
        """What a talk that changes nothing gives, with any server that takes writes."""

        def attempt() -> T:
            with _unsent():
                pools = self._servers.all()
            for pool in pools[:-1]:
                with suppress(_FailedError):
                    return self._on(pool, talk)
            return self._on(pools[-1], talk)

        return self._tried(attempt, writes=False)[0]

    def _tried(self, attempt: Callable[[], T], *, writes: bool) -> tuple[T, bool]:
        deadline = time.monotonic() + DEADLINE
        doubtful = False
        while True:
            try:
                return attempt(), doubtful
            except _FailedError as failed:
                lost = writes and failed.may_have_run
                doubtful = doubtful or lost or isinstance(failed.error, UnconfirmedError)
                if points_elsewhere(failed.error):
                    self._servers.look_again()
                _give_up(failed.error, doubtful, in_time=time.monotonic() < deadline)
            _pause()

    def _at(self, key: str, talk: Talk[T]) -> T:
        with _unsent():
            pool = self._servers.of(key)
        return self._on(pool, talk)

    def _on(self, pool: redis.ConnectionPool, talk: Talk[T]) -> T:
        with _Lines(self._servers) as lines:
            with _unsent():
                line = lines.to(pool)
            try:
                return talk(line)
            except _FAILURES as error:
                raise _FailedError(error, may_have_run=not was_answered(error)) from error


class _Lines:
    """The lines of one errand: the first one, and those to wherever a cluster says."""

    def __init__(self, servers: Servers) -> None:
        self._servers = servers
        self._connections = ExitStack()

    def to(self, pool: redis.ConnectionPool) -> Line:
        """A line to a server."""
        return Line(self._connections.enter_context(_connected(pool)), self._elsewhere)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        self._connections.__exit__(*error)

    def _elsewhere(self, error: AskError) -> Line:
        return self.to(self._servers.asked(error))


@contextmanager
def _connected(pool: redis.ConnectionPool) -> Iterator[Any]:
    """A connection of a pool, not used again once anything went wrong: answers may be under way."""
    connection = pool.get_connection()
    try:
        yield connection
    except BaseException:
        connection.disconnect()
        raise
    finally:
        pool.release(connection)


@contextmanager
def _unsent() -> Iterator[None]:
    """Where a failure comes before any command was sent."""
    try:
        yield
    except _FAILURES as error:
        raise _FailedError(error, may_have_run=False) from error


def _give_up(error: Exception, doubtful: bool, *, in_time: bool) -> None:
    """Raise what a failure comes to, unless it is worth another try."""
    if is_corrupt(error):
        raise CorruptGameError(str(error)) from error
    condition = condition_of(error)
    if condition.passes and in_time:
        return
    failure = OutcomeUnknownError if doubtful else StorageUnavailableError
    raise failure(condition.words, condition.retry_after) from error


def _pause() -> None:
    least, most = _PAUSE
    time.sleep(least + secrets.randbelow(1000) / 1000 * (most - least))
