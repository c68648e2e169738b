"""The mutants of modules: a copy of the code in which mutmut makes them and runs the tests.

The copy differs from the code in one way: `@property` above a function becomes
`name = property(name)` below it, and so does every decorator without arguments, since mutmut does
not mutate decorated functions. mutmut never mutates the constants of a module and the defaults of
fields.
"""

from __future__ import annotations

import ast
import difflib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

ROOT = Path(__file__).parents[2]
_COPIED = ("engine", "service", "tests")
_KEPT_DECORATORS = ("staticmethod", "classmethod")  # mutmut mutates what is below these
_ORIGINAL = "orig"


class Status(Enum):
    """The result of running the tests on a mutant."""

    KILLED = "killed"
    TIMED_OUT = "killed: the tests timed out"
    SURVIVED = "survived"
    NO_TEST = "survived: no test runs it"
    UNKNOWN = "unknown"


_STATUSES = {
    0: Status.SURVIVED,
    1: Status.KILLED,
    3: Status.KILLED,
    5: Status.NO_TEST,
    33: Status.NO_TEST,
    -24: Status.TIMED_OUT,
    24: Status.TIMED_OUT,
    152: Status.TIMED_OUT,
    36: Status.TIMED_OUT,
}
"""By the exit code of pytest; mutmut adds codes of its own."""


@dataclass(frozen=True)
class Mutant:
    """One small change of one function: its lines before and after, and its status."""

    name: str
    module: str
    function: str
    before: str
    after: str
    status: Status

    def __str__(self) -> str:
        return f"{self.name}: {self.status.value}\n    - {self.before}\n    + {self.after}"


class MutationRunError(Exception):
    """The mutants could not be run."""


def run_mutants(name: str, modules: Sequence[str], tests: Sequence[str]) -> list[Mutant]:
    """Run the tests (paths) on every mutant of the modules (paths); raises MutationRunError."""
    folder = _make_copy(Path(sys.prefix, "mutation", name), modules, tests)
    command = [str(Path(sys.executable).with_name("mutmut")), "run"]
    environ = {**os.environ, "ENGINE_FORM": "source"}
    with (folder / "log").open("w") as log:
        done = subprocess.run(command, cwd=folder, env=environ, stdout=log, stderr=log, check=False)
    if done.returncode != 0:
        lines = (folder / "log").read_text().replace("\r", "\n").splitlines()
        raise MutationRunError("\n".join([f"mutmut failed, see {folder / 'log'}:", *lines[-40:]]))
    return [mutant for module in modules for mutant in _mutants(folder / "mutants", module)]


def _make_copy(folder: Path, modules: Sequence[str], tests: Sequence[str]) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in _COPIED:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for module in modules:
        (folder / module).write_text(_without_decorators((ROOT / module).read_text()))
    settings = {
        "source_paths": ["engine", "service"],
        "only_mutate": list(modules),
        "pytest_add_cli_args": ["-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov"],
        "pytest_add_cli_args_test_selection": list(tests),
        "timeout_multiplier": 10.0,
        "timeout_constant": 3.0,
        "use_git_change_detection": False,
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    own = (ROOT / "pyproject.toml").read_text()
    (folder / "pyproject.toml").write_text("\n".join([own, "[tool.mutmut]", *lines, ""]))
    return folder


def _without_decorators(source: str) -> str:
    lines = source.splitlines(keepends=True)
    for function in sorted(_functions(ast.parse(source)), key=lambda f: f.lineno, reverse=True):
        match function.decorator_list:
            case [ast.Name(id=decorator, lineno=above)] if decorator not in _KEPT_DECORATORS:
                assert function.end_lineno is not None
                name, indent = function.name, " " * function.col_offset
                lines.insert(function.end_lineno, f"{indent}{name} = {decorator}({name})\n")
                del lines[above - 1]
    return "".join(lines)


def _functions(module: ast.Module) -> Iterator[ast.FunctionDef]:
    """The functions of a module and the methods of its classes."""
    for node in module.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        yield from (each for each in inner if isinstance(each, ast.FunctionDef))


def _mutants(folder: Path, module: str) -> Iterator[Mutant]:
    source = (folder / module).read_text()
    texts = {f.name: ast.get_source_segment(source, f) or "" for f in _functions(ast.parse(source))}
    exits = json.loads((folder / f"{module}.meta").read_text())["exit_code_by_key"]
    for name, code in exits.items():
        own = name.rpartition(".")[2]
        mangled, mark, _ = own.partition("__mutmut_")
        before, after = _difference(texts[f"{mangled}{mark}{_ORIGINAL}"], texts[own])
        function = mangled.removeprefix("x_").removeprefix("xǁ").replace("ǁ", ".")
        status = _STATUSES.get(code, Status.UNKNOWN)
        yield Mutant(name, module, function, before, after, status)


def _difference(before: str, after: str) -> tuple[str, str]:
    """The lines that differ, joined to one text before and one after the change."""
    lines = list(difflib.ndiff(before.splitlines()[1:], after.splitlines()[1:]))
    header = list(difflib.ndiff(_signature(before), _signature(after)))
    sides = []
    for sign in "-+":
        changed = [line[2:].strip() for line in header + lines if line[0] == sign]
        sides.append(" ".join(changed))
    return sides[0], sides[1]


def _signature(function: str) -> list[str]:
    """The first line, from the parameters on, since each mutant has another name."""
    return [function.splitlines()[0].partition("(")[2]]
