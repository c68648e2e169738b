"""Clients made from the committed API description: generators take it, and what they make works.

What a Python generator makes is imported, warnings being errors, and its models read the examples
of the description. What a TypeScript generator makes is compiled in the strictest form, together
with a program that gives the examples their generated types. With each a program in `clients/`
plays a whole game, in which nothing but what was made writes the requests and reads the answers.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import requests

from tests.system.launch import Launch

_ROOT = Path(__file__).parents[2]
_SPEC = _ROOT / "openapi/openapi.json"
_BIN = Path(sys.prefix) / "generators/bin"
_NODE = _ROOT / "tools/node_modules/.bin"
_READER = Path(__file__).with_name("generated_client.py")
_PLAYERS = Path(__file__).with_name("clients")
_STRICT = ("--strict", "--target", "es2022", "--outDir", "out",
           "--module", "commonjs", "--moduleResolution", "node10",  # which Node.js runs as it is
           "--lib", "es2022,dom,dom.iterable")  # fmt: skip
_JSON = "application/json"

PYTHON = {
    "openapi-python-client": (
        (_BIN / "openapi-python-client", "generate", "--path", _SPEC, "--meta", "none",
         "--config", _SPEC.with_name("openapi-python-client.yaml"), "--fail-on-warning",
         "--output-path", "made"),
        ("made", "made.models", "from_dict"),
    ),
    "openapi-generator": (
        (_BIN / "openapi-generator-cli", "generate", "-g", "python", "-i", _SPEC, "-o", ".",
         "--package-name", "made"),
        ("made", "made", "from_dict"),
    ),
    "datamodel-code-generator": (
        (_BIN / "datamodel-codegen", "--input", _SPEC, "--input-file-type", "openapi",
         "--output-model-type", "pydantic_v2.BaseModel", "--formatters", "builtin",
         "--target-python-version", "3.11", "--output", "made.py"),
        ("made", "made", "model_validate"),
    ),
}  # fmt: skip
"""By generator its command, and how its models are read."""

TYPESCRIPT = {
    "openapi-typescript": (
        (_NODE / "openapi-typescript", _SPEC, "--output", "made.ts"),
        'import type { components } from "./made";',
        'components["schemas"]["{}"]',
        "{1}",
    ),
    "hey-api": (
        (_NODE / "openapi-ts", "--input", _SPEC, "--output", "made"),
        'import type * as made from "./made";',
        "made.{}",
        "{1}",
    ),
    "openapi-generator": (
        (_BIN / "openapi-generator-cli", "generate", "-g", "typescript-fetch", "-i", _SPEC,
         "-o", "made"),
        'import * as made from "./made";',
        "made.{}",
        "made.{0}FromJSON({1})",
    ),
}  # fmt: skip
"""By generator its command, and how a program writes the type and a value of a schema."""


class Made(NamedTuple):
    """What a generator has made, and where."""

    generator: str
    folder: Path

    @property
    def program(self) -> str:
        """The generator's name in that of a program."""
        return self.generator.replace("-", "_")

    def sources(self) -> list[Path]:
        """The files of TypeScript, those that are made and ours."""
        return [path for path in self.folder.rglob("*.ts") if "node_modules" not in path.parts]


def _environ() -> dict[str, str]:
    """The generators' own programs come first, and what they make can be imported."""
    path = os.pathsep.join([str(_BIN), os.environ["PATH"]])
    return os.environ | {"PATH": path, "CI": "true", "PYTHONPATH": "."}


def _run(folder: Path, *command: str | Path) -> str:
    ended = subprocess.run(
        command, cwd=folder, env=_environ(), capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    output = ended.stdout + ended.stderr
    assert ended.returncode == 0, f"{command}\n{output[-8_000:]}"
    return output


def _examples() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every example with the name of its schema, where that names members: others have no model."""
    spec = json.loads(_SPEC.read_text())
    schemas = spec["components"]["schemas"]
    operations = [operation for path in spec["paths"].values() for operation in path.values()]
    for operation in operations:
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for content in (body.get("content", {}).get(_JSON) for body in bodies):
            if content is not None:
                name = content["schema"]["$ref"].rpartition("/")[2]
                shown = content.get("examples", {"only": {"value": content.get("example")}})
                if "oneOf" in schemas[name] or schemas[name]["properties"]:
                    yield from ((name, example["value"]) for example in shown.values())
    for example in spec["components"]["examples"].values():
        yield "ProblemReply", example["value"]
        for expected in ("draw", 3):
            fault = {"pointer": "/query/after", "detail": "."}
            more = {"expected": expected, "version": 17, "errors": [fault]}
            yield "ProblemReply", example["value"] | more


@pytest.fixture(scope="module")
def examples() -> list[tuple[str, dict[str, Any]]]:
    pairs = list(_examples())
    assert {"CreatedGame", "Moved", "Scores", "Replay", "EventPage"} <= {name for name, _ in pairs}
    return pairs


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service that all clients call."""
    with Launch(tmp_path_factory.mktemp("service"), LOG_LEVEL="WARNING") as service:
        yield service.url()


@pytest.fixture(scope="module")
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """What a generator makes, in a folder of its own."""
    generator, commands = request.param
    _has_java(generator)
    folder = tmp_path_factory.mktemp(generator)
    _run(folder, *commands[generator][0])
    return Made(generator, folder)


def each_of(commands: dict[str, Any]) -> pytest.MarkDecorator:
    """Run a test with what each of these generators makes."""
    each = [pytest.param((name, commands), id=name) for name in commands]
    return pytest.mark.parametrize("made", each, indirect=True)


@each_of(PYTHON)
def test_a_python_client_is_made_that_reads_every_example(
    made: Made, examples: list[tuple[str, dict[str, Any]]]
) -> None:
    _run(made.folder, _BIN / "python", "-m", "compileall", "-q", ".")
    (made.folder / "examples.json").write_text(json.dumps(examples))
    reader = (_READER, *PYTHON[made.generator][1], "examples.json")
    output = _run(made.folder, _BIN / "python", "-W", "error", *reader)
    assert f"{len(examples)} examples" in output


@each_of(PYTHON)
def test_a_python_client_plays_a_whole_game(made: Made, url: str) -> None:
    program = _PLAYERS / f"play_{made.program}.py"
    _assert_whole_game(url, _run(made.folder, _BIN / "python", "-W", "error", program, url))


@each_of(TYPESCRIPT)
def test_a_typescript_client_has_the_types_of_every_example_and_plays_a_whole_game(
    made: Made, examples: list[tuple[str, dict[str, Any]]], url: str
) -> None:
    _, imports, type_, value = TYPESCRIPT[made.generator]
    lines = [
        f"export const example{number}: {type_.format(name)} = "
        f"{value.format(name, json.dumps(example))};"
        for number, (name, example) in enumerate(examples)
    ]
    (made.folder / "program.ts").write_text("\n".join([imports, *lines]) + "\n")
    shutil.copy(_PLAYERS / f"play_{made.program}.ts", made.folder / "play.ts")
    (made.folder / "node_modules").symlink_to(_NODE.parent)
    sources = [str(path.relative_to(made.folder)) for path in made.sources()]
    _run(made.folder, _NODE / "tsc", *_STRICT, *sources)
    _assert_whole_game(url, _run(made.folder, "node", "out/play.js", url))


def _assert_whole_game(url: str, output: str) -> None:
    """Hold what a program says of its game against what the service says."""
    said = json.loads(output)
    scores = requests.get(f"{url}/v1/games/{said['id']}/scores", timeout=30).json()
    assert [each["number"] for each in scores["rounds"]] == list(range(1, said["rounds"] + 1))
    assert said["rounds"] == 11
    assert said["totals"] == scores["totals"] == scores["result"]["totals"]


def test_the_description_is_valid_to_openapi_generator(tmp_path: Path) -> None:
    _has_java("openapi-generator")
    output = _run(tmp_path, _BIN / "openapi-generator-cli", "validate", "-i", _SPEC)
    assert "No validation issues detected." in output


def _has_java(generator: str) -> None:
    if generator == "openapi-generator":
        needed = "openapi-generator needs Java; Debian: apt install default-jre-headless"
        assert shutil.which("java"), needed
