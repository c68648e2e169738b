"""The README: its commands are run as printed, and its settings and calls exist."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from engine.seats import Level
from tests.docs.documents import ROOT, blocks, run_commands
from tests.system.launch import Launch

README = ROOT / "README.md"


def test_the_readme_names_every_level() -> None:
    text = README.read_text()
    missing = [level for level in Level if f"`{level}`" not in text]
    assert not missing, f"{README} does not name the levels {missing}"


def test_every_command_of_the_readme_gives_the_printed_output(tmp_path: Path) -> None:
    with Launch(tmp_path) as service:
        run_commands(README, service.url(), tmp_path)


def test_the_nine_lines_play_a_whole_game(tmp_path: Path) -> None:
    (program,) = blocks(README, "python")
    assert len([line for line in program.splitlines() if line]) == 9
    with Launch(tmp_path) as service:
        program = program.replace("http://127.0.0.1:8000", service.url())
        run = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
    result = ast.literal_eval(run.stdout)
    assert set(result) == {"winner", "tied", "totals"}
    assert len(result["totals"]) == 4
