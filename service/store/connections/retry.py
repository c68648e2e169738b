"""The retry of an operation on the store: bounded by a deadline, and aware of what it repeats.

The one place that tries again; the client itself retries nothing. A failure that may pass (see
`failures.py`) is tried again until the deadline, after a pause of random length. Whether an
attempt may have been applied although its answer was lost is remembered: the next attempt knows
it, and the error says so in the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from random import SystemRandom
from typing import Literal, TypeVar

from service.errors import CorruptGameError, OutcomeUnknownError, StorageUnavailableError
from service.store.connections.connection import Connection
from service.store.connections.failures import (
    CLIENT_ERRORS,
    EvictingError,
    UnconfirmedError,
    failure_of,
    is_corrupt,
    needs_refresh,
    was_refused,
)
from service.store.connections.outages import Outages
from service.store.connections.topologies import Pools
from service.store.observer import StoreObserver

T = TypeVar("T")
_Kind = Literal["read", "write", "probe"]
Operation = Callable[[Connection], T]
Probe = Callable[[Connection, str], T]
"""An operation that is given the key, too."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long a call is tried, and with which pauses (seconds); the clock is a monotonic one."""

    deadline: float = 1.5
    shortest_pause: float = 0.02
    longest_pause: float = 0.25
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = SystemRandom().random

    def pause(self) -> None:
        """Sleep for a random time, so that many callers do not come back at once."""
        span = self.longest_pause - self.shortest_pause
        self.sleep(self.shortest_pause + self.jitter() * span)


class _FailedAttemptError(Exception):
    """An attempt that failed by `error`; `is_uncertain` where it may have been applied."""

    def __init__(self, error: Exception, *, is_uncertain: bool) -> None:
        self.error = error
        self.is_uncertain = is_uncertain


class Retry:
    """Runs operations on the servers of keys; safe to share between threads."""

    def __init__(
        self, pools: Pools, policy: RetryPolicy, observer: StoreObserver | None = None
    ) -> None:
        self._pools = pools
        self._policy = policy
        self._outages = Outages(pools)
        self._observer = observer

    def read(self, key: str, operation: Operation[T]) -> T:
        """The result of an operation that changes no game, on the server of a key.

        Raises StorageUnavailableError, CorruptGameError; OutcomeUnknownError if what it read is
        not known to be on every replica.
        """
        return self._run(key, operation, "read")[0]

    def write(self, key: str, operation: Operation[T]) -> tuple[T, bool]:
        """The result of an operation, and whether an earlier attempt may have been applied, too.

        Raises StorageUnavailableError if nothing was written, OutcomeUnknownError if that
        could not be settled in time, CorruptGameError.
        """
        return self._run(key, operation, "write")

    def read_all(self, choose_keys: Callable[[], Sequence[str]], operation: Probe[T]) -> list[T]:
        """The results of an operation that changes nothing, for each key whose server answers.

        One server that answers is enough, but an EvictingError of any of them is raised, as
        StorageUnavailableError. Servers that are not reached before the deadline are left out.
        """
        return self._repeat(lambda _: self._attempt_all(choose_keys, operation), "probe")[0]

    def _run(self, key: str, operation: Operation[T], kind: _Kind) -> tuple[T, bool]:
        attempt = partial(self._attempt, key, operation)
        return self._outages.call(key, partial(self._repeat, attempt, kind))

    def _repeat(self, attempt: Callable[[float | None], T], kind: _Kind) -> tuple[T, bool]:
        if self._observer is None:
            return self._repeat_until(attempt, kind)
        clock = self._policy.clock
        start = clock()
        try:
            return self._repeat_until(attempt, kind)
        finally:
            self._observer.called(kind, clock() - start)

    def _repeat_until(self, attempt: Callable[[float | None], T], kind: _Kind) -> tuple[T, bool]:
        clock = self._policy.clock
        start = clock()
        is_uncertain = maybe_applied = False
        while True:
            try:
                return attempt(clock() - start if is_uncertain else None), maybe_applied
            except _FailedAttemptError as failed:
                error = failed.error
                is_uncertain = is_uncertain or failed.is_uncertain
                unconfirmed = isinstance(error, UnconfirmedError)
                maybe_applied = maybe_applied or unconfirmed or (kind == "write" and is_uncertain)
                if needs_refresh(error):
                    self._pools.refresh()
                in_time = clock() - start < self._policy.deadline
                self._raise_unless_repeatable(error, maybe_applied, in_time=in_time)
            self._policy.pause()

    def _attempt(self, key: str, operation: Operation[T], uncertain_for: float | None) -> T:
        connection = Connection(self._pools, uncertain_for)
        try:
            connection.open(key)
            result = operation(connection)
        except CLIENT_ERRORS as error:
            is_uncertain = connection.is_open and not was_refused(error)
            connection.discard()
            raise _FailedAttemptError(error, is_uncertain=is_uncertain) from error
        except BaseException:
            connection.discard()
            raise
        connection.release()
        return result

    def _attempt_all(
        self, choose_keys: Callable[[], Sequence[str]], operation: Probe[T]
    ) -> list[T]:
        try:
            keys = choose_keys()
        except CLIENT_ERRORS as error:
            raise _FailedAttemptError(error, is_uncertain=False) from error
        start = self._policy.clock()
        results: list[T] = []
        failures: list[_FailedAttemptError] = []
        for key in keys:
            if results and self._policy.clock() - start > self._policy.deadline:
                break
            try:
                results.append(self._probe(key, operation))
            except _FailedAttemptError as failure:
                if isinstance(failure.error, EvictingError):
                    raise
                failures.append(failure)
        if not results:
            raise failures[-1]
        return results

    def _probe(self, key: str, operation: Probe[T]) -> T:
        return self._attempt(key, lambda connection: operation(connection, key), None)

    def _raise_unless_repeatable(
        self, error: Exception, maybe_applied: bool, *, in_time: bool
    ) -> None:
        """Raise what a failed attempt amounts to, unless another attempt may succeed in time."""
        if is_corrupt(error):
            raise CorruptGameError(str(error)) from error
        failure = failure_of(error)
        repeats = failure.is_transient and in_time
        if self._observer is not None:
            tell = self._observer.retried if repeats else self._observer.failed
            tell(failure.condition)
        if repeats:
            return
        kind = OutcomeUnknownError if maybe_applied else StorageUnavailableError
        raise kind(failure.detail, failure.retry_after) from error
