"""The import arrows: who may know whom."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ENGINE_ORDER = [
    "errors",
    "cards",
    "rules",
    "seats",
    "options",
    "melds",
    "solver",
    "shuffle",
    "round",
    "fields",
    "events",
    "game",
    "membership",
    "invariants",
    "stored_values",
    "stored_seats",
    "snapshot",
    "view",
    "players",
    "review",
    "table",
    "verify",
]
SOLVER_ORDER = ["costs", "suits", "sets", "kernel", "prospects", "hands", "arrangement"]
SERVICE_ARROWS: dict[str, set[str]] = {
    "__init__": set(),
    "errors": set(),
    "callers": set(),
    "store": {"errors"},
    "config": {"store"},
    "games": {"store", "config", "errors"},
    "observer": set(),
    "metrics": {"observer"},
    "tracing": {"observer"},
    "logs": {"config"},
    "http": {"games", "config", "errors", "callers", "observer", "__init__"},
    "runtime": {"config", "logs", "tracing", "callers"},
    "app": {"http", "games", "store", "metrics", "logs", "observer", "config", "__init__"},
    "wsgi": {"app", "config", "tracing", "__init__"},
    "settings": {"config"},
    "cli": {"app", "runtime", "config", "settings", "__init__"},
    "__main__": {"cli"},
}
"""Which other parts of the service a part may import."""
FLASK_KNOWERS = {"app", "http", "wsgi"}
REDIS_KNOWERS = {"app", "store"}
GUNICORN_KNOWERS = {"runtime"}
PROMETHEUS_KNOWERS = {"app", "metrics", "runtime"}
STRUCTLOG_KNOWERS = {"logs"}
OPENTELEMETRY_KNOWERS = {"tracing"}
ERROR_STATUSES = {400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 422, 429, 500, 503}


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Every module that a file imports, by its full dotted name."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            names.add(str(node.module))
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def part(path: Path) -> str:
    """The name of a module right below its package: `players` for engine/players/medium.py."""
    return path.relative_to(ROOT).parts[1].removesuffix(".py")


def parts_of(package: str, names: set[str]) -> set[str]:
    prefix = f"{package}."
    return {name.removeprefix(prefix).split(".")[0] for name in names if name.startswith(prefix)}


def tops(names: set[str]) -> set[str]:
    return {name.split(".")[0] for name in names}


def test_every_engine_module_imports_only_names_to_its_left() -> None:
    seen = set()
    for path in modules("engine"):
        if part(path) == "__init__":
            continue
        assert part(path) in ENGINE_ORDER, f"{path}: give it a place in ENGINE_ORDER"
        place = ENGINE_ORDER.index(part(path))
        within = set() if path.parent.name == "engine" else {part(path)}
        allowed = set(ENGINE_ORDER[:place]) | within
        used = parts_of("engine", imported(path)) & set(ENGINE_ORDER)
        assert used <= allowed, f"{path.name} knows {used - allowed}"
        seen.add(part(path))
    assert not set(ENGINE_ORDER) - seen, f"no such modules: {set(ENGINE_ORDER) - seen}"


def test_every_solver_module_imports_only_names_to_its_left() -> None:
    for path in modules("engine/solver"):
        if path.stem in {"__init__", "compiled"}:
            continue
        assert path.stem in SOLVER_ORDER, f"{path}: give it a place in SOLVER_ORDER"
        place = SOLVER_ORDER.index(path.stem)
        used = parts_of("engine.solver", imported(path)) & set(SOLVER_ORDER)
        assert used <= set(SOLVER_ORDER[:place]), f"{path.name} knows {used}"


def test_the_verifier_shares_no_code_with_the_engine_that_it_checks() -> None:
    for path in modules("engine/verify"):
        used = parts_of("engine", imported(path))
        assert used <= {"verify"}, f"{path.name} knows {used}"


def test_the_engine_knows_the_standard_library_alone_and_no_clock_or_global_chance() -> None:
    for path in modules("engine"):
        if path.stem == "compiled":  # it looks for files, before there is a game
            continue
        names = tops(imported(path))
        assert names <= {"engine", "mypy_extensions", *sys.stdlib_module_names}, path
        assert not names & {"random", "secrets", "time", "datetime", "os", "socket"}, path


def test_the_engine_does_not_know_the_service() -> None:
    assert not any("service" in tops(imported(path)) for path in modules("engine"))


@pytest.mark.parametrize(
    ("library", "knowers"),
    [
        ("flask", FLASK_KNOWERS),
        ("werkzeug", FLASK_KNOWERS),
        ("flask_smorest", FLASK_KNOWERS),
        ("redis", REDIS_KNOWERS),
        ("gunicorn", GUNICORN_KNOWERS),
        ("prometheus_client", PROMETHEUS_KNOWERS),
        ("structlog", STRUCTLOG_KNOWERS),
        ("opentelemetry", OPENTELEMETRY_KNOWERS),
        ("flask_limiter", {"http"}),
        ("limits", {"store"}),
    ],
)
def test_only_the_named_modules_know_a_library(library: str, knowers: set[str]) -> None:
    found = {part(path) for path in modules("service") if library in tops(imported(path))}
    assert found
    assert found <= knowers


def test_every_part_of_the_service_imports_only_what_is_below_it() -> None:
    for path in modules("service"):
        used = parts_of("service", imported(path)) & set(SERVICE_ARROWS)
        assert part(path) in SERVICE_ARROWS, f"{path}: write into SERVICE_ARROWS what it may import"
        wrong = used - SERVICE_ARROWS[part(path)] - {part(path)}
        assert not wrong, f"{path} may not import {sorted(wrong)}"


def test_the_arrows_of_the_service_have_no_circle() -> None:
    below: set[str] = set()
    left = dict(SERVICE_ARROWS)
    while ready := {name for name, used in left.items() if used <= below | {"__init__"}}:
        below |= ready
        left = {name: used for name, used in left.items() if name not in ready}
    assert not left


def test_only_problems_knows_the_statuses_of_errors() -> None:
    for path in modules("service"):
        if path.parent == ROOT / "service/http/problems":
            continue
        numbers = {
            node.value
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Constant) and type(node.value) is int
        }
        assert not numbers & ERROR_STATUSES, path


def test_no_module_is_named_for_what_it_is_not() -> None:
    names = {path.stem for package in ("engine", "service") for path in modules(package)}
    assert not names & {"utils", "util", "common", "base", "helpers", "helper", "manager", "misc"}
