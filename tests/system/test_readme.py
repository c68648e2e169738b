"""The README: its commands are run as printed, and its settings and calls exist."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

from engine.seats import Level
from tests.system.launch import Launch

README = Path(__file__).parents[2] / "README.md"
SEPARATOR = "=== end of a command ==="


def commands_and_outputs() -> list[tuple[str, str]]:
    """Every command of the console blocks, with the output that is printed below it."""
    steps: list[tuple[str, str]] = []
    for block in re.findall(r"```console\n(.*?)```", README.read_text(), re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, lines, continued = "", part.splitlines(), True
            while continued:
                line = lines.pop(0)
                command += line + "\n"
                continued = line.endswith("\\")
            steps.append((command, "".join(lines)))
    return steps


def test_the_readme_names_every_level() -> None:
    text = README.read_text()
    missing = [level for level in Level if f"`{level}`" not in text]
    assert not missing, f"{README} does not name the levels {missing}"


def test_every_command_of_the_readme_gives_the_printed_output(tmp_path: Path) -> None:
    steps = commands_and_outputs()
    assert len(steps) > 1
    with Launch(tmp_path) as service:
        script = "".join(f"{command}echo; echo '{SEPARATOR}'\n" for command, _ in steps)
        script = script.replace("localhost:8000", service.url().removeprefix("http://"))
        run = subprocess.run(
            ["bash", "-e"], input=script, capture_output=True, text=True, cwd=tmp_path, check=True
        )
    outputs = run.stdout.split(SEPARATOR)[:-1]
    for (command, printed), output in zip(steps, outputs, strict=True):
        place = 0
        for fragment in printed.split("…"):
            assert fragment in output[place:], f"{command}\n{fragment}\nnot in\n{output[place:]}"
            place = output.index(fragment, place) + len(fragment)


def test_the_nine_lines_play_a_whole_game(tmp_path: Path) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert len([line for line in program.splitlines() if line]) == 9
    with Launch(tmp_path) as service:
        program = program.replace("http://127.0.0.1:8000", service.url())
        run = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
    result = ast.literal_eval(run.stdout)
    assert set(result) == {"winner", "tied", "totals"}
    assert len(result["totals"]) == 4
