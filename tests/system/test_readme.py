"""The README's walk, run as it is printed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.system.launch import Launch

README = Path(__file__).parents[2] / "README.md"
MARK = "=== end of a command ==="


def steps() -> list[tuple[str, str]]:
    """Every command of the console blocks with the output that is printed below it."""
    found: list[tuple[str, str]] = []
    for block in re.findall(r"```console\n(.*?)```", README.read_text(), re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, lines, continued = "", part.splitlines(), True
            while continued:
                line = lines.pop(0)
                command += line + "\n"
                continued = line.endswith("\\")
            found.append((command, "".join(lines)))
    return found


def test_the_walk_through_a_turn_works_as_printed(tmp_path: Path) -> None:
    walk = steps()
    assert len(walk) == 8
    with Launch(tmp_path) as service:
        script = "".join(f"{command}echo; echo '{MARK}'\n" for command, _ in walk)
        script = script.replace("localhost:8000", service.url().removeprefix("http://"))
        run = subprocess.run(
            ["bash", "-e"], input=script, capture_output=True, text=True, cwd=tmp_path, check=True
        )
    outputs = run.stdout.split(MARK)
    for (command, printed), output in zip(walk, outputs, strict=False):
        place = 0
        for fragment in printed.split("…"):
            assert fragment in output[place:], f"{command}\n{fragment}\nnot in\n{output[place:]}"
            place = output.index(fragment, place) + len(fragment)
