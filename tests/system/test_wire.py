"""HTTP as it comes over the wire: pieces of requests, several at once, too much, none at all."""

from __future__ import annotations

import itertools
import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.system.launch import Launch

GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
CLOSE = b"Connection: close\r\n"
LARGE = b"GET /v1/docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /v1/games HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launch]:
    with Launch(tmp_path_factory.mktemp("wire")) as launched:
        launched.url()
        yield launched


def connect(service: Launch) -> socket.socket:
    address = urlsplit(service.url())
    return socket.create_connection((address.hostname, address.port), timeout=20)


def answer(connection: socket.socket) -> bytes:
    """Read to the end."""
    return b"".join(iter(lambda: connection.recv(65_536), b""))


def statuses(received: bytes) -> list[int]:
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d+) ", received)]


def statuses_of(service: Launch, *pieces: bytes) -> list[int]:
    """Send the pieces, some time apart, and read statuses until the service closes."""
    with connect(service) as connection:
        for piece in pieces:
            connection.sendall(piece)
            time.sleep(0.05)
        return statuses(answer(connection))


def test_requests_sent_at_once_are_answered_in_order(service: Launch) -> None:
    first = POST + b"Content-Length: 2\r\n\r\n{}"
    assert statuses_of(service, first + GET + b"\r\n" + GET + CLOSE + b"\r\n") == [201, 200, 200]


def test_a_request_may_come_byte_by_byte(service: Launch) -> None:
    request = POST + CLOSE + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    with connect(service) as connection:
        for byte in request:
            connection.sendall(bytes([byte]))
        assert statuses(answer(connection)) == [201]


def test_a_client_that_expects_100_continue_gets_it_once(service: Launch) -> None:
    head = POST + CLOSE + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"
    with connect(service) as connection:
        connection.sendall(head)
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"{}")
        assert statuses(answer(connection)) == [201]


@pytest.mark.parametrize(
    "body",
    [
        b"Content-Length: 20000\r\n\r\n",
        b"Expect: 100-continue\r\nContent-Length: 20000\r\n\r\n",
        b"Content-Length: 1000000\r\n\r\n" + b" " * 1_000_000,
        b"Transfer-Encoding: chunked\r\n\r\nFFFFFF\r\n" + b" " * 100_000,
    ],
)
def test_too_large_a_body_is_refused_before_it_is_there(service: Launch, body: bytes) -> None:
    with connect(service) as connection:
        connection.sendall(POST + body)
        refusal = answer(connection)
    assert statuses(refusal) == [413]
    assert b"\r\nConnection: close\r\n" in refusal


@pytest.mark.parametrize(
    "chunks",
    [
        b"zz\r\n{}\r\n0\r\n\r\n",
        b"2\r\n{}!!0\r\n\r\n",
        b"-2\r\n{}\r\n0\r\n\r\n",
        b"2;\x00\r\n{}\r\n",
    ],
    ids=["no number", "no end", "negative", "an odd extension"],
)
def test_a_body_in_broken_chunks_is_refused(service: Launch, chunks: bytes) -> None:
    request = POST + b"Transfer-Encoding: chunked\r\n\r\n" + chunks
    with connect(service) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        refusal = answer(connection)
    assert statuses(refusal) == [400]
    assert b'"code":"malformed-json"' in refusal


def test_what_is_left_of_a_refused_body_is_no_request(service: Launch) -> None:
    body = b"Content-Length: 50000\r\n\r\n" + (GET + b"\r\n") * 1_000
    assert statuses_of(service, POST + body) == [413]


def test_a_body_that_breaks_off_is_refused(service: Launch) -> None:
    with connect(service) as connection:
        connection.sendall(POST + b"Content-Length: 20\r\n\r\n{}")
        connection.shutdown(socket.SHUT_WR)
        assert statuses(answer(connection)) == [400]


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (GET + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400),
        (b"GET /healthz HTTP/1.1\nHost: localhost\n\n", 400),
        (b"GET /" + b"x" * 70_000, 414),
        (GET + (b"X: " + b"y" * 8_000 + b"\r\n") * 9, 431),
    ],
)
def test_a_head_that_is_broken_or_too_large_is_refused(
    service: Launch, request_: bytes, status: int
) -> None:
    assert statuses_of(service, request_) == [status]


def test_a_large_answer_comes_whole_however_slowly_it_is_read(service: Launch) -> None:
    with connect(service) as connection:
        connection.sendall(LARGE + b"\r\n" + LARGE + CLOSE + b"\r\n")
        time.sleep(0.5)
        both = answer(connection)

    first, second = re.split(rb"(?=HTTP/1\.1 200 )", both)[1:]
    assert first.partition(b"\r\n\r\n")[2] == second.partition(b"\r\n\r\n")[2]
    assert len(second) > 1_000_000


def test_when_a_worker_is_full_the_longest_silent_connection_is_closed(tmp_path: Path) -> None:
    full = {"WORKERS": "1", "GUNICORN_CMD_ARGS": "--worker-connections 20"}
    with Launch(tmp_path, **full) as service, ExitStack() as stack:
        crowd = [stack.enter_context(connect(service)) for _ in range(40)]
        assert statuses_of(service, GET + CLOSE + b"\r\n") == [200]

        assert answer(crowd[0]) == b""
        crowd[-1].sendall(GET + CLOSE + b"\r\n")
        assert statuses(answer(crowd[-1])) == [200]


@pytest.mark.timing
def test_the_silent_do_not_hold_up_the_end(tmp_path: Path) -> None:
    chunked = POST + b"Transfer-Encoding: chunked\r\n\r\n3c\r\n{"
    parts = [b"", b"GET /v1/ga", GET, POST + b"Content-Length: 20\r\n\r\n{", chunked]
    with Launch(tmp_path) as service, ExitStack() as stack:
        crowd = [stack.enter_context(connect(service)) for _ in range(50)]
        for connection, part in zip(crowd, itertools.cycle(parts), strict=False):
            connection.sendall(part)
        kept = stack.enter_context(connect(service))
        kept.sendall(GET + b"\r\n")
        assert statuses(kept.recv(1000)) == [200]
        begun = time.monotonic()
        service.process.terminate()
        time.sleep(0.5)
        kept.sendall(GET)
        crowd[0].sendall(parts[-1])

        assert service.ended() == 0
        assert time.monotonic() - begun < 4
        assert statuses(answer(crowd[2])) == [408]


@pytest.mark.timing
def test_a_request_that_comes_whole_before_the_end_is_answered(tmp_path: Path) -> None:
    with Launch(tmp_path) as service, connect(service) as half, connect(service) as kept:
        half.sendall(GET)
        kept.sendall(GET + b"\r\n")
        assert statuses(kept.recv(1000)) == [200]
        service.process.terminate()
        time.sleep(0.5)
        half.sendall(b"\r\n")
        kept.sendall(GET + b"\r\n")

        for connection in (half, kept):
            received = answer(connection)
            assert statuses(received) == [200]
            assert b"\r\nConnection: close\r\n" in received
        assert service.ended() == 0


@pytest.mark.timing
def test_half_a_request_is_answered_408(service: Launch) -> None:
    begun = time.monotonic()
    assert statuses_of(service, GET) == [408]
    assert 9 < time.monotonic() - begun < 14
