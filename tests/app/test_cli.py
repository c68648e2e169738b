"""The command line: what each command does, and that nothing else starts a server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from service import __version__, cli
from tests.replays import abandoned

ROOT = Path(__file__).parents[2]


class Started:
    """Stands in for the supervisor, and counts its starts."""

    count = 0

    def __init__(self, config: object) -> None:
        self.config = config

    def run(self) -> int:
        Started.count += 1
        return 7


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> type[Started]:
    monkeypatch.setattr(cli, "Supervisor", Started)
    monkeypatch.setattr(Started, "count", 0)
    return Started


@pytest.mark.parametrize("arguments", [[], ["serve"]])
def test_it_serves_unless_told_otherwise(started: type[Started], arguments: list[str]) -> None:
    assert cli.main(arguments) == 7
    assert started.count == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["serve", "now"],
        ["verify"],
        ["backup"],
        ["--port", "80"],
        ["--vers"],
        ["version", "x"],
        [""],
    ],
)
def test_what_is_not_understood_is_refused_in_words(
    started: type[Started], capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    with pytest.raises(SystemExit) as refused:
        cli.main(arguments)

    assert refused.value.code == 2
    assert "error: " in capsys.readouterr().err
    assert started.count == 0


@pytest.mark.parametrize(
    "arguments", [["--help"], ["-h"], ["serve", "--help"], ["openapi", "-h"], ["verify", "-h"]]
)
def test_help_is_answered(
    started: type[Started], capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    with pytest.raises(SystemExit) as answered:
        cli.main(arguments)

    assert answered.value.code == 0
    assert "usage: " in capsys.readouterr().out
    assert started.count == 0


def test_a_setting_that_cannot_be_is_refused(
    started: type[Started], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PORT", "http")

    assert cli.main([]) == 2
    assert capsys.readouterr().err.startswith("three-thirteen: PORT is 'http': expected ")
    assert started.count == 0


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["version"]) == 0
    assert capsys.readouterr().out == f"{__version__}\n"


def test_the_api_description_is_written_where_it_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "description.json"

    assert cli.main(["openapi", str(place)]) == 0
    assert capsys.readouterr().out == f"wrote {place}\n"
    assert place.read_bytes() == (ROOT / "openapi" / "openapi.json").read_bytes()


def test_the_api_description_goes_to_stdout_without_a_place(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    assert cli.main(["openapi"]) == 0
    assert capfdbinary.readouterr().out == (ROOT / "openapi" / "openapi.json").read_bytes()


def test_a_replay_is_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "replay.json"
    place.write_text(json.dumps(abandoned(0)))
    assert cli.main(["verify", str(place)]) == 0
    assert capsys.readouterr().out.endswith("\nVERIFIED\n")

    place.write_text("{}")
    assert cli.main(["verify", str(place)]) == 2
    assert capsys.readouterr().err.startswith("not a replay: ")


def test_a_place_that_cannot_be_written_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["openapi", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"three-thirteen: cannot write {tmp_path}: Is a directory\n"


def test_the_name_of_the_program_is_how_it_was_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["/app/service/__main__.py"])
    assert cli._program() == "python -m service"
    monkeypatch.setattr("sys.argv", ["/usr/bin/three-thirteen"])
    assert cli._program() == "three-thirteen"


def test_a_backup_is_made_of_the_data_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "data"))
    assert cli.main(["backup", str(tmp_path / "copy")]) == 1
    assert "no backup was made: " in capsys.readouterr().err

    (tmp_path / "data/redis-6.2").mkdir(parents=True)
    (tmp_path / "data/redis-6.2/appendonly.aof").write_text("log")
    assert cli.main(["backup", str(tmp_path / "copy")]) == 0
    assert capsys.readouterr().out == f"wrote 3 bytes to {tmp_path / 'copy'}\n"


@pytest.mark.parametrize(
    ("variable", "value"), [("REDIS_URL", "redis://localhost"), ("PORT", "http")]
)
def test_a_backup_of_what_is_not_embedded_or_not_understood_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    assert cli.main(["backup", str(tmp_path / "copy")]) == 2
