"""The README: its commands are run as printed, and its settings and calls exist."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import fields
from pathlib import Path

from service.config import Config
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


def in_readme(value: object) -> str:
    """A default value as the README writes it."""
    special = {None: "unset", (): "unset", 14 * 86_400: "14 days", 86_400: "1 day"}
    if isinstance(value, Path):
        return f"./{value}"
    assert value is None or isinstance(value, tuple | int | str)
    return special.get(value, str(value))


def settings_in_readme() -> dict[str, str]:
    """Every variable of the table of settings, with its default as the README writes it."""
    rows = re.findall(r"^\| `([A-Z_`, ]+)` \| ([^|]+) \|", README.read_text(), re.MULTILINE)
    settings: dict[str, str] = {}
    for names, values in rows:
        variables, defaults = (cell.replace("`", "").split(", ") for cell in (names, values))
        settings |= dict(zip(variables, defaults, strict=True))
    return settings


def test_the_readme_has_every_setting_with_its_default() -> None:
    config = Config()
    defaults = {field.name.upper(): getattr(config, field.name) for field in fields(config)}
    assert {name: in_readme(value) for name, value in defaults.items()} == settings_in_readme()


def test_every_call_of_the_readme_is_in_the_api_description() -> None:
    spec = json.loads((README.parent / "openapi" / "openapi.json").read_text())
    calls = re.findall(r"^\| `(GET|POST|DELETE) (/[^`]+)`", README.read_text(), re.MULTILINE)
    described = {
        (method.upper(), path) for path, methods in spec["paths"].items() for method in methods
    }
    assert len(calls) > 1
    unknown = {(method, path.replace("{id}", "{game_id}")) for method, path in calls} - described
    assert not unknown
