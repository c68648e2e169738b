"""The running service: its start, its end in every way, and what survives."""

import os
import signal
import socket
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from tests.processes import kill_all, left_after
from tests.system.launch import Launch, create_game, version

only_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells a child of its parent's end"
)


def test_it_prints_where_it_serves_and_where_the_data_are_once_it_answers(tmp_path: Path) -> None:
    with Launch(tmp_path) as service:
        url = service.url()

        assert requests.get(f"{url}/healthz", timeout=5).status_code == 200
        assert requests.get(f"{url}/readyz", timeout=5).status_code == 200
        assert service.said(r"data in (.+), valkey-\d+\.\d+\n")[1] == str(service.data_dir)


@pytest.mark.timing
def test_a_second_start_takes_less_than_two_seconds(tmp_path: Path) -> None:
    with Launch(tmp_path) as service:
        create_game(service.url())

    taken = []
    for _ in range(3):  # the quickest counts: other tests run at the same time
        begun = time.monotonic()
        with Launch(tmp_path) as service:
            service.url()
            taken.append(time.monotonic() - begun)
    assert min(taken) < 2


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
    with Launch(tmp_path) as service:
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
def test_the_kill_of_the_web_server_ends_the_service_with_a_word(tmp_path: Path) -> None:
    with Launch(tmp_path) as service:
        service.url()
        pids = service.pids()

        os.kill(service.member("gunicorn"), signal.SIGKILL)

        assert service.ended() == 1
        assert "the web server ended by itself, with code -9" in service.output
        assert not left_after(pids, 10)


def test_a_killed_worker_is_replaced(tmp_path: Path) -> None:
    with Launch(tmp_path, WORKERS="1") as service:
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


def test_a_request_to_stop_during_the_start_is_heard(tmp_path: Path) -> None:
    with Launch(tmp_path) as service:
        pids: list[int] = []
        while len(pids) < 3:  # supervisor, embedded server, gunicorn
            pids = service.pids()
            assert service.process.poll() is None, service.output

        service.send(signal.SIGTERM)

        assert service.ended() == 0
        assert not left_after(pids, 1)
        assert "serving" not in service.output


def test_a_second_start_on_the_same_data_is_refused_and_names_the_first(tmp_path: Path) -> None:
    with Launch(tmp_path) as first:
        url = first.url()
        with Launch(tmp_path) as second:
            assert second.ended() == 1
            assert second.output == (
                f"three-thirteen: the data in {first.data_dir} is in use by process "
                f"{first.process.pid}; stop it or set DATA_DIR to another folder\n"
            )
        assert requests.get(f"{url}/readyz", timeout=5).status_code == 200


def test_a_taken_port_is_named_and_nothing_is_started(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with Launch(tmp_path, PORT=str(port)) as service:
            assert service.ended(10) == 1
            assert service.output == (
                f"three-thirteen: 127.0.0.1:{port} is taken; stop what listens there or set PORT\n"
            )


@pytest.mark.parametrize(
    ("variable", "value", "code", "said"),
    [
        ("PORT", "http", 2, "PORT is 'http': expected a whole number from 0 to 65535"),
        ("HOST", "192.0.2.1", 1, "cannot listen at 192.0.2.1:0: "),
        ("DATA_DIR", "/dev/null/data", 1, "cannot start: "),
        ("REDIS_SERVER", "/no/server", 1, "/no/server cannot be run: "),
    ],
)
def test_a_setting_that_cannot_work_is_told_in_one_line(
    tmp_path: Path, variable: str, value: str, code: int, said: str
) -> None:
    with Launch(tmp_path, **{variable: value}) as service:
        assert service.ended(10) == code
        assert service.output.startswith(f"three-thirteen: {said}")
        assert service.output.count("\n") == 1


def test_an_embedded_server_that_dies_is_started_again_with_its_data(tmp_path: Path) -> None:
    with Launch(tmp_path) as service:
        game = create_game(service.url())
        old = service.member("valkey-server")

        os.kill(old, signal.SIGKILL)
        service.said("valkey-.* died and is started again")
        _wait_until_ready(service.url())

        assert version(game) == 1
        assert service.member("valkey-server") != old


def test_an_embedded_server_that_keeps_dying_ends_the_service(tmp_path: Path) -> None:
    with Launch(tmp_path) as service:
        url = service.url()
        pids = service.pids()
        for deaths in range(1, 7):
            os.kill(service.member("valkey-server"), signal.SIGKILL)
            service.said(rf"(?s)(died.*){{{deaths}}}|gives up")
            if deaths < 6:
                _wait_until_ready(url)

        assert service.ended() == 1
        assert "keeps dying; the service gives up" in service.output
        assert not left_after(pids, 1)


def test_a_given_redis_is_used_and_no_server_started_beside_it(
    tmp_path: Path, redis_url: str
) -> None:
    with Launch(tmp_path, REDIS_URL=redis_url) as service:
        game = create_game(service.url())

        assert version(game) == 1
        assert not any("valkey-server" in member.command for member in service.family())
        assert not service.data_dir.exists()
        assert service.said(r"data in (.+)\n")[1] == redis_url


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
