"""The embedded server: its data, its places and its refusals."""

import importlib.util
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from service.runtime.embedded.embedded_server import EmbeddedServer
from service.runtime.embedded.server_program import EmbeddedServerError, ServerProgram, bundled_path
from tests.nodes import throwaway_server


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


def test_a_log_that_cannot_be_written_stops_no_start(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path) as server:
        log = tmp_path / str(server.program) / "server.log"
    log.unlink()
    log.mkdir()

    with EmbeddedServer(tmp_path) as server:
        assert ask(server, "PING") is True


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
    monkeypatch.setattr("service.runtime.embedded.embedded_server._START_SECONDS", 0.1)

    with pytest.raises(EmbeddedServerError, match="does not answer: its log is empty"):
        EmbeddedServer(tmp_path / "data", program=program).__enter__()


def test_a_log_that_grew_long_starts_anew(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path) as server:
        log = tmp_path / str(server.program) / "server.log"
        assert "Ready to accept connections" in log.read_text()
    with log.open("ab") as file:
        file.write(b"x" * (1 << 20))

    with EmbeddedServer(tmp_path):
        assert log.stat().st_size < 1 << 16
