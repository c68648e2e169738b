"""The README's walk, run as it is printed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from service.config import Config
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


def told(value: object) -> str:
    """A default as the README writes it."""
    words = {None: "unset", (): "unset", 14 * 86_400: "14 days", 86_400: "1 day"}
    if isinstance(value, Path):
        return f"./{value}"
    assert value is None or isinstance(value, tuple | int | str)
    return words.get(value, str(value))


def test_every_setting_and_call_of_the_readme_exists() -> None:
    text = README.read_text()
    defaults = Config()
    for names, values in re.findall(r"^\| `([A-Z_`, ]+)` \| ([^|]+) \|", text, re.MULTILINE):
        variables = names.replace("`", "").split(", ")
        for variable, value in zip(variables, values.replace("`", "").split(", "), strict=True):
            assert told(getattr(defaults, variable.lower())) == value, variable
    spec = (README.parent / "openapi" / "openapi.json").read_text()
    for path in re.findall(r"^\| `(?:GET|POST|DELETE) (/[^`]+)`", text, flags=re.MULTILINE):
        assert f'"{path.replace("{id}", "{game_id}")}"' in spec, path
