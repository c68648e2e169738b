"""The command `python -m engine.verify`, and what it does not take for a replay."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.verify.__main__ import REFUTED, UNREADABLE, VERIFIED, main
from tests.replays import abandoned, finished, stalled
from tests.tampering import tampered

ROOT = Path(__file__).parents[3]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "replay.json"


def test_a_true_replay_is_verified_with_what_was_checked(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(json.dumps(stalled(0)))
    assert main([str(file)]) == VERIFIED == 0
    *lines, verdict = capsys.readouterr().out.splitlines()
    assert verdict == "VERIFIED"
    assert stalled(0)["commitment"] in lines[0]
    refills = sum(event["type"] == "stock_reshuffled" for event in stalled(0)["events"])
    assert f"11 deals, {refills} refills" in lines[2]


def test_an_abandoned_game_is_verified_as_one(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(json.dumps({**abandoned(0), "rematch_of": "Zk3vQ8rT1xWn5bYc7LdMfA"}))
    assert abandoned(0)["events"][-1]["type"] == "game_abandoned"
    assert main([str(file)]) == VERIFIED
    told = capsys.readouterr().out
    assert "the game is abandoned" in told
    assert "(of a rematch)" in told


def test_a_contradiction_is_told_and_the_replay_refuted(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(json.dumps(tampered(finished(1), "final_total_off_by_one", 1)))
    assert main([str(file)]) == REFUTED == 1
    problem, verdict = capsys.readouterr().out.splitlines()
    assert verdict == "REFUTED"
    assert "(game_finished), totals, " in problem


def test_the_replay_can_come_from_stdin() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "engine.verify", "-"],
        input=json.dumps(finished(1)),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert told.stdout.endswith("VERIFIED\n")
    assert told.stderr == ""


LEFT_OUT = object()
NO_REPLAYS: list[tuple[str, object]] = [
    *((name, LEFT_OUT) for name in ("secret", "commitment", "rules", "seats", "actions", "events")),
    ("secret", "00"),
    ("secret", "G" * 64),
    ("secret", "00" * 32 + "\n"),
    ("commitment", 1),
    ("seats", [{}]),
    ("seats", [{}] * 7),
    ("events", [1]),
    ("actions", {}),
    ("rules", []),
    ("rules", {"jokers": 3, "aces": "low"}),
    ("rules", {"jokers": True, "aces": "low"}),
    ("rules", {"jokers": 0, "aces": "middle"}),
    ("rules", {"jokers": 0, "aces": ["low"]}),
    *(
        ("rules", {"jokers": 0, "aces": "low", "rounds": rounds})
        for rounds in (
            None,
            {},
            {"first": 1},
            {"first": 0, "last": 11},
            {"first": 1, "last": 12},
            {"first": 5, "last": 4},
            {"first": "1", "last": 11},
        )
    ),
]


@pytest.mark.parametrize(("name", "value"), NO_REPLAYS)
def test_what_has_not_the_shape_of_a_replay_is_none(
    name: str, value: object, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replay = {**finished(1), name: value}
    file.write_text(json.dumps({name: replay[name] for name in replay if replay[name] != LEFT_OUT}))
    assert main([str(file)]) == UNREADABLE == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("not a replay: ")


@pytest.mark.parametrize("text", [b"", b"{", b"\xff\xfe{", b"NaN", b"[" * 100_000])
def test_what_is_not_json_is_no_replay(
    text: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text)))
    assert main(["-"]) == UNREADABLE
    assert capsys.readouterr().err.startswith("not a replay: it is not JSON: ")


def test_a_file_that_is_not_there_is_no_replay(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(file)]) == UNREADABLE
    assert "No such file" in capsys.readouterr().err


def test_events_nested_too_deeply_are_no_replay(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = json.dumps({**finished(1), "first_dealer": "deep"})
    file.write_text(text.replace('"deep"', "[" * 990 + "]" * 990))
    assert main([str(file)]) == UNREADABLE
    assert capsys.readouterr().err.startswith("not a replay: ")


@pytest.mark.parametrize("text", ["[]", "null", "1", '"secret"'])
def test_json_that_is_no_object_is_no_replay(
    text: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(text)
    assert main([str(file)]) == UNREADABLE
    assert capsys.readouterr().err == "not a replay: it is not a JSON object\n"
