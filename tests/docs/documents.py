"""What the pages of documentation hold to be run: blocks of code, commands with their output."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
_END = "=== end of a command ==="


def blocks(page: Path, language: str) -> list[str]:
    """Every block of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)


def commands_and_outputs(page: Path) -> list[tuple[str, str]]:
    """Every command of the console blocks, with the output that is printed below it."""
    steps: list[tuple[str, str]] = []
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, lines, continued = "", part.splitlines(), True
            while continued:
                line = lines.pop(0)
                command += line + "\n"
                continued = line.endswith("\\")
            steps.append((command, "".join(lines)))
    return steps


def assert_printed(output: str, printed: str, command: str) -> None:
    """Fail unless an output has all that a page prints of it; `…` there stands for anything.

    Line breaks are not compared: a page has some of its own.
    """
    output, place = output.replace("\n", ""), 0
    for fragment in printed.split("…"):
        assert fragment in output[place:], f"{command}\n{fragment}\nnot in\n{output[place:]}"
        place = output.index(fragment, place) + len(fragment)


def run_commands(page: Path, url: str, folder: Path) -> None:
    """Run the commands of a page in one shell; fail if one fails or prints something else."""
    steps = commands_and_outputs(page)
    assert len(steps) > 1
    script = "".join(f"{command}echo; echo '{_END}'\n" for command, _ in steps)
    script = script.replace("localhost:8000", url.removeprefix("http://"))
    run = subprocess.run(
        ["bash", "-e"], input=script, capture_output=True, text=True, cwd=folder, check=True
    )
    outputs = run.stdout.split(_END)[:-1]
    for (command, printed), output in zip(steps, outputs, strict=True):
        assert_printed(output, printed, command)
