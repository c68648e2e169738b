"""The start of the running service: what it says, what it refuses, and that it ends."""

import os
import signal
import socket
import sys
import time
from pathlib import Path

import pytest
import requests

from service.runtime.start_message import own_addresses
from tests.nodes import wait_for
from tests.processes import left_after
from tests.system.launch import Launch, create_game, version

_NEVER_ANSWERED = """
import sys
from service.config import Config
from service.runtime import supervisor, web_server
web_server._PROBE_PATH = "/nowhere"
sys.exit(supervisor.Supervisor(Config.from_environ(__import__("os").environ), {seconds}).run())
"""


def test_it_prints_where_it_serves_and_where_the_data_are_once_it_answers(tmp_path: Path) -> None:
    with Launch(tmp_path) as service:
        url = service.url()

        assert requests.get(f"{url}/healthz", timeout=5).status_code == 200
        assert requests.get(f"{url}/readyz", timeout=5).status_code == 200
        assert service.said(r"data in (.+), valkey-\d+\.\d+\n")[1] == str(service.data_dir)


def test_a_request_to_stop_during_the_start_is_heard(tmp_path: Path) -> None:
    # Python imports this module at its start: gunicorn then answers nothing for a while.
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, time\ntime.sleep(60 * ('gunicorn' in ' '.join(sys.orig_argv)))\n"
    )
    with Launch(tmp_path, PYTHONPATH=str(tmp_path)) as service:
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
        ("DATA_DIR", "/dev/null", 1, "DATA_DIR is /dev/null: it is a file"),
        ("DATA_DIR", "/dev/null/data", 1, "DATA_DIR is /dev/null/data: it is a file"),
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


def test_a_given_redis_is_used_and_no_server_started_beside_it(
    tmp_path: Path, redis_url: str
) -> None:
    with Launch(tmp_path, REDIS_URL=redis_url) as service:
        game = create_game(service.url())

        assert version(game) == 1
        assert not any("valkey-server" in member.command for member in service.family())
        assert not service.data_dir.exists()
        assert service.said(r"data in (.+)\n")[1] == redis_url


def test_unknown_words_start_no_server(tmp_path: Path) -> None:
    with Launch(tmp_path, ("-m", "service", "nonsense")) as service:
        assert service.ended(10) == 2
        assert "invalid choice: 'nonsense'" in service.output
        assert not service.data_dir.exists()


def test_a_script_name_in_the_environment_is_ignored_with_a_warning(tmp_path: Path) -> None:
    with Launch(tmp_path, SCRIPT_NAME="/cards") as service:
        url = service.url()

        assert requests.get(f"{url}/readyz", timeout=5).status_code == 200
        assert (
            "SCRIPT_NAME is ignored: for a service under a prefix set ROOT_PATH" in service.output
        )


def test_a_service_under_a_prefix_starts_and_names_its_page(tmp_path: Path) -> None:
    with Launch(tmp_path, ROOT_PATH="/cards") as service:
        page = service.said(r"try the API out at (\S+)\)")[1]

        assert page == f"{service.url()}/cards/v1/docs"
        assert requests.get(page, timeout=5).status_code == 200


def test_a_start_that_is_never_answered_ends_and_says_what_was_asked(tmp_path: Path) -> None:
    with Launch(tmp_path, ("-c", _NEVER_ANSWERED.format(seconds=5))) as service:
        pids = service.pids()
        assert service.ended(20) == 1
        assert not left_after(pids, 1)
        assert service.said(
            r"did not answer GET http://127\.0\.0\.1:\d+/nowhere with 200 within 5 s; "
            r"its last answer: 404 "
        )


def test_the_storage_is_watched_while_the_first_answer_is_awaited(tmp_path: Path) -> None:
    with Launch(tmp_path, ("-c", _NEVER_ANSWERED.format(seconds=60))) as service:
        while not any("gunicorn" in member.command for member in service.family()):
            time.sleep(0.01)

        os.kill(service.member("valkey-server"), signal.SIGKILL)

        service.said("the storage serves reads and writes again")
        assert "serving at" not in service.output


def test_a_service_that_listens_everywhere_names_its_addresses_and_what_to_set(
    tmp_path: Path,
) -> None:
    with Launch(tmp_path, HOST="0.0.0.0") as service:
        url = service.url()
        service.said("the engine runs")
        port = url.rpartition(":")[2]

        for address in own_addresses("0.0.0.0"):
            assert f"http://{address}:{port}" in service.output
            refused = requests.get(f"http://{address}:{port}/v1/problems", timeout=5)
            assert not refused.ok
            assert f"ALLOWED_HOSTS={address}" in service.output


def test_a_storage_that_is_not_there_is_reported_once(tmp_path: Path) -> None:
    with Launch(tmp_path, REDIS_URL="redis://127.0.0.1:1/0") as service:
        told = service.said(r"not ready: (.+)\n")[1]
        answer = requests.get(f"{service.url()}/readyz", timeout=10)

        assert answer.status_code == 503
        assert answer.json()["detail"].lower().startswith(told)
        assert service.output.count("not ready") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="nothing is always full here")
def test_a_start_whose_output_nobody_takes_serves_all_the_same(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as place:
        port = place.getsockname()[1]
    code = "import os; os.dup2(os.open('/dev/full', os.O_WRONLY), 1); os.execv({0!r}, {1!r})"
    command = [sys.executable, "-m", "service"]
    with Launch(tmp_path, ("-c", code.format(sys.executable, command)), PORT=str(port)) as service:
        wait_for(lambda: _is_served(port), "an answer")
        service.send(signal.SIGTERM)
        assert service.ended() == 0


def _is_served(port: int) -> bool:
    try:
        return requests.get(f"http://127.0.0.1:{port}/readyz", timeout=5).status_code == 200
    except requests.RequestException:
        return False
