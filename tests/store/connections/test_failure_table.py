"""The table of failures: each error of the client in words, and what may follow from it."""

from __future__ import annotations

import pytest
from redis import exceptions

from service.store.connections import failures
from service.store.connections.failures import (
    LATER,
    SOON,
    EvictingError,
    Failure,
    NoMasterError,
    NotRetriedError,
    TooFewReplicasError,
    UnconfirmedError,
    failure_of,
    is_corrupt,
    needs_refresh,
    was_refused,
)


def demotion() -> Exception:
    """What the client raises when the master that the sentinels named is one no longer."""
    error = exceptions.ConnectionError("The previous master is now a slave")
    error.__context__ = exceptions.ReadOnlyError("You can't write against a read only replica.")
    return error


def no_cluster(answer: Exception) -> Exception:
    """What the client makes of a node that refuses to tell of its cluster."""
    hidden = exceptions.RedisClusterException("Cluster mode is not enabled on this node")
    hidden.__context__ = answer
    error = exceptions.RedisClusterException(f"cannot be connected: {hidden}")
    error.__cause__ = hidden
    return error


DENIAL = exceptions.NoPermissionError("User ann has no permissions to run the 'hset' command")
DENIED_SLOTS = exceptions.NoPermissionError("no permissions to run the 'cluster|slots' command")


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (exceptions.ConnectionError("Error 111"), failures.UNREACHABLE),
        (exceptions.RedisClusterException("no node"), failures.UNREACHABLE),
        (exceptions.TimeoutError("Timeout reading"), failures.TIMED_OUT),
        (exceptions.ConnectionError("No connection available."), failures.POOL_EXHAUSTED),
        (exceptions.MaxConnectionsError("Too many connections"), failures.POOL_EXHAUSTED),
        (exceptions.BusyLoadingError("loading"), failures.LOADING),
        (exceptions.ReadOnlyError("read only"), failures.READ_ONLY),
        (demotion(), failures.READ_ONLY),
        (exceptions.ClusterDownError("down"), failures.NO_MASTER),
        (exceptions.MasterDownError("down"), failures.NO_MASTER),
        (NoMasterError("none"), failures.NO_MASTER),
        (exceptions.AskError("7 a:1"), failures.SLOT_MOVING),
        (exceptions.MovedError("7 a:1"), failures.SLOT_MOVING),
        (exceptions.TryAgainError("again"), failures.SLOT_MOVING),
        (exceptions.ResponseError("BUSY a script runs"), failures.BUSY),
        (exceptions.ResponseError("NOREPLICAS not enough"), failures.TOO_FEW_REPLICAS),
        (TooFewReplicasError("1"), failures.TOO_FEW_REPLICAS),
        (UnconfirmedError("1"), failures.UNCONFIRMED),
        (NotRetriedError("1"), failures.NOT_RETRIED),
        (EvictingError("1"), failures.EVICTING),
        (exceptions.InvalidResponse("?"), failures.UNREADABLE),
        (exceptions.OutOfMemoryError("full"), failures.OUT_OF_MEMORY),
        (exceptions.ResponseError("MISCONF errors"), failures.DISK_ERROR),
        (exceptions.AuthenticationError("wrong"), failures.REFUSED_LOGIN),
        (exceptions.AuthenticationWrongNumberOfArgsError("auth"), failures.REFUSED_LOGIN),
        (exceptions.AuthorizationError("no"), failures.REFUSED_LOGIN),
        (no_cluster(exceptions.AuthenticationError("NOAUTH")), failures.REFUSED_LOGIN),
        (exceptions.ResponseError("DB index is out of range"), failures.NO_DATABASE),
        (no_cluster(exceptions.ResponseError("no cluster support")), failures.NOT_A_CLUSTER),
        (exceptions.ResponseError("UNGUARDED not set"), failures.UNGUARDED),
        (exceptions.NoPermissionError("No permissions to access a key"), failures.FORBIDDEN_KEYS),
        (exceptions.NoPermissionError("may not"), failures.FORBIDDEN),
        (
            exceptions.ResponseError("The user executing the script can't run this command"),
            failures.FORBIDDEN,
        ),
        (exceptions.ResponseError("something else"), failures.FAILED),
        (exceptions.ResponseError("something BUSY"), failures.FAILED),
    ],
)
def test_each_error_has_its_failure(error: Exception, failure: Failure) -> None:
    assert failure_of(error) == failure


@pytest.mark.parametrize(
    ("error", "command"),
    [
        (DENIAL, "HSET"),
        (no_cluster(DENIED_SLOTS), "CLUSTER SLOTS"),
        (
            exceptions.ResponseError(
                "ACL failure in script: User ann has no permissions to run the 'get' command"
                " script: on @user_script:1."
            ),
            "GET",
        ),
    ],
)
def test_a_denial_names_the_command(error: Exception, command: str) -> None:
    detail = f"the storage's user lacks the right to run {command}"
    expected = Failure("forbidden", detail, is_transient=False, retry_after=LATER)
    assert failure_of(error) == expected


def test_every_failure_has_a_name_of_its_own() -> None:
    names = [name for name, each in vars(failures).items() if isinstance(each, Failure)]
    conditions = [vars(failures)[name].condition for name in names]
    assert conditions == [name.lower().replace("_", "-") for name in names]


def test_what_an_operator_has_to_end_takes_longer() -> None:
    table = [each for each in vars(failures).values() if isinstance(each, Failure)]
    assert len(table) > 20
    for failure in table:
        assert failure.retry_after == (LATER if _needs_an_operator(failure) else SOON)
        assert "the storage" in failure.detail


def _needs_an_operator(failure: Failure) -> bool:
    return not failure.is_transient and failure not in (failures.FAILED, failures.NOT_RETRIED)


@pytest.mark.parametrize(
    ("error", "refused"),
    [
        (exceptions.ResponseError("BUSY"), True),
        (exceptions.BusyLoadingError("loading"), True),
        (exceptions.AuthenticationError("wrong"), True),
        (demotion(), True),
        (DENIAL, True),
        (exceptions.ConnectionError("gone"), False),
        (exceptions.TimeoutError("late"), False),
        (exceptions.InvalidResponse("?"), False),
        (exceptions.ResponseError("NOREPLICAS script: on @x"), True),
        (exceptions.ResponseError("MISCONF script: on @x"), True),
        (exceptions.OutOfMemoryError("script: on @x"), True),
        (exceptions.ReadOnlyError("script: on @x"), True),
        (exceptions.ResponseError("ACL failure in script: no script: on @x"), True),
        (exceptions.ResponseError("another error script: on @x"), False),
    ],
)
def test_a_refusal_is_told_from_a_loss(error: Exception, refused: bool) -> None:
    assert was_refused(error) is refused


@pytest.mark.parametrize(
    ("error", "refresh"),
    [
        (exceptions.ConnectionError("gone"), True),
        (exceptions.TimeoutError("late"), True),
        (exceptions.RedisClusterException("no node"), True),
        (exceptions.ClusterDownError("down"), True),
        (exceptions.MovedError("7 a:1"), True),
        (exceptions.ReadOnlyError("read only"), True),
        (exceptions.TryAgainError("again"), False),
        (exceptions.ResponseError("BUSY"), False),
        (exceptions.OutOfMemoryError("full"), False),
    ],
)
def test_the_servers_are_found_anew_where_another_may_have_the_game(
    error: Exception, refresh: bool
) -> None:
    assert needs_refresh(error) is refresh


@pytest.mark.parametrize(
    ("text", "corrupt"),
    [
        ("TORN the event log does not fit the game", True),
        ("WRONGTYPE Operation against a key", True),
        ("NOT TORN", False),
        ("TORNADO", False),
    ],
)
def test_a_damaged_game_is_told_by_the_first_word(text: str, corrupt: bool) -> None:
    assert is_corrupt(exceptions.ResponseError(text)) is corrupt
