"""The wheel as somebody installs it: outside the tree, with the compiled form in it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from service.http.rulebook import LANGUAGES

ROOT = Path(__file__).parents[2]
BUILT_FROM = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE")
FORM = (
    "import engine; from engine.solver import costs; "
    "print(engine.form, engine.__file__, costs.__file__)"
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("out")
    for name in BUILT_FROM:
        shutil.copy(ROOT / name, tree)
    for package in ("engine", "service", "tools"):
        unwanted = shutil.ignore_patterns("__pycache__", "node_modules")
        shutil.copytree(ROOT / package, tree / package, ignore=unwanted)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps"]
    subprocess.run([*pip, ".", "--wheel-dir", str(out)], cwd=tree, check=True)
    (found,) = out.glob("*.whl")
    return found


@pytest.mark.skipif(shutil.which("cc") is None, reason="without a compiler there is nothing to see")
def test_an_installed_wheel_runs_the_compiled_form(wheel: Path, tmp_path: Path) -> None:
    # An environment of its own, where nothing was compiled before.
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path], check=True)
    (site,) = tmp_path.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    told = subprocess.run(
        [tmp_path / "bin" / "python", "-c", FORM],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    form, package, costs = told.split()
    assert form == "compiled"
    assert package == str(site / "engine" / "__init__.py")
    assert costs.startswith(str(site / "three_thirteen_compiled"))


def test_a_wheel_has_what_the_service_reads(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "service/store/commit.lua" in names
    assert any(name.startswith("service/http/static/") for name in names)
    assert {f"service/http/rules/{tag}.md" for tag in LANGUAGES} <= set(names)
    assert not [name for name in names if name.startswith(("tests/", "bench/", "tools/"))]
