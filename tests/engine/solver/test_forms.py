"""The compiled form and the source form of the hot modules: which runs, and that both agree."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import engine.solver
from engine.solver import compiled
from tests.scale import scaled

ROOT = Path(__file__).parents[3]
SOLVER = ROOT / "engine" / "solver"


def run(*arguments: str, **environ: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_the_source_form_can_be_forced() -> None:
    assert run("-c", "import engine; print(engine.form)", ENGINE_FORM="source") == "source"


@pytest.mark.long
def test_both_forms_choose_alike_in_every_position() -> None:
    count = str(scaled(2000))
    source = run("-m", "tests.positions", count, ENGINE_FORM="source").split()
    other = run("-m", "tests.positions", count, ENGINE_FORM="").split()
    assert source[0] == "source"
    assert source[1] == other[1]


def test_the_form_is_found_by_a_hash_of_the_sources(tmp_path: Path) -> None:
    package = tmp_path / "solver"
    package.mkdir()
    for module in compiled.MODULES:
        (package / f"{module}.py").write_bytes((SOLVER / f"{module}.py").read_bytes())
    assert compiled.key(package) == compiled.key(SOLVER)
    (package / "costs.py").write_text("# edited\n")
    assert compiled.key(package) != compiled.key(SOLVER)


def test_an_edited_source_is_not_shadowed_by_what_was_compiled_before(tmp_path: Path) -> None:
    program = (
        "import shutil, sys; shutil.copytree('engine', sys.argv[1] + '/engine');"
        "edited = open(sys.argv[1] + '/engine/solver/kernel.py', 'a');"
        "edited.write('EDITED = True\\n'); edited.close(); sys.path.insert(0, sys.argv[1]);"
        "import engine; from engine.solver import kernel; print(engine.form, kernel.EDITED)"
    )
    assert run("-c", program, str(tmp_path)) == "source True"


def test_a_compiled_form_that_does_not_load_gives_way_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / compiled.STORE / compiled.key(SOLVER) / "engine" / "solver"
    folder.mkdir(parents=True)
    (folder / "costs.py").write_text("raise ImportError('broken')\n")
    monkeypatch.setattr(compiled.sysconfig, "get_path", lambda _: str(tmp_path))
    monkeypatch.delenv(compiled.SETTING, raising=False)
    saved = {name: sys.modules.pop(f"engine.solver.{name}") for name in compiled.MODULES}
    path = [str(SOLVER)]
    monkeypatch.setattr(engine.solver, "__path__", path)
    try:
        with pytest.warns(UserWarning, match="broken"):
            assert compiled.use(path) == "source"
        assert path == [str(SOLVER)]
    finally:
        for name, module in saved.items():
            sys.modules[f"engine.solver.{name}"] = module
