"""The embedded server: its data, its places, its lock and its refusals."""

import fcntl
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from service.runtime.data_lock import DataInUseError, DataLock
from service.runtime.embedded_server import (
    EmbeddedServer,
    throwaway_server,
)
from service.runtime.server_program import EmbeddedServerError, ServerProgram, bundled_path
from tests.processes import left_after


@pytest.fixture
def server(tmp_path: Path) -> Iterator[EmbeddedServer]:
    with EmbeddedServer(tmp_path / "data") as running:
        yield running


def ask(server: EmbeddedServer, *command: str) -> object:
    with Redis.from_url(server.url, decode_responses=True) as client:
        return client.execute_command(*command)


def test_it_answers_at_a_socket_that_only_its_user_can_reach(server: EmbeddedServer) -> None:
    path = Path(server.url.removeprefix("unix://"))

    assert ask(server, "PING") is True
    assert ask(server, "CONFIG", "GET", "port") == {"port": "0"}
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0
    assert len(os.fsencode(path)) < 104


def test_it_never_evicts_and_appends_every_change_to_a_file(server: EmbeddedServer) -> None:
    settings = {}
    for name in ("maxmemory-policy", "appendonly", "appendfsync", "save"):
        settings.update(ask(server, "CONFIG", "GET", name))

    assert settings == {
        "maxmemory-policy": "noeviction",
        "appendonly": "yes",
        "appendfsync": "always",
        "save": "",
    }


def test_the_setting_of_the_disk_flush_reaches_the_server(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path, append_fsync="no") as server:
        assert ask(server, "CONFIG", "GET", "appendfsync") == {"appendfsync": "no"}


def test_the_data_lie_in_a_folder_named_after_the_program(server: EmbeddedServer) -> None:
    folder = server.data_dir / f"{server.program.name}-{server.program.version}"

    assert server.program.name == "valkey"
    assert (folder / "appendonlydir").is_dir()


def test_data_survive_a_killed_server(server: EmbeddedServer) -> None:
    ask(server, "SET", "word", "kept")

    server.kill()
    assert not server.is_running()
    server.start()

    assert ask(server, "GET", "word") == "kept"


def test_data_survive_a_stop_and_a_new_start(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path) as server:
        ask(server, "SET", "word", "kept")
    with EmbeddedServer(tmp_path) as server:
        assert ask(server, "GET", "word") == "kept"


def test_nothing_is_left_beside_the_data_after_a_stop(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path) as server:
        pid, place = server.pid, Path(server.url.removeprefix("unix://")).parent
        assert place.exists()

    assert not place.exists()
    assert server.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid or 0, 0)


def test_a_throwaway_server_takes_its_data_with_it() -> None:
    with throwaway_server() as server:
        assert ask(server, "PING") is True
        folder = server.data_dir

    assert not folder.exists()


def test_a_second_server_on_the_same_data_is_refused_and_names_the_first(
    server: EmbeddedServer,
) -> None:
    second = EmbeddedServer(server.data_dir)

    with pytest.raises(DataInUseError, match=f"in use by process {os.getpid()};") as refused:
        second.lock()

    assert refused.value.holder == os.getpid()
    assert ask(server, "PING") is True


def test_a_lock_that_a_dead_process_left_to_its_server_is_waited_for(tmp_path: Path) -> None:
    left = _locked_by_nobody(tmp_path)
    threading.Timer(0.2, os.close, [left]).start()
    lock = DataLock(tmp_path)

    lock.acquire(timeout_seconds=10)

    assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"
    lock.release()


def test_a_lock_that_nobody_frees_is_refused_in_the_end(tmp_path: Path) -> None:
    left = _locked_by_nobody(tmp_path)

    with pytest.raises(DataInUseError, match="in use by"):
        DataLock(tmp_path).acquire(timeout_seconds=0.1)

    os.close(left)


def test_a_lock_without_a_readable_holder_is_refused_in_the_end(tmp_path: Path) -> None:
    left = _locked_by_nobody(tmp_path)
    (tmp_path / "lock").write_text("?")

    with pytest.raises(DataInUseError, match="in use by another process;"):
        DataLock(tmp_path).acquire(timeout_seconds=0.1)

    os.close(left)


def test_a_holder_that_belongs_to_another_user_counts_as_alive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_process: int, _signal: int) -> None:
        raise PermissionError

    left = _locked_by_nobody(tmp_path)
    monkeypatch.setattr(os, "kill", refuse)

    with pytest.raises(DataInUseError, match=r"in use by process \d+;"):
        DataLock(tmp_path).acquire(timeout_seconds=60)

    os.close(left)


def test_a_lock_that_is_not_taken_has_no_descriptor(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="not taken"):
        DataLock(tmp_path).fileno()


def test_a_folder_of_the_socket_that_others_can_enter_is_refused(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path)
    folder = Path(server.url.removeprefix("unix://")).parent
    folder.mkdir()
    folder.chmod(0o755)

    with pytest.raises(EmbeddedServerError, match=f"{folder} belongs to somebody else"):
        server.__enter__()

    assert not server.is_running()


def test_a_link_in_place_of_the_folder_of_the_socket_is_refused(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path / "data")
    folder = Path(server.url.removeprefix("unix://")).parent
    folder.symlink_to(tmp_path)

    with pytest.raises(EmbeddedServerError, match=f"{folder} belongs to somebody else"):
        server.__enter__()

    folder.unlink()


def test_the_socket_has_a_short_path_whatever_the_folder_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / ("long" * 30)))

    with EmbeddedServer(tmp_path / "data") as server:
        assert server.url.startswith("unix:///tmp/three-thirteen-")
        assert ask(server, "PING") is True


def test_each_data_directory_has_its_own_socket_at_every_start(tmp_path: Path) -> None:
    urls = [EmbeddedServer(tmp_path / name).url for name in ("one", "two", "one")]

    assert urls[0] != urls[1]
    assert urls[0] == urls[2]


def test_a_platform_without_the_program_is_asked_for_redis_url(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)

    with pytest.raises(EmbeddedServerError, match="set REDIS_URL, such as redis://"):
        bundled_path()


def test_another_program_can_be_named(tmp_path: Path) -> None:
    program = tmp_path / "redis-server"
    program.write_text("#!/bin/sh\necho 'Redis server v=7.0.15 sha=00000000:0 bits=64'\n")
    program.chmod(0o700)

    assert str(ServerProgram.at(program)) == "redis-7.0"


@pytest.mark.parametrize(
    ("program", "problem"),
    [("/bin/true", "neither a Valkey nor a Redis server"), ("/no/server", "cannot be run")],
)
def test_a_program_that_is_no_server_is_refused(program: str, problem: str) -> None:
    with pytest.raises(EmbeddedServerError, match=f"{program} .*{problem}"):
        EmbeddedServer(Path("unused"), program=Path(program))


def test_a_server_that_cannot_read_its_data_is_reported_with_the_last_line_of_its_log(
    tmp_path: Path,
) -> None:
    with EmbeddedServer(tmp_path) as server:
        manifest = tmp_path / str(server.program) / "appendonlydir" / "appendonly.aof.manifest"
    manifest.write_text("nonsense\n")

    with pytest.raises(EmbeddedServerError, match=r"valkey-\d+\.\d+ ended: .+server\.log"):
        server.__enter__()


def test_a_server_that_never_answers_is_ended_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "valkey-server"
    program.write_text(
        "#!/bin/sh\n"
        '[ "$1" = --version ] && echo "Valkey server v=9.1.2 sha=0" && exit\n'
        "exec sleep 60\n"
    )
    program.chmod(0o700)
    monkeypatch.setattr("service.runtime.embedded_server._START_SECONDS", 0.1)

    with pytest.raises(EmbeddedServerError, match="does not answer: its log is empty"):
        EmbeddedServer(tmp_path / "data", program=program).__enter__()


def test_a_server_that_ignores_the_request_to_stop_is_ended(
    server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.runtime.embedded_server._STOP_SECONDS", 0.1)
    assert server.pid is not None
    os.kill(server.pid, signal.SIGSTOP)

    server.stop()

    assert not server.is_running()


def test_a_log_that_grew_long_starts_anew(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path) as server:
        log = tmp_path / str(server.program) / "server.log"
        assert "Ready to accept connections" in log.read_text()
    with log.open("ab") as file:
        file.write(b"x" * (1 << 20))

    with EmbeddedServer(tmp_path):
        assert log.stat().st_size < 1 << 16


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's end")
def test_the_server_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    code = (
        "import os, pathlib, signal, sys\n"
        "from service.runtime.embedded_server import EmbeddedServer\n"
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


def _locked_by_nobody(folder: Path) -> int:
    """Lock the folder in the name of a process that has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT)
    os.write(lock, f"{ended.pid}\n".encode())
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock
