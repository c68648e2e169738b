"""Commands to the server that holds a key: one connection, no answer left unread, bounded tries.

The one place that tries again. What hinders a call is one of `conditions.py`; while it may pass,
the call is repeated until the deadline, with a pause of random length in between. Whether a try
may have run although its answer was lost is remembered, and told.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import redis
from redis.exceptions import AskError, RedisClusterException, RedisError

from service.errors import CorruptGameError, OutcomeUnknownError, StorageUnavailableError
from service.store.conditions import UnconfirmedError, condition_of, is_corrupt, was_answered
from service.store.servers import Servers

DEADLINE = 1.5
"""Seconds within which a call to the store is tried again."""
_PAUSE = (0.02, 0.25)
_FAILURES = (RedisError, RedisClusterException)

Command = tuple[bytes | str | int, ...]
T = TypeVar("T")


class Line:
    """One connection to one server, for the time of one errand."""

    def __init__(self, connection: Any, *, asking: bool) -> None:
        self._connection = connection
        self._asking = asking

    def tell(self, *commands: Command) -> list[Any]:
        """The answers to commands, sent in one go; raises the first refusal among them."""
        words: list[Command] = []
        for command in commands:
            words += [("ASKING",), command] if self._asking else [command]
        self._connection.send_packed_command(self._connection.pack_commands(words))
        answers = [self._connection.read_response() for _ in words]
        return answers[1::2] if self._asking else answers


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

    def everywhere(self, talk: Talk[T]) -> list[T]:
        """What a talk that changes nothing gives, with every server that takes writes."""

        def attempt() -> list[T]:
            with _unsent():
                pools = self._servers.all()
            return [self._on(pool, talk) for pool in pools]

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
                _give_up(failed.error, doubtful, in_time=time.monotonic() < deadline)
            _pause()
            with suppress(*_FAILURES):  # the next try tells
                self._servers.look_again()

    def _at(self, key: str, talk: Talk[T]) -> T:
        with _unsent():
            pool = self._servers.of(key)
        try:
            return self._on(pool, talk)
        except _FailedError as failed:
            if not isinstance(failed.error, AskError):
                raise
            with _unsent():
                pool = self._servers.asked(failed.error)
            return self._on(pool, talk, asking=True)

    def _on(self, pool: redis.ConnectionPool, talk: Talk[T], *, asking: bool = False) -> T:
        with _unsent():
            connection = pool.get_connection()
        try:
            return talk(Line(connection, asking=asking))
        except _FAILURES as error:
            connection.disconnect()
            raise _FailedError(error, may_have_run=not was_answered(error)) from error
        except BaseException:
            connection.disconnect()  # an answer may be under way
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
