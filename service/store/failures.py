"""What is the matter with a store, by the error that it or its client gives.

One table: in what words it is told, whether it may pass within a call's deadline, and after how
many seconds a caller may try again. The words name no host and no path.
"""

from __future__ import annotations

from dataclasses import dataclass

from redis import exceptions

SOON = 2
LATER = 15
"""Seconds: what passes by itself, and what waits for an operator."""


class UnconfirmedError(exceptions.RedisError):
    """A write that was made, but is not known to be on every replica."""


class UnfollowedError(exceptions.RedisError):
    """A master that not all of its replicas follow: another may have taken its place."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of the store: what it is, whether it is worth another try at once, and when."""

    words: str
    passes: bool = True
    retry_after: int = SOON


AWAY = Condition("the storage does not answer")
HUNG = Condition("the storage answers too late")
EXHAUSTED = Condition("every connection to the storage is in use")
LOADING = Condition("the storage is still reading its data")
READ_ONLY = Condition("the storage is read-only at the moment")
DOWN = Condition("the storage is choosing a new master")
MOVING = Condition("the storage is moving its data")
BUSY = Condition("the storage is busy with a long script")
LONELY = Condition("the storage has too few replicas at the moment")
UNCONFIRMED = Condition("the replicas of the storage have not confirmed in time")
FULL = Condition("the storage is full: give it more memory", passes=False, retry_after=LATER)
DISK = Condition("the storage cannot write to its disk", passes=False, retry_after=LATER)
DENIED = Condition(
    "the storage refuses the service's user or password: see REDIS_URL",
    passes=False,
    retry_after=LATER,
)
UNGUARDED = Condition(
    "the storage accepts changes without replicas: set min-replicas-to-write there, "
    "or DURABILITY=local here",
    passes=False,
    retry_after=LATER,
)
GARBLED = Condition("the storage gave an answer that cannot be read")
FAILED = Condition("the storage failed", passes=False)

_BY_CLASS: tuple[tuple[type[Exception], Condition], ...] = (
    (UnconfirmedError, UNCONFIRMED),
    (UnfollowedError, LONELY),
    (exceptions.AuthenticationError, DENIED),
    (exceptions.AuthenticationWrongNumberOfArgsError, DENIED),
    (exceptions.AuthorizationError, DENIED),
    (exceptions.NoPermissionError, DENIED),
    (exceptions.OutOfMemoryError, FULL),
    (exceptions.ReadOnlyError, READ_ONLY),
    (exceptions.BusyLoadingError, LOADING),
    (exceptions.ClusterDownError, DOWN),  # also that a replica's master is down
    (exceptions.AskError, MOVING),  # also that a slot has moved
    (exceptions.TryAgainError, MOVING),
    (exceptions.MaxConnectionsError, EXHAUSTED),
    (exceptions.TimeoutError, HUNG),
    (exceptions.InvalidResponse, GARBLED),
)
_BY_WORD = {
    "NOREPLICAS": LONELY,
    "BUSY": BUSY,
    "MISCONF": DISK,
    "NOAUTH": DENIED,
    "WRONGPASS": DENIED,
    "UNGUARDED": UNGUARDED,
}
_CORRUPT = ("TORN", "WRONGTYPE")
_IN_SCRIPT = "script: "
_AT_FIRST_WRITE = (exceptions.OutOfMemoryError, exceptions.ReadOnlyError)
_WORDS_AT_FIRST_WRITE = ("NOREPLICAS", "MISCONF")
"""What a server refuses a script's first write by, and never a later one."""
_NO_CONNECTION = "No connection available"
LOST = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.RedisClusterException,
)
"""What a client raises when it cannot reach a server, or loses it."""


def condition_of(error: Exception) -> Condition:
    """The condition that an error tells of."""
    cause = error.__context__ if was_demoted(error) else error
    for kind, condition in _BY_CLASS:
        if isinstance(cause, kind):
            return condition
    if isinstance(error, LOST):
        return EXHAUSTED if _NO_CONNECTION in str(error) else AWAY
    return _BY_WORD.get(_first_word(error), FAILED)


def was_answered(error: Exception) -> bool:
    """Whether the server itself refused the command, so that nothing of it was carried out.

    A script that fails on its way may have written before; the refusal then names the script.
    """
    refused = (
        exceptions.ResponseError,
        exceptions.BusyLoadingError,
        exceptions.AuthenticationError,
    )
    if was_demoted(error):
        return True
    if _IN_SCRIPT in str(error):
        at_first_write = isinstance(error, _AT_FIRST_WRITE)
        return at_first_write or _first_word(error) in _WORDS_AT_FIRST_WRITE
    return isinstance(error, refused)


def points_elsewhere(error: Exception) -> bool:
    """Whether another server may be the one to ask by now."""
    told = (exceptions.ClusterDownError, exceptions.AskError, exceptions.ReadOnlyError)
    return isinstance(error, (*LOST, *told))


def was_demoted(error: Exception) -> bool:
    """Whether a connection found by a sentinel met a master that is one no longer.

    The client disguises that refusal as a lost connection.
    """
    return isinstance(error.__context__, exceptions.ReadOnlyError)


def is_corrupt(error: Exception) -> bool:
    """Whether the server says that what is kept of a game is not what it should be."""
    return _first_word(error) in _CORRUPT


def _first_word(error: Exception) -> str:
    return str(error).partition(" ")[0]
