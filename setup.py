"""Builds the wheel with the compiled form of the engine in it, where there is a C compiler."""

import importlib.util
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent


def _compiler():
    """`tools/compile_engine.py`, loaded by its path: a build does not see the tree."""
    place = ROOT / "tools" / "compile_engine.py"
    spec = importlib.util.spec_from_file_location("compile_engine", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class BuildWithCompiledForm(build_py):
    """Puts the compiled modules beside the packages; without them the sources run."""

    def run(self):
        super().run()
        if self.editable_mode or not self.distribution.has_ext_modules():
            return
        try:
            _compiler().build(ROOT, Path(self.build_lib).resolve())
        except (OSError, subprocess.CalledProcessError) as error:
            self.announce(f"warning: the engine runs as source, slower: {error}", level=3)


class PlatformDistribution(Distribution):
    """A wheel for this platform and interpreter alone, if there is anything compiled in it."""

    def has_ext_modules(self):
        return shutil.which("cc") is not None


setup(cmdclass={"build_py": BuildWithCompiledForm}, distclass=PlatformDistribution)
