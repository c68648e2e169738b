"""docs/integrate.md: its commands and its Python run as printed.

Its TypeScript is in tests/external/test_guide.py, for it needs Node.js.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.docs.documents import ROOT, assert_printed, blocks, run_commands
from tests.system.documents.test_examples import bad_network
from tests.system.launch import Launch

GUIDE = ROOT / "docs/integrate.md"
PROGRAMS = blocks(GUIDE, "python")
START, FIRST_IN_PYTHON, FIRST_IN_TYPESCRIPT, SERVE_PAGE = blocks(GUIDE, "sh")
PRINTED = re.compile(r"^ *print\(.*\)  # (.*)$", re.MULTILINE)
"""A line that prints, with what it prints."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with Launch(tmp_path_factory.mktemp("service"), LOG_LEVEL="WARNING") as service:
        yield service.url()
        assert "Traceback" not in service.output


def run(program: str, names: dict[str, Any]) -> None:
    """Run a block after others; fail if it prints something else than its comments say."""
    output = io.StringIO()
    with redirect_stdout(output):
        exec(compile(program, str(GUIDE), "exec"), names)
    printed = "…".join(PRINTED.findall(program))
    assert_printed(output.getvalue(), printed, program)
    assert output.getvalue().count("\n") == len(PRINTED.findall(program))


def test_the_start_is_that_of_the_makefile() -> None:
    dry = subprocess.run(
        [*START.split(), "--dry-run"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "python -m service" in dry.stdout


def test_every_command_gives_the_printed_output(url: str, tmp_path: Path) -> None:
    run_commands(GUIDE, url, tmp_path)


def test_the_first_program_plays_a_whole_game(url: str, tmp_path: Path) -> None:
    program = PROGRAMS[0].replace("http://127.0.0.1:8000", url)
    (tmp_path / "first.py").write_text(program)
    ended = subprocess.run(
        ["bash", "-ec", FIRST_IN_PYTHON], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert_printed(ended.stdout, *PRINTED.findall(program), program)


@pytest.mark.parametrize("network", ["good", "bad"])
def test_the_programs_run_one_after_the_other(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, network: str
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    run(PROGRAMS[0].replace("http://127.0.0.1:8000", url), names)
    with bad_network(url) as (network_url, faults):
        names["GAMES"] = f"{network_url if network == 'bad' else url}/v1/games"
        for program in PROGRAMS[1:]:
            run(program, names)
    lost = {fault for fault in faults if fault.startswith("lost")}
    assert bool(lost) == (network == "bad")
    assert set(faults) - lost == ({"503", "429"} if lost else set())


def test_the_page_is_served_by_the_printed_command() -> None:
    with subprocess.Popen(
        ["bash", "-ec", f"exec {SERVE_PAGE.replace('9000', '0')}"],
        cwd=ROOT,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as serving:
        assert serving.stdout
        (port,) = re.findall(r"port (\d+)", serving.stdout.readline())
        page = requests.get(f"http://127.0.0.1:{port}/table.html", timeout=10)
        serving.terminate()
    assert page.status_code == 200
    assert "<title>Three-Thirteen</title>" in page.text
