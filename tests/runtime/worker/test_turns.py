"""Requests in turn by caller, and who their caller is."""

from __future__ import annotations

import pytest

from service.runtime.worker.turns import Turns, caller_of

SOCKET = ("198.51.100.7", 50_000)


def request(*headers: str) -> bytes:
    return "\r\n".join(("POST /v1/games HTTP/1.1", *headers, "", "")).encode()


def turns(*requests: str) -> Turns[str]:
    """With requests such as `ann 1`, which name their caller."""
    waiting = Turns[str](lambda each: each.partition(" ")[0])
    for each in requests:
        waiting.add(each)
    return waiting


def test_a_request_waits_for_one_of_each_other_caller_at_most() -> None:
    waiting = turns("flood 1", "flood 2", "flood 3", "ann 1", "bob 1")
    assert [waiting.take() for _ in range(4)] == ["flood 1", "ann 1", "bob 1", "flood 2"]
    waiting.add("ann 2")
    assert [waiting.take() for _ in range(2)] == ["flood 3", "ann 2"]


def test_the_requests_of_one_caller_stay_in_order() -> None:
    waiting = turns("ann 1", "ann 2", "ann 3")
    assert [waiting.take() for _ in range(2)] == ["ann 1", "ann 2"]
    waiting.add("ann 4")
    assert [waiting.take() for _ in range(2)] == ["ann 3", "ann 4"]


def test_nothing_is_asked_about_a_request_that_waits_alone() -> None:
    waiting = Turns[int](lambda each: str(1 // each))
    for _ in range(2):
        waiting.add(0)
        assert waiting.take() == 0


@pytest.mark.parametrize(
    ("headers", "proxies", "caller"),
    [
        ((), 0, "198.51.100.7"),
        (("X-Forwarded-For: 192.0.2.1",), 0, "198.51.100.7"),
        (("X-Forwarded-For: 192.0.2.1",), 1, "192.0.2.1"),
        (("x-forwarded-for:forged,  192.0.2.1 ",), 1, "192.0.2.1"),
        (("X-Forwarded-For: 192.0.2.1, 10.0.0.2",), 2, "192.0.2.1"),
        (("X-Forwarded-For: 192.0.2.1", "X-Forwarded-For: 10.0.0.2"), 2, "192.0.2.1"),
        (("X-Forwarded-For: 192.0.2.1",), 2, "198.51.100.7"),
        (("X-Forwarded-For: 2001:db8:1:2:3:4:5:6",), 1, "2001:db8:1:2::"),
        ((), 1, "198.51.100.7"),
    ],
)
def test_the_caller_is_the_client_or_whom_the_trusted_proxies_name(
    headers: tuple[str, ...], proxies: int, caller: str
) -> None:
    assert caller_of(SOCKET, request(*headers), proxies) == caller


def test_no_body_names_a_caller() -> None:
    data = request("Content-Length: 30") + b"\r\nX-Forwarded-For: 192.0.2.1\r\n"
    assert caller_of(SOCKET, data, 1) == "198.51.100.7"


def test_the_clients_of_a_unix_socket_are_one_caller() -> None:
    assert caller_of("", request(), 0) == caller_of(b"", request(), 1) == "local"
