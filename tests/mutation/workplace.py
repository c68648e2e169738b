"""A copy of the code in which mutmut makes its mutants and runs the tests on each.

The copy differs in one thing: `@property` above a function becomes `name = property(name)` below
it, and so with every plain decorator, since mutmut passes decorated functions by. What it still
leaves alone are the constants of a module and the defaults of fields.
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


class Fate(Enum):
    """What became of a mutant."""

    KILLED = "killed"
    LATE = "killed, by never ending"
    SURVIVED = "survived"
    UNTOUCHED = "survived, as no test runs it"
    UNSETTLED = "not settled"


_FATES = {
    0: Fate.SURVIVED,
    1: Fate.KILLED,
    3: Fate.KILLED,
    5: Fate.UNTOUCHED,
    33: Fate.UNTOUCHED,
    -24: Fate.LATE,
    24: Fate.LATE,
    152: Fate.LATE,
    36: Fate.LATE,
}
"""By the exit code of pytest, or of mutmut in its place."""


@dataclass(frozen=True)
class Mutant:
    """One small change of one function: its lines before and after, and what became of it."""

    name: str
    module: str
    function: str
    before: str
    after: str
    fate: Fate

    def __str__(self) -> str:
        return f"{self.name}: {self.fate.value}\n    - {self.before}\n    + {self.after}"


class FailedRunError(Exception):
    """The mutants could not be tried."""


def tried_mutants(name: str, modules: Sequence[str], tests: Sequence[str]) -> list[Mutant]:
    """Every mutant of some modules (paths) after some tests (paths); raises FailedRunError."""
    place = _furnished(Path(sys.prefix, "mutation", name), modules, tests)
    command = [str(Path(sys.executable).with_name("mutmut")), "run"]
    environ = {**os.environ, "ENGINE_FORM": "source"}
    with (place / "log").open("w") as log:
        done = subprocess.run(command, cwd=place, env=environ, stdout=log, stderr=log, check=False)
    if done.returncode != 0:
        told = (place / "log").read_text().replace("\r", "\n").splitlines()
        raise FailedRunError("\n".join([f"mutmut failed, see {place / 'log'}:", *told[-40:]]))
    return [mutant for module in modules for mutant in _mutants(place / "mutants", module)]


def _furnished(place: Path, modules: Sequence[str], tests: Sequence[str]) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for folder in _COPIED:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, place / folder, ignore=ignored)
    for module in modules:
        (place / module).write_text(_undecorated((ROOT / module).read_text()))
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
    (place / "pyproject.toml").write_text("\n".join([own, "[tool.mutmut]", *lines, ""]))
    return place


def _undecorated(source: str) -> str:
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


def _mutants(place: Path, module: str) -> Iterator[Mutant]:
    source = (place / module).read_text()
    texts = {f.name: ast.get_source_segment(source, f) or "" for f in _functions(ast.parse(source))}
    exits = json.loads((place / f"{module}.meta").read_text())["exit_code_by_key"]
    for name, code in exits.items():
        own = name.rpartition(".")[2]
        mangled, mark, _ = own.partition("__mutmut_")
        before, after = _difference(texts[f"{mangled}{mark}{_ORIGINAL}"], texts[own])
        function = mangled.removeprefix("x_").removeprefix("xǁ").replace("ǁ", ".")
        fate = _FATES.get(code, Fate.UNSETTLED)
        yield Mutant(name, module, function, before, after, fate)


def _difference(before: str, after: str) -> tuple[str, str]:
    """The lines that differ, each side as one line; the first has the function's own name."""
    told = list(difflib.ndiff(before.splitlines()[1:], after.splitlines()[1:]))
    header = list(difflib.ndiff(_signature(before), _signature(after)))
    sides = []
    for sign in "-+":
        changed = [line[2:].strip() for line in header + told if line[0] == sign]
        sides.append(" ".join(changed))
    return sides[0], sides[1]


def _signature(function: str) -> list[str]:
    """The first line from the parameters on."""
    return [function.splitlines()[0].partition("(")[2]]
