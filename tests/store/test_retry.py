"""The one place that tries again, on servers that answer as they are told."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from redis import exceptions

from service.errors import CorruptGameError, OutcomeUnknownError, StorageUnavailableError
from service.store import retry
from service.store.failures import LATER, SOON, UnconfirmedError
from service.store.retry import Errands, Line
from tests.store.scripted_servers import Connection, Place, Pool

KEY = "{g:a}:game"
LOST = exceptions.ConnectionError("Connection closed by server.")
LOADING = exceptions.BusyLoadingError("LOADING the data")
FULL = exceptions.OutOfMemoryError("OOM command not allowed")
ASK = exceptions.AskError("7 127.0.0.1:7001")


@dataclass
class Hours:
    """A clock that moves only while somebody sleeps."""

    now: float = 100.0
    slept: list[float] = field(default_factory=list)

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture(autouse=True)
def hours(monkeypatch: pytest.MonkeyPatch) -> Hours:
    hours = Hours()
    monkeypatch.setattr(retry, "time", hours)
    monkeypatch.setattr(retry, "DEADLINE", 1.5)
    monkeypatch.setattr(retry, "_PAUSE", (0.5, 0.5))
    return hours


def at(*answers: object) -> tuple[Errands, Place, Connection]:
    """Errands to a place of one server that gives these answers."""
    connection = Connection(*answers)
    place = Place([Pool(connection)])
    return Errands(place), place, connection  # type: ignore[arg-type]


def ping(line: Line) -> Any:
    return line.tell(("PING",))[0]


def test_a_talk_has_its_answers_from_the_server_of_the_key() -> None:
    errand, place, connection = at(b"1", b"2")
    assert errand.read(KEY, lambda line: line.tell(("GET", "a"), ("GET", "b"))) == [b"1", b"2"]
    assert place.keys == [KEY]
    assert connection.sent == [[("GET", "a"), ("GET", "b")]]
    assert (place.pools[0].released, connection.disconnected) == ([connection], 0)


def test_a_write_that_is_made_at_once_leaves_no_doubt() -> None:
    errand, place, _ = at(b"OK")
    assert errand.write(KEY, ping) == (b"OK", False)
    assert (place.keys, place.looks) == ([KEY], 0)


def test_a_write_that_follows_a_lost_one_is_doubtful() -> None:
    errand, place, connection = at(LOST, b"OK")
    assert errand.write(KEY, ping) == (b"OK", True)
    assert (place.keys, place.looks) == ([KEY, KEY], 1)
    assert connection.disconnected == 1
    assert place.pools[0].released == [connection, connection]


def test_a_write_that_was_refused_before_is_not_doubtful() -> None:
    errand, _, connection = at(LOADING, b"OK")
    assert errand.write(KEY, ping) == (b"OK", False)
    assert connection.disconnected == 1


@pytest.mark.parametrize("failure", [LOST, exceptions.RedisClusterException("no node")])
def test_a_write_that_no_server_was_found_for_is_not_doubtful(failure: Exception) -> None:
    errand, place, connection = at(b"OK")
    place.failures = [failure]
    place.pools[0].failures = [failure]
    assert errand.write(KEY, ping) == (b"OK", False)
    assert (len(connection.sent), connection.disconnected) == (1, 0)


def test_tries_end_at_the_deadline(hours: Hours) -> None:
    errand, place, connection = at(*[LOST] * 9)
    with pytest.raises(StorageUnavailableError, match=r"^the storage does not answer$") as caught:
        errand.read(KEY, ping)
    assert caught.value.retry_after == SOON
    assert caught.value.__cause__ is LOST
    assert hours.slept == [0.5, 0.5, 0.5]
    assert (len(connection.sent), place.looks) == (4, 4)


def test_a_write_lost_until_the_deadline_has_an_unknown_outcome() -> None:
    errand, _, _ = at(*[LOST] * 9)
    with pytest.raises(OutcomeUnknownError, match=r"^the storage does not answer$") as caught:
        errand.write(KEY, ping)
    assert caught.value.retry_after == SOON


def test_a_write_refused_until_the_deadline_was_not_made() -> None:
    errand, _, connection = at(*[LOADING] * 9)
    with pytest.raises(StorageUnavailableError, match=r"still reading"):
        errand.write(KEY, ping)
    assert len(connection.sent) == 4


def test_a_doubt_stays_whatever_follows() -> None:
    errand, _, _ = at(LOST, *[LOADING] * 9)
    with pytest.raises(OutcomeUnknownError, match=r"still reading"):
        errand.write(KEY, ping)
    errand, _, _ = at(LOST, LOADING, b"OK")
    assert errand.write(KEY, ping) == (b"OK", True)


def test_an_unconfirmed_record_leaves_a_doubt_even_for_a_reader() -> None:
    errand, _, _ = at(*[UnconfirmedError("0 of 1")] * 9)
    with pytest.raises(OutcomeUnknownError, match=r"not confirmed"):
        errand.read(KEY, ping)


def test_what_does_not_pass_is_told_at_once(hours: Hours) -> None:
    errand, _, connection = at(FULL)
    with pytest.raises(StorageUnavailableError, match=r"^the storage is full") as caught:
        errand.write(KEY, ping)
    assert caught.value.retry_after == LATER
    assert (hours.slept, len(connection.sent)) == ([], 1)


def test_what_is_corrupt_is_told_at_once_in_the_servers_words(hours: Hours) -> None:
    torn = exceptions.ResponseError("TORN the event log does not fit the game")
    errand, _, _ = at(torn)
    with pytest.raises(CorruptGameError, match=r"^TORN the event log") as caught:
        errand.write(KEY, ping)
    assert caught.value.__cause__ is torn
    assert hours.slept == []


@pytest.mark.parametrize(
    ("failure", "looks"),
    [
        (LOST, 1),
        (exceptions.TimeoutError("late"), 1),
        (exceptions.ClusterDownError("CLUSTERDOWN"), 1),
        (exceptions.MovedError("7 127.0.0.1:7001"), 1),
        (exceptions.ReadOnlyError("READONLY"), 1),
        (LOADING, 1),
        (exceptions.ResponseError("BUSY"), 0),
        (exceptions.ResponseError("NOREPLICAS"), 0),
        (exceptions.TryAgainError("TRYAGAIN"), 0),
        (UnconfirmedError("0 of 1"), 0),
    ],
)
def test_servers_are_looked_for_anew_where_another_may_be_the_one(
    failure: Exception, looks: int
) -> None:
    errand, place, _ = at(failure, b"OK")
    assert errand.read(KEY, ping) == b"OK"
    assert place.looks == looks


def test_a_fault_of_the_program_is_not_tried_again() -> None:
    errand, place, connection = at(b"OK", b"OK")

    def talk(line: Line) -> None:
        line.tell(("PING",))
        raise KeyError("a fault")

    with pytest.raises(KeyError, match="a fault"):
        errand.write(KEY, talk)
    # An answer may still be under way on that connection.
    assert (connection.disconnected, place.pools[0].released) == (1, [connection])
    assert len(connection.sent) == 1


def moving(*answers: object) -> tuple[Errands, Connection, Pool]:
    """A slot on its way to another server, which gives these answers."""
    errand, place, connection = at(ASK, ASK, ASK, ASK)
    place.moved_to = Pool(Connection(*answers))
    return errand, connection, place.moved_to


def test_a_slot_on_the_move_is_asked_for_where_it_goes() -> None:
    errand, connection, other = moving(b"OK", b"1", b"OK", b"2")
    talk: Callable[[Line], list[Any]] = lambda line: line.tell(("GET", "a"), ("GET", "b"))  # noqa: E731
    assert errand.write(KEY, talk) == ([b"1", b"2"], False)
    assert connection.sent == [[("GET", "a"), ("GET", "b")]]
    assert other.connection.sent == [[("ASKING",), ("GET", "a")], [("ASKING",), ("GET", "b")]]
    assert (other.released, other.connection.disconnected) == ([other.connection] * 2, 0)


def test_what_was_answered_is_not_asked_for_elsewhere() -> None:
    errand, place, connection = at(b"1", ASK, b"3")
    place.moved_to = Pool(Connection(b"OK", b"2"))
    three = (("GET", "a"), ("GET", "b"), ("GET", "c"))
    assert errand.read(KEY, lambda line: line.tell(*three)) == [b"1", b"2", b"3"]
    assert place.moved_to.connection.sent == [[("ASKING",), ("GET", "b")]]
    assert (connection.disconnected, len(connection.sent)) == (0, 1)


def test_a_write_lost_on_the_way_of_a_slot_is_doubtful() -> None:
    errand, _, _ = moving(b"OK", LOST, b"OK", b"1")
    assert errand.write(KEY, ping) == (b"1", True)


def test_a_slot_that_has_moved_for_good_is_looked_for_anew() -> None:
    errand, place, connection = at(ASK, b"OK")
    assert errand.write(KEY, ping) == (b"OK", False)
    assert (place.looks, connection.disconnected) == (1, 1)


def test_one_server_that_answers_speaks_for_all() -> None:
    first, second = Connection(LOST, LOST), Connection(b"2")
    place = Place([Pool(first), Pool(second)], failures=[LOST])
    assert Errands(place).anywhere(ping) == b"2"  # type: ignore[arg-type]
    assert place.looks == 1
    assert (len(first.sent), len(second.sent)) == (1, 1)
    assert Errands(Place([Pool(Connection(b"1")), Pool(second)])).anywhere(ping) == b"1"  # type: ignore[arg-type]


def test_every_server_asked_in_vain_changed_nothing() -> None:
    errand, place, _ = at(*[LOST] * 9)
    with pytest.raises(StorageUnavailableError):
        errand.anywhere(ping)
    assert place.keys == []


GARBLED = exceptions.InvalidResponse("Protocol Error")
DENIED_INSIDE = exceptions.ResponseError(
    "ACL failure in script: User ann has no permissions to run the 'pexpire' command script: on @x"
)


def test_an_answer_that_cannot_be_read_may_hide_a_write() -> None:
    errand, _, _ = at(GARBLED, b"OK")
    assert errand.write(KEY, ping) == (b"OK", True)


def test_a_script_that_fails_on_its_way_may_have_written() -> None:
    errand, _, _ = at(DENIED_INSIDE)
    with pytest.raises(OutcomeUnknownError):
        errand.write(KEY, ping)


@pytest.mark.parametrize(
    "refusal",
    [
        exceptions.OutOfMemoryError("command not allowed script: on @x"),
        exceptions.ReadOnlyError("You can't write script: on @x"),
        exceptions.ResponseError("NOREPLICAS Not enough script: on @x"),
        exceptions.ResponseError("MISCONF Errors script: on @x"),
        exceptions.NoPermissionError("NOPERM of evalsha"),
        exceptions.AuthenticationError("WRONGPASS"),
    ],
)
def test_a_script_refused_at_its_first_write_has_written_nothing(refusal: Exception) -> None:
    errand, _, _ = at(*[refusal] * 9)
    with pytest.raises(StorageUnavailableError):
        errand.write(KEY, ping)


@pytest.mark.parametrize(("word", "pause"), [(0, 0.02), (500, 0.135), (999, 0.24977)])
def test_a_pause_is_of_random_length(
    hours: Hours, monkeypatch: pytest.MonkeyPatch, word: int, pause: float
) -> None:
    monkeypatch.setattr(retry, "_PAUSE", (0.02, 0.25))
    monkeypatch.setattr(secrets, "randbelow", {1000: word}.__getitem__)
    retry._pause()
    assert hours.slept == pytest.approx([pause])
