"""What is wrong with the storage, by the error that a server or its client raises.

One table gives for each failure: its name in metrics, the words for the caller and the log, whether
it may pass within one call, and after how many seconds the caller may try again. The words name no
host and no path.
What is matched on (classes, first words, texts) is held by a test:
`tests/store/connections/test_client_contract.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from redis import exceptions

SOON = 2
"""Seconds until the next try where the failure passes by itself."""
LATER = 15
"""Seconds until the next try where an operator has to act."""


class UnconfirmedError(exceptions.RedisError):
    """A write that was made, but is not known to be on every replica."""


class NotRetriedError(UnconfirmedError):
    """A write that may have been applied, and is not sent again to a server that may be new."""


class TooFewReplicasError(exceptions.RedisError):
    """A master with fewer replicas than promised: another may have taken its place."""


class NoMasterError(exceptions.ConnectionError):
    """The sentinels answer, but name no master that can be used."""


class EvictingError(exceptions.RedisError):
    """A server that may delete games to free memory."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure by its name and in words.

    `is_transient`: it may be over at the next attempt of the same call.
    """

    condition: str
    detail: str
    is_transient: bool = True
    retry_after: int = SOON


def _permanent(condition: str, detail: str) -> Failure:
    """A failure that an operator has to end."""
    return Failure(condition, detail, is_transient=False, retry_after=LATER)


UNREACHABLE = Failure("unreachable", "the storage does not answer")
TIMED_OUT = Failure("timed-out", "the storage did not answer in time")
POOL_EXHAUSTED = Failure("pool-exhausted", "every connection to the storage is in use")
LOADING = Failure("loading", "the storage is still loading its data")
READ_ONLY = Failure("read-only", "the storage is read-only at the moment")
NO_MASTER = Failure("no-master", "the storage has no master at the moment")
SLOT_MOVING = Failure("slot-moving", "the storage is moving the game to another server")
BUSY = Failure("busy", "the storage is busy with a long script")
TOO_FEW_REPLICAS = Failure("too-few-replicas", "the storage has too few replicas at the moment")
UNCONFIRMED = Failure(
    "unconfirmed", "the replicas of the storage have not confirmed the change in time"
)
NOT_RETRIED = Failure(
    "not-retried",
    "the storage was lost during the change and may have been restarted",
    is_transient=False,
)
UNREADABLE = Failure("unreadable", "the storage gave an answer that cannot be read")
FAILED = Failure("failed", "the storage failed", is_transient=False)
OUT_OF_MEMORY = _permanent("out-of-memory", "the storage is full: give it more memory")
DISK_ERROR = _permanent("disk-error", "the storage cannot write to its disk")
REFUSED_LOGIN = _permanent(
    "refused-login", "the storage refuses the service's user or password: see REDIS_URL"
)
NO_DATABASE = _permanent("no-database", "the storage has no database of the number in REDIS_URL")
NOT_A_CLUSTER = _permanent("not-a-cluster", "the storage is not a cluster: see REDIS_URL")
UNGUARDED = _permanent(
    "unguarded",
    "the storage accepts changes without replicas: set min-replicas-to-write there, "
    "or DURABILITY=local here",
)
EVICTING = _permanent(
    "evicting", "the storage may delete games to free memory: set maxmemory-policy noeviction there"
)
FORBIDDEN_KEYS = _permanent(
    "forbidden-keys", "the storage's user may not use keys that begin with {g:"
)
FORBIDDEN = _permanent("forbidden", "the storage's user lacks a right that the service needs")

_BY_CLASS: tuple[tuple[type[Exception], Failure], ...] = (
    (NotRetriedError, NOT_RETRIED),
    (UnconfirmedError, UNCONFIRMED),
    (TooFewReplicasError, TOO_FEW_REPLICAS),
    (NoMasterError, NO_MASTER),
    (EvictingError, EVICTING),
    (exceptions.AuthenticationError, REFUSED_LOGIN),
    (exceptions.AuthenticationWrongNumberOfArgsError, REFUSED_LOGIN),
    (exceptions.AuthorizationError, REFUSED_LOGIN),
    (exceptions.OutOfMemoryError, OUT_OF_MEMORY),
    (exceptions.ReadOnlyError, READ_ONLY),
    (exceptions.BusyLoadingError, LOADING),
    (exceptions.ClusterDownError, NO_MASTER),  # MASTERDOWN of a replica as well
    (exceptions.AskError, SLOT_MOVING),  # MOVED as well
    (exceptions.TryAgainError, SLOT_MOVING),
    (exceptions.MaxConnectionsError, POOL_EXHAUSTED),
    (exceptions.TimeoutError, TIMED_OUT),
    (exceptions.InvalidResponse, UNREADABLE),
)
_BY_FIRST_WORD = {
    "NOREPLICAS": TOO_FEW_REPLICAS,
    "BUSY": BUSY,
    "MISCONF": DISK_ERROR,
    "UNGUARDED": UNGUARDED,
}
_BY_TEXT = {
    "No connection available": POOL_EXHAUSTED,
    "DB index is out of range": NO_DATABASE,
    "Cluster mode is not enabled": NOT_A_CLUSTER,
}
_CORRUPT = ("TORN", "WRONGTYPE")
_DENIED_IN_SCRIPT = "ACL failure in script"
"""From servers on which `commit.lua` asks for its rights before it writes anything."""
_DENIED_IN_OLD_SCRIPT = "The user executing the script can't"
"""From Redis 6.2, where a denial may come halfway."""
_DENIED_COMMAND = re.compile(r"run the '([^']+)' command")
_DENIED_KEYS = re.compile(r"access .*key")
_IN_SCRIPT = "script: "
_CLASSES_AT_FIRST_WRITE = (exceptions.OutOfMemoryError, exceptions.ReadOnlyError)
_WORDS_AT_FIRST_WRITE = ("NOREPLICAS", "MISCONF")
"""A server refuses a script by these at its first write, and never at a later one."""

CONNECTION_ERRORS = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.RedisClusterException,
)
"""What the client raises when it cannot reach a server, or loses it."""
CLIENT_ERRORS = (exceptions.RedisError, exceptions.RedisClusterException)
"""Everything that the client raises."""


def failure_of(error: Exception) -> Failure:
    """The failure that an error reports."""
    cause = _cause(error)
    if _is_denial(cause):
        return _denial(str(cause))
    for kind, failure in _BY_CLASS:
        if isinstance(cause, kind):
            return failure
    for text, failure in _BY_TEXT.items():
        if text in str(cause):
            return failure
    if isinstance(cause, CONNECTION_ERRORS):
        return UNREACHABLE
    return _BY_FIRST_WORD.get(_first_word(cause), FAILED)


def was_refused(error: Exception) -> bool:
    """Whether the server refused the commands, so that nothing of them was carried out.

    A script that fails halfway may have written already; the error then names the script.
    """
    if _is_demotion(error) or _DENIED_IN_SCRIPT in str(error):
        return True
    if _IN_SCRIPT in str(error):
        at_first_write = isinstance(error, _CLASSES_AT_FIRST_WRITE)
        return at_first_write or _first_word(error) in _WORDS_AT_FIRST_WRITE
    refusals = (
        exceptions.ResponseError,
        exceptions.BusyLoadingError,
        exceptions.AuthenticationError,
    )
    return isinstance(error, refusals)


def needs_refresh(error: Exception) -> bool:
    """Whether another server may hold the game by now."""
    redirects = (exceptions.ClusterDownError, exceptions.AskError, exceptions.ReadOnlyError)
    return isinstance(error, (*CONNECTION_ERRORS, *redirects))


def is_corrupt(error: Exception) -> bool:
    """Whether the server reports that the keys of a game are not what they should be."""
    return _first_word(error) in _CORRUPT


def _cause(error: Exception) -> BaseException:
    """The error that the client hides behind another class."""
    if _is_demotion(error):
        assert error.__context__ is not None
        return error.__context__
    if isinstance(error, exceptions.RedisClusterException):
        return _refusal_behind(error) or error
    return error


def _is_demotion(error: Exception) -> bool:
    """Whether a connection from a sentinel met a former master.

    The client reports that refusal as a lost connection.
    """
    return isinstance(error.__context__, exceptions.ReadOnlyError)


def _refusal_behind(error: BaseException) -> BaseException | None:
    """What a node answered when a cluster was looked for, and the client reports as no cluster."""
    hidden: BaseException | None = error
    while hidden is not None and not _is_denial(hidden):
        if isinstance(hidden, exceptions.AuthenticationError):
            return hidden
        hidden = hidden.__cause__ or hidden.__context__
    return hidden


def _is_denial(error: BaseException) -> bool:
    denied_in_script = (_DENIED_IN_SCRIPT, _DENIED_IN_OLD_SCRIPT)
    return isinstance(error, exceptions.NoPermissionError) or any(
        text in str(error) for text in denied_in_script
    )


def _denial(text: str) -> Failure:
    command = _DENIED_COMMAND.search(text)
    if command is not None:
        name = command[1].replace("|", " ").upper()
        return replace(FORBIDDEN, detail=f"the storage's user lacks the right to run {name}")
    return FORBIDDEN_KEYS if _DENIED_KEYS.search(text) else FORBIDDEN


def _first_word(error: BaseException) -> str:
    return str(error).partition(" ")[0]
