"""Compiles the engine's hot modules with mypyc, into the environment and never into the tree.

    python tools/compile_engine.py [--into FOLDER]

The folder of the compiled modules is named after a hash of their sources:
`engine/solver/compiled.py` looks for it at import, and if it does not exist the source runs. So an
edited source never runs with an older binary. The folder is renamed into place, so it appears
whole or not at all. Where compiling fails, one line says so and the source runs.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "engine/solver"
GROUP = "engine"
# Visible symbols cannot be inlined in a shared library: hiding them makes the kernel 20 % faster.
FLAGS = "-O3 -fvisibility=hidden"
SETUP = """
import sys
from mypyc.build import mypycify
from setuptools import setup
name, *modules = sys.argv[3:]
sys.argv = ["setup.py", "build_ext", "--build-lib", sys.argv[1], "--build-temp", sys.argv[2]]
setup(name=name, packages=[], ext_modules=mypycify(["--strict", *modules], group_name=name))
"""


def build(root: Path, site: Path) -> Path:
    """Compile, and return the folder of the compiled modules; raises CalledProcessError."""
    compiled = _loader(root)
    folder: Path = site / compiled.STORE / compiled.key(root / PACKAGE)
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            _compile(root, Path(scratch), folder.name, compiled.MODULES)
            _put_in_place(Path(scratch) / "out", folder, site)
        _remove_others(folder, site)
    return folder


def _loader(root: Path) -> ModuleType:
    """`engine/solver/compiled.py`, loaded by its path, without the package."""
    spec = importlib.util.spec_from_file_location("compiled", root / PACKAGE / "compiled.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _compile(root: Path, work: Path, name: str, modules: tuple[str, ...]) -> None:
    (work / PACKAGE).mkdir(parents=True)
    for folder in (work / PACKAGE, *(work / PACKAGE).relative_to(work).parents[:-1]):
        (work / folder / "__init__.py").touch()
    for module in modules:
        shutil.copy(root / PACKAGE / f"{module}.py", work / PACKAGE)
    (work / "setup.py").write_text(SETUP)
    sources = [f"{PACKAGE}/{module}.py" for module in modules]
    command = [sys.executable, "setup.py", "out", "temp", f"{GROUP}_{name}", *sources]
    subprocess.run(
        command,
        cwd=work,
        env={**os.environ, "CFLAGS": FLAGS},
        check=True,
        capture_output=True,
        text=True,
    )


def _put_in_place(out: Path, folder: Path, site: Path) -> None:
    for library in out.glob("*__mypyc*"):  # shared by the modules, imported by its name
        library.replace(site / library.name)
    if not folder.is_dir():
        out.rename(folder)


def _remove_others(folder: Path, site: Path) -> None:
    """Remove what was compiled of other sources."""
    for old in folder.parent.iterdir():
        if old != folder:
            shutil.rmtree(old, ignore_errors=True)
            for library in site.glob(f"{GROUP}_{old.name}__mypyc*"):
                library.unlink()


def main() -> int:
    """Compile, or say in one line why not; never fails, since the source runs as well."""
    parser = argparse.ArgumentParser(description="Compile the engine's hot modules.")
    parser.add_argument("--into", type=Path, default=Path(sysconfig.get_path("platlib")))
    into: Path = parser.parse_args().into
    try:
        build(ROOT, into.resolve())
    except (OSError, subprocess.CalledProcessError) as error:
        reason = (getattr(error, "stderr", None) or str(error)).strip().splitlines()[-1]
        print(f"warning: the engine runs as source, slower: compiling failed: {reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
