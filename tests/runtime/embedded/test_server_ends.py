"""The ends of an embedded server: asked for, by a kill, by a full disk; and its read-only mode."""

import errno
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import ConnectionError as LostConnectionError
from redis import ReadOnlyError, Redis, ResponseError

from service.runtime.embedded.embedded_server import EmbeddedServer
from tests.chaos.crashes.full_disk import FileLimit, set_limit
from tests.nodes import wait_for
from tests.processes import left_after


@pytest.fixture
def server(tmp_path: Path) -> Iterator[EmbeddedServer]:
    with EmbeddedServer(tmp_path / "data") as running:
        yield running


def file_of(server: EmbeddedServer) -> Path:
    (file,) = server.data_dir.glob("*/appendonlydir/*.incr.aof")
    return file


def ask(server: EmbeddedServer, *command: str) -> object:
    with Redis.from_url(server.url, decode_responses=True) as client:
        return client.execute_command(*command)


def test_a_request_to_all_processes_to_stop_does_not_reach_it(server: EmbeddedServer) -> None:
    assert server.pid is not None

    os.kill(server.pid, signal.SIGTERM)

    assert ask(server, "SET", "word", "kept") is True
    status = Path(f"/proc/{server.pid}/status")
    if status.exists():  # it waits there, blocked
        pending = re.search(r"ShdPnd:\t(\w+)", status.read_text())
        assert pending is not None
        assert int(pending[1], 16) & 1 << (signal.SIGTERM - 1)


def test_a_stop_has_it_write_everything_to_disk(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path, append_fsync="no") as server:
        ask(server, "SET", "word", "kept")
    log = (tmp_path / str(server.program) / "server.log").read_text()

    assert "Calling fsync() on the AOF file" in log


def test_a_read_only_server_serves_reads_and_changes_no_file(server: EmbeddedServer) -> None:
    ask(server, "SET", "word", "kept")
    ask(server, "SET", "short", "lived", "PX", "1")
    server.kill()
    file = file_of(server)
    length = file.stat().st_size

    server.spawn(read_only=True)
    wait_for(server.answers, "an answer")

    assert ask(server, "GET", "word") == "kept"
    assert ask(server, "GET", "short") is None
    with pytest.raises(ReadOnlyError):
        ask(server, "SET", "word", "new")
    assert file.stat().st_size == length

    assert server.accept_writes()
    assert ask(server, "SET", "word", "new") is True
    assert file.stat().st_size > length


def test_a_dead_server_accepts_no_writes(server: EmbeddedServer) -> None:
    server.kill()

    assert not server.answers()
    assert not server.accept_writes()


def test_it_tells_a_kill_from_an_end_by_itself(server: EmbeddedServer) -> None:
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    wait_for(lambda: not server.is_running(), "its death")

    assert not server.ended_by_itself()
    assert re.fullmatch(r"valkey-\S+ was killed by signal 9", server.describe_end())


def test_it_tells_a_stop_from_an_end_by_itself(server: EmbeddedServer) -> None:
    assert server.pid is not None
    os.kill(server.pid, signal.SIGINT)
    wait_for(lambda: not server.is_running(), "its end")

    assert not server.ended_by_itself()
    assert re.fullmatch(r"valkey-\S+ was stopped", server.describe_end())


@pytest.mark.parametrize("append_fsync", ["everysec", "no"])
def test_without_a_flush_before_each_answer_it_refuses_writes_and_stays(
    tmp_path: Path, append_fsync: str
) -> None:
    def is_refused() -> bool:
        try:
            ask(server, "SET", "word", "y" * 10_000)
        except ResponseError as error:
            return str(error).startswith("MISCONF")
        return False

    disk = FileLimit(tmp_path)
    program = Path(disk.settings["REDIS_SERVER"])
    data = tmp_path / "data"
    with EmbeddedServer(data, program=program, append_fsync=append_fsync) as server:
        ask(server, "SET", "word", "x" * 10_000)
        wait_for(lambda: file_of(server).stat().st_size > 10_000, "a write")
        assert server.pid is not None
        disk.limit(server.data_dir, [server.pid])
        wait_for(is_refused, "a refused write")
        assert str(ask(server, "GET", "word")).strip("xy") == ""

        set_limit([server.pid], resource.RLIM_INFINITY)

        wait_for(lambda: not is_refused(), "an accepted write")


def test_a_server_that_cannot_write_ends_by_itself_and_the_reason_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_folder: Path) -> None:
        raise OSError(errno.ENOSPC, "full")

    disk = FileLimit(tmp_path)
    program = Path(disk.settings["REDIS_SERVER"])
    with EmbeddedServer(tmp_path / "data", program=program) as server:
        ask(server, "SET", "word", "x" * 10_000)  # so that the log has room below the limit
        assert server.pid is not None
        disk.limit(server.data_dir, [server.pid])

        with pytest.raises(LostConnectionError):
            ask(server, "SET", "word", "x" * 10_000)
        wait_for(lambda: not server.is_running(), "its end")

        assert server.ended_by_itself()
        assert "ended by itself with code 1: " in server.describe_end()
        assert "Can't recover from AOF write error" in server.describe_end()
        monkeypatch.setattr("service.runtime.embedded.embedded_server.check_room", full)
        assert f"DATA_DIR is {server.data_dir}: there is no room left" in server.describe_end()


def test_a_server_that_ignores_the_request_to_stop_is_ended(
    server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.runtime.embedded.embedded_server._STOP_SECONDS", 0.1)
    assert server.pid is not None
    os.kill(server.pid, signal.SIGSTOP)

    server.stop()

    assert not server.is_running()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's end")
def test_the_server_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    code = (
        "import os, pathlib, signal, sys\n"
        "from service.runtime.embedded.embedded_server import EmbeddedServer\n"
        f"server = EmbeddedServer(pathlib.Path({str(tmp_path)!r})).__enter__()\n"
        "print(server.pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    with tempfile.TemporaryDirectory() as temporary:  # for the folder of the socket that is left
        dead = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"TMPDIR": temporary},
            capture_output=True,
            text=True,
            check=False,
        )
        assert not left_after([int(dead.stdout)], 10)

    assert dead.returncode == -signal.SIGKILL
