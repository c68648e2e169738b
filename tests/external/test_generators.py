"""Clients made from the committed API description: generators take it, and what they make works.

What a Python generator makes is imported, warnings being errors, and its models read the examples
of the description. What a TypeScript generator makes is compiled in the strictest form, together
with a program that gives the examples their generated types.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).parents[2]
_SPEC = _ROOT / "openapi/openapi.json"
_BIN = Path(sys.prefix) / "generators/bin"
_NODE = _ROOT / "tools/node_modules/.bin"
_READER = Path(__file__).with_name("generated_client.py")
_STRICT = ("--noEmit", "--strict", "--target", "es2022",
           "--module", "esnext", "--moduleResolution", "bundler",
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
        # By default it requires in a request what has a default there.
        (_NODE / "openapi-typescript", _SPEC, "--output", "made.ts",
         "--default-non-nullable=false"),
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
    """Every example of the description with the name of its schema."""
    spec = json.loads(_SPEC.read_text())
    operations = [operation for path in spec["paths"].values() for operation in path.values()]
    for operation in operations:
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for content in (body.get("content", {}).get(_JSON) for body in bodies):
            if content is not None and "example" in content:
                yield content["schema"]["$ref"].rpartition("/")[2], content["example"]
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


@pytest.mark.parametrize("generator", PYTHON)
def test_a_python_client_is_made_that_reads_every_example(
    generator: str, examples: list[tuple[str, dict[str, Any]]], tmp_path: Path
) -> None:
    _has_java(generator)
    command, models = PYTHON[generator]
    _run(tmp_path, *command)
    _run(tmp_path, _BIN / "python", "-m", "compileall", "-q", ".")
    (tmp_path / "examples.json").write_text(json.dumps(examples))
    output = _run(tmp_path, _BIN / "python", "-W", "error", _READER, *models, "examples.json")
    assert f"{len(examples)} examples" in output


@pytest.mark.parametrize("generator", TYPESCRIPT)
def test_a_typescript_client_is_made_whose_types_every_example_has(
    generator: str, examples: list[tuple[str, dict[str, Any]]], tmp_path: Path
) -> None:
    _has_java(generator)
    command, imports, type_, value = TYPESCRIPT[generator]
    _run(tmp_path, *command)
    lines = [
        f"export const example{number}: {type_.format(name)} = "
        f"{value.format(name, json.dumps(example))};"
        for number, (name, example) in enumerate(examples)
    ]
    (tmp_path / "program.ts").write_text("\n".join([imports, *lines]) + "\n")
    made = [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.ts")]
    _run(tmp_path, _NODE / "tsc", *_STRICT, *made)


def test_the_description_is_valid_to_openapi_generator(tmp_path: Path) -> None:
    _has_java("openapi-generator")
    output = _run(tmp_path, _BIN / "openapi-generator-cli", "validate", "-i", _SPEC)
    assert "No validation issues detected." in output


def _has_java(generator: str) -> None:
    if generator == "openapi-generator":
        needed = "openapi-generator needs Java; Debian: apt install default-jre-headless"
        assert shutil.which("java"), needed
