"""The TypeScript of docs/integrate.md: as strict as it can be compiled, and run as printed."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.docs.documents import ROOT, blocks

GUIDE = ROOT / "docs/integrate.md"
PROGRAMS = blocks(GUIDE, "ts")
(FIRST,) = (block for block in blocks(GUIDE, "sh") if "tsx" in block)
TOOLS = ROOT / "tools/node_modules"
STRICT = (
    *("--noEmit", "--strict", "--noUncheckedIndexedAccess", "--erasableSyntaxOnly"),
    *("--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"),
    *("--lib", "es2022,dom,dom.iterable"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder in which npx finds the programs that it would otherwise load."""
    assert TOOLS.is_dir(), "this test needs Node.js and `npm ci` in tools/"
    (tmp_path / "node_modules").symlink_to(TOOLS)
    return tmp_path


def run(folder: Path, *command: str) -> str:
    environ = os.environ | {"npm_config_offline": "true", "NO_COLOR": "1"}
    ended = subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_the_first_program_plays_a_whole_game(folder: Path, service_url: str) -> None:
    (folder / "first.mts").write_text(PROGRAMS[0].replace("http://127.0.0.1:8000", service_url))
    output = run(folder, "bash", "-ec", FIRST.replace("http://127.0.0.1:8000", service_url))
    assert re.search(r"winner: \d|winner: null", output), output


def test_the_programs_compile_and_run_one_after_the_other(folder: Path, service_url: str) -> None:
    program = "".join(PROGRAMS).replace("http://127.0.0.1:8000", service_url)
    (folder / "first.mts").write_text(program)
    output = run(folder, "bash", "-ec", FIRST.replace("http://127.0.0.1:8000", service_url))
    run(folder, str(TOOLS / ".bin/tsc"), *STRICT, "first.mts")
    assert re.search(r"stock → seat 0\n", output), output
    assert re.search(r"your hand: \[( '..',?){4} \]", output), output
    assert "wrong-phase discard\n" in output
    assert re.search(r"1 seat_joined\n2 round_dealt\n(.*\n)*\d+ card_drawn\n$", output), output
