"""The running service: its end in every way, what survives, and what is started again."""

import os
import signal
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from tests.processes import kill_all, left_after
from tests.system.launch import Launch, create_game, version

only_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells a child of its parent's end"
)
_REQUESTS_UNDER_WAY = 8


def test_a_game_survives_a_stop_and_a_new_start(tmp_path: Path) -> None:
    with Launch(tmp_path) as service:
        game = urlsplit(create_game(service.url())).path

    with Launch(tmp_path) as service:
        assert version(service.url() + game) == 1


def test_a_game_survives_the_kill_of_every_process_and_a_new_start(tmp_path: Path) -> None:
    with Launch(tmp_path) as service:
        game = urlsplit(create_game(service.url())).path
        pids = service.pids()
        kill_all(pids)
        service.ended()
        assert not left_after(pids, 10)

    with Launch(tmp_path) as service:
        assert version(service.url() + game) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_no_process_is_left_after_a_request_to_stop(tmp_path: Path, number: signal.Signals) -> None:
    with Launch(tmp_path, WORKERS="2") as service:
        service.url()
        pids = service.pids()
        assert len(pids) == 5  # supervisor, embedded server, gunicorn and its two workers

        service.send(number)

        assert service.ended() == 0
        assert not left_after(pids, 1)


@only_linux
def test_no_process_is_left_after_the_kill_of_the_supervisor(tmp_path: Path) -> None:
    with Launch(tmp_path) as service:
        service.url()
        pids = service.pids()

        service.send(signal.SIGKILL)

        assert service.ended() == -signal.SIGKILL
        assert not left_after(pids, 10)


@only_linux
def test_the_kill_of_the_supervisor_makes_room_for_a_new_start_at_once(tmp_path: Path) -> None:
    with Launch(tmp_path) as service:
        url = service.url()
        game = create_game(url)
        service.send(signal.SIGKILL)
        service.ended()

        with Launch(tmp_path, PORT=str(urlsplit(url).port)) as again:
            assert again.url() == url
            assert version(game) == 1


@only_linux
def test_the_kill_of_the_web_server_ends_the_service_with_a_message(tmp_path: Path) -> None:
    with Launch(tmp_path) as service:
        service.url()
        pids = service.pids()

        os.kill(service.member("gunicorn"), signal.SIGKILL)

        assert service.ended() == 1
        assert "the web server ended by itself, with code -9" in service.output
        assert not left_after(pids, 10)


def test_a_killed_worker_is_replaced(tmp_path: Path) -> None:
    with Launch(tmp_path) as service:
        url = service.url()
        worker = service.pids()[-1]

        os.kill(worker, signal.SIGKILL)
        assert not left_after([worker], 5)

        assert requests.get(f"{url}/readyz", timeout=20).status_code == 200


def test_a_request_under_way_is_answered_before_the_end(tmp_path: Path) -> None:
    with Launch(tmp_path) as service:
        with _half_a_request(service.url()) as connection:
            service.send(signal.SIGTERM)
            time.sleep(0.5)
            connection.sendall(b"}")
            answer = connection.recv(64)

        assert answer.startswith(b"HTTP/1.1 201 ")
        assert service.ended() == 0


def test_a_stop_of_every_process_at_once_leaves_the_requests_under_way_their_storage(
    tmp_path: Path,
) -> None:
    with Launch(tmp_path) as service, ExitStack() as stack:
        url = service.url()
        under_way = [stack.enter_context(_half_a_request(url)) for _ in range(_REQUESTS_UNDER_WAY)]
        pids = service.pids()
        for pid in pids:
            os.kill(pid, signal.SIGTERM)
        time.sleep(0.5)
        for connection in under_way:
            connection.sendall(b"}")

        answers = [connection.recv(12) for connection in under_way]

        assert answers == [b"HTTP/1.1 201"] * _REQUESTS_UNDER_WAY
        assert service.ended() == 0
        assert not left_after(pids, 1)


def test_a_storage_that_dies_during_a_stop_is_started_again_for_the_requests_under_way(
    tmp_path: Path,
) -> None:
    with Launch(tmp_path) as service:
        with _half_a_request(service.url()) as connection:
            server = service.member("valkey-server")
            service.send(signal.SIGTERM)
            os.kill(server, signal.SIGKILL)
            assert not left_after([server], 5)
            connection.sendall(b"}")
            assert connection.recv(12) == b"HTTP/1.1 201"

        assert service.ended() == 0


def test_a_second_request_to_stop_waits_for_nobody(tmp_path: Path) -> None:
    with Launch(tmp_path) as service, _half_a_request(service.url()):
        pids = service.pids()
        service.send(signal.SIGINT)
        time.sleep(0.5)
        assert service.process.poll() is None
        begun = time.monotonic()

        service.send(signal.SIGINT)

        assert service.ended() == 0
        assert time.monotonic() - begun < 5
        assert not left_after(pids, 1)


def test_an_embedded_server_that_dies_is_started_again_with_its_data(tmp_path: Path) -> None:
    with Launch(tmp_path) as service:
        game = create_game(service.url())
        old = service.member("valkey-server")

        os.kill(old, signal.SIGKILL)
        service.said(r"valkey-.* was killed by signal 9; it is started again in 0\.2 s")
        _wait_until_ready(service.url())

        assert version(game) == 1
        assert service.member("valkey-server") != old


def test_an_embedded_server_that_keeps_dying_is_started_again_and_again(tmp_path: Path) -> None:
    with Launch(tmp_path) as service, ThreadPoolExecutor(2) as pool:
        url = service.url()
        game = create_game(url)
        for pause in ("0.2", "0.4", "0.8", "1.6", "3.2", "5.0"):
            _wait_until_ready(url)
            os.kill(service.member("valkey-server"), signal.SIGKILL)
            service.said(rf"it is started again in {pause} s\n")
            assert requests.get(f"{url}/healthz", timeout=5).status_code == 200

        read = pool.submit(requests.get, game, timeout=10)
        write = pool.submit(requests.post, f"{url}/v1/games", timeout=10)

        for refused in (read.result(), write.result()):
            assert refused.status_code == 503
            assert refused.headers["Retry-After"] == "2"
        _wait_until_ready(url)
        assert version(game) == 1
        assert service.process.poll() is None


def _half_a_request(url: str) -> socket.socket:
    """Send all of a request but the last byte of its body."""
    address = urlsplit(url)
    connection = socket.create_connection((address.hostname, address.port), timeout=20)
    connection.sendall(
        b"POST /v1/games HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: 2\r\nConnection: close\r\n\r\n{"
    )
    time.sleep(0.2)  # so that it is under way
    return connection


def _wait_until_ready(url: str) -> None:
    deadline = time.monotonic() + 20
    while requests.get(f"{url}/readyz", timeout=20).status_code != 200:
        assert time.monotonic() < deadline
        time.sleep(0.05)
