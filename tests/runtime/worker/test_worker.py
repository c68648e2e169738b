"""The worker as gunicorn runs it, with a small application."""

from __future__ import annotations

import http.client
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.nodes import wait_for
from tests.processes import has_pending, suspend

ROOT = Path(__file__).parents[3]
GET = b"GET %b HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Server:
    """One gunicorn with two workers, of two threads each."""

    def __init__(self, listener: socket.socket, process: subprocess.Popen[bytes]) -> None:
        self.address: tuple[str, int] = listener.getsockname()[:2]
        self.process = process

    def connect(self) -> socket.socket:
        return socket.create_connection(self.address, timeout=10)

    def get(self, path: str) -> tuple[int, bytes]:
        with closing(http.client.HTTPConnection(*self.address, timeout=10)) as connection:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read()

    def workers(self) -> list[int]:
        """The two workers, once each of them has answered a request."""
        pids: set[int] = set()
        while len(pids) < 2:
            pids.add(int(self.get("/pid")[1]))
        return list(pids)


def _limit_files(files: int) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))


@contextmanager
def serving(
    folder: Path, *arguments: str, files: int | None = None, **settings: str
) -> Iterator[Server]:
    """A web server, each process of which may open so many files."""
    with socket.create_server(("127.0.0.1", 0), backlog=200) as listener:
        number = listener.fileno()
        os.set_inheritable(number, True)
        with (folder / "gunicorn.txt").open("wb") as output:
            process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "gunicorn"),
                    *("--config", "python:service.runtime.gunicorn_conf"),
                    *(
                        "--bind",
                        f"fd://{number}",
                        *arguments,
                        "tests.runtime.worker.worker_app:app",
                    ),
                ],
                cwd=ROOT,
                env=os.environ | {"WORKERS": "2", "THREADS": "2", "HELD": str(folder)} | settings,
                pass_fds=[number],
                stderr=output,
                preexec_fn=None if files is None else partial(_limit_files, files),  # noqa: PLW1509
            )
        server = Server(listener, process)
    try:
        assert server.get("/") == (200, b"hello")
        yield server
    finally:
        process.terminate()
        process.wait(20)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("gunicorn"), WORKERS="1") as one:
        yield one


def received_until(connection: socket.socket, end: bytes) -> bytes:
    received = b""
    while not received.endswith(end):
        piece = connection.recv(65_536)
        assert piece, received
        received += piece
    return received


def rest(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(65_536), b""))


# Keep-alive


@pytest.mark.parametrize(
    ("request_", "is_kept"),
    [
        (GET % b"/", True),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", False),
        (b"GET / HTTP/1.0\r\n\r\n", False),
        (b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", True),
    ],
)
def test_a_response_says_how_long_its_connection_is_kept_if_it_is(
    server: Server, request_: bytes, is_kept: bool
) -> None:
    with server.connect() as connection:
        connection.sendall(request_)
        head = received_until(connection, b"hello").partition(b"\r\n\r\n")[0]

        assert (b"\r\nKeep-Alive: timeout=75" in head) == is_kept
        assert (b"\r\nConnection: keep-alive\r\n" in head) == is_kept
        assert (b"\r\nConnection: close\r\n" in head) != is_kept
        if is_kept:
            connection.sendall(request_)
            assert received_until(connection, b"hello")
        else:
            assert rest(connection) == b""


def test_an_idle_connection_is_kept_for_the_set_time(tmp_path: Path) -> None:
    with serving(tmp_path, KEEPALIVE_SECONDS="1") as server, server.connect() as connection:
        connection.sendall(GET % b"/")
        assert b"Keep-Alive: timeout=1\r\n" in received_until(connection, b"hello")
        begun = time.monotonic()

        assert rest(connection) == b""
        assert time.monotonic() - begun > 1


# Requests that end badly


def test_an_application_that_fails_after_the_head_cuts_the_response_off(server: Server) -> None:
    with server.connect() as connection:
        connection.sendall(GET % b"/breaks")
        received = rest(connection)

    assert received.endswith(b"\r\n\r\nbegun")
    assert received.count(b"HTTP/1.1") == 1


def test_a_body_in_broken_chunks_is_an_os_error_for_the_application(server: Server) -> None:
    head = b"POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    with server.connect() as connection:
        connection.sendall(head + b"2\r\n{}!!0\r\n\r\n")

        assert rest(connection).endswith(b"\r\n\r\nUnreadableBodyError")


def test_after_a_broken_body_that_nobody_read_the_connection_is_closed(server: Server) -> None:
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    with server.connect() as connection:
        connection.sendall(head + b"2\r\n{}!!0\r\n\r\n" + GET % b"/")
        received = rest(connection)

    assert re.findall(rb"HTTP/1\.1 (\d+)", received) == [b"200"]


# Headers that gunicorn would take for those of a proxy


@pytest.mark.parametrize("header", ["SCRIPT_NAME: /x", "PATH_INFO: /pid", "SCRIPT_NAME: /"])
def test_no_header_of_a_client_changes_the_path(server: Server, header: str) -> None:
    request = b"GET / HTTP/1.1\r\nHost: localhost\r\n%b\r\nConnection: close\r\n\r\n"
    with server.connect() as connection:
        connection.sendall(request % header.encode())

        assert rest(connection).endswith(b"\r\n\r\nhello")


def test_no_header_of_a_client_changes_the_scheme(server: Server) -> None:
    forwarded = b"X-Forwarded-Proto: https\r\nX-Forwarded-Ssl: off\r\n"
    with server.connect() as connection:
        connection.sendall(b"GET /scheme HTTP/1.1\r\nHost: localhost\r\n" + forwarded + b"\r\n")

        assert received_until(connection, b"http").startswith(b"HTTP/1.1 200 ")


# Streams


def test_a_stream_goes_on_after_its_request_was_answered(server: Server) -> None:
    with server.connect() as connection:
        connection.sendall(GET % b"/events")

        received = received_until(connection, b"second;\r\n")

    head, _, body = received.partition(b"\r\n\r\n")
    assert b"\r\nTransfer-Encoding: chunked" in head
    assert body.replace(b"\r\n", b"") in {b"6first;7second;", b"Dfirst;second;"}


def test_a_stream_to_http_1_0_is_not_chunked(server: Server) -> None:
    with server.connect() as connection:
        connection.sendall(b"GET /poll HTTP/1.0\r\n\r\n")

        head, _, body = rest(connection).partition(b"\r\n\r\n")

    assert b"Transfer-Encoding" not in head
    assert b"\r\nConnection: close" in head
    assert body == b"answer"


def test_after_a_stream_its_connection_serves_the_next_request(server: Server) -> None:
    with closing(http.client.HTTPConnection(*server.address, timeout=10)) as connection:
        for _ in range(3):
            connection.request("GET", "/poll")
            sock = connection.sock
            assert connection.getresponse().read() == b"answer"
            assert connection.sock is sock


def test_streams_hold_no_thread_and_no_place_of_a_connection(tmp_path: Path) -> None:
    files = 120
    with serving(tmp_path, files=files, WORKERS="1") as server, ExitStack() as stack:
        streams = []
        for _ in range(files // 2):
            connection = stack.enter_context(server.connect())
            connection.sendall(GET % b"/events")
            received_until(connection, b"first;\r\n")
            streams.append(connection)
        assert server.get("/events")[0] == 429

        crowd = [stack.enter_context(server.connect()) for _ in range(files // 3 + 20)]
        assert server.get("/") == (200, b"hello")

        assert rest(crowd[0]) == b""
        for connection in streams:
            assert received_until(connection, b"second;\r\n")


def wait_until_closed(server: Server, query: str) -> None:
    deadline = time.monotonic() + 20
    while query.encode() not in server.get("/closed")[1].split():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_the_application_is_told_of_a_stream_whose_client_left(server: Server) -> None:
    with server.connect() as connection:
        connection.sendall(GET % b"/events?leaves")
        received_until(connection, b"first;\r\n")

    wait_until_closed(server, "leaves")


def test_a_client_that_does_not_read_its_stream_is_disconnected(server: Server) -> None:
    with server.connect() as connection:
        connection.sendall(GET % b"/events?endless")

        wait_until_closed(server, "endless")


def test_a_stream_may_begin_with_more_than_may_be_unsent(server: Server) -> None:
    size = 5_000_000

    assert server.get(f"/events?long={size}") == (200, b"x" * size)


def test_a_stream_that_is_opened_and_not_used_is_closed(server: Server) -> None:
    assert server.get("/events?refused") == (409, b"no")

    wait_until_closed(server, "refused")


def test_at_sigterm_a_stream_ends_cleanly(tmp_path: Path) -> None:
    with serving(tmp_path) as server, server.connect() as connection:
        connection.sendall(GET % b"/events")
        received_until(connection, b"second;\r\n")

        server.process.terminate()

        assert rest(connection) == b"0\r\n\r\n"
        connection.close()
        assert server.process.wait(10) == 0


# The stop


def test_requests_in_the_queue_at_sigterm_are_answered(tmp_path: Path) -> None:
    with serving(tmp_path) as server, ExitStack() as stack:
        workers = server.workers()
        for worker in workers:
            suspend(worker)
        waiting = [stack.enter_context(server.connect()) for _ in range(50)]
        for connection in waiting:
            connection.sendall(GET % b"/")
        server.process.terminate()
        for worker in workers:
            while not has_pending(worker, signal.SIGTERM):
                time.sleep(0.01)
            os.kill(worker, signal.SIGCONT)

        for connection in waiting:
            # To the end of the stream: a connection that was said to be kept is closed as well.
            assert rest(connection).startswith(b"HTTP/1.1 200 ")
            connection.close()
        assert server.process.wait(10) == 0


@contextmanager
def held_request(server: Server, folder: Path) -> Iterator[socket.socket]:
    """A connection whose request a thread is answering; the end releases it."""
    with server.connect() as connection:
        connection.sendall(b"GET /held HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        while not (folder / "begun").exists():
            time.sleep(0.005)
        yield connection
        (folder / "released").touch()
        assert rest(connection).endswith(b"held")


def test_after_sigterm_new_connections_are_refused_while_requests_are_answered(
    tmp_path: Path,
) -> None:
    with serving(tmp_path) as server, held_request(server, tmp_path):
        server.process.terminate()
        deadline = time.monotonic() + 8  # less than the time that requests have at a stop
        refused = False
        while not refused and time.monotonic() < deadline:
            try:
                server.connect().close()
            except ConnectionRefusedError:
                refused = True

        assert refused


def test_a_worker_whose_first_thread_follows_ends_at_sigterm(tmp_path: Path) -> None:
    with serving(tmp_path, WORKERS="1") as server:
        with held_request(server, tmp_path):
            assert server.get("/") == (200, b"hello")
        assert server.get("/") == (200, b"hello")
        server.process.terminate()

        assert server.process.wait(7) == 0, "less than gunicorn gives a worker before it is killed"


def test_every_worker_ends_when_all_processes_get_sigterm_at_once(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        workers = server.workers()
        with held_request(server, tmp_path):
            for pid in (*workers, server.process.pid):
                os.kill(pid, signal.SIGTERM)
        assert server.process.wait(10) == 0


# Turns


def test_what_waits_is_answered_in_turn_by_address(tmp_path: Path) -> None:
    """However many requests of one address wait already, another's is among the next."""
    settings = {"WORKERS": "1", "THREADS": "1", "TRUSTED_PROXIES": "1"}
    with serving(tmp_path, **settings) as one, ExitStack() as opened:

        def sent(path: bytes, address: bytes) -> socket.socket:
            connection = opened.enter_context(one.connect())
            connection.sendall(
                b"GET %b HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: %b\r\n"
                b"Connection: close\r\n\r\n" % (path, address)
            )
            return connection

        held = [sent(b"/held", b"192.0.2.1")]
        wait_for((tmp_path / "begun").exists, "the request that holds its thread")
        held.append(sent(b"/held", b"192.0.2.1"))  # holds the other thread
        flood = [sent(b"/number", b"192.0.2.1") for _ in range(20)]
        ann = sent(b"/number", b"192.0.2.2")
        time.sleep(0.5)
        (tmp_path / "released").touch()
        numbers = [int(rest(each).rpartition(b"\r\n")[2]) for each in (*flood, ann)]
        assert sorted(numbers) == list(range(1, 22))
        assert numbers[-1] <= 4
        assert all(rest(each).endswith(b"held") for each in held)
