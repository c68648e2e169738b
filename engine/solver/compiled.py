"""Finds the compiled form of the hot modules, by a hash of their sources.

The compiled modules are in `STORE/<hash>/engine/solver` beside the packages of the environment, or
beside the engine where it is installed from a wheel. Their folder goes to the front of the
package's path, so that the usual import finds them first; without it the sources are imported.
This works whatever is first on `sys.path` (pytest, gunicorn and `python -m` differ), because
the package itself says where its modules are.
"""

from __future__ import annotations

import importlib
import os
import sys
import sysconfig
import warnings
from hashlib import sha256
from pathlib import Path

PACKAGE = "engine.solver"
MODULES = ("costs", "suits", "sets", "kernel", "prospects")
"""What is compiled, an imported module before those that import it."""
STORE = "three_thirteen_compiled"
SETTING = "ENGINE_FORM"
"""The environment variable that forces the source form by the value `source`."""


def key(package: Path) -> str:
    """A name for the sources of the compiled modules as they are now, and for the interpreter."""
    digest = sha256(str(sys.implementation.cache_tag).encode())
    for module in MODULES:
        digest.update(f"\0{module}\0".encode() + (package / f"{module}.py").read_bytes())
    return digest.hexdigest()[:16]


def use(path: list[str]) -> str:
    """Make the package find its compiled modules, if they fit its sources; the form that runs."""
    if os.environ.get(SETTING) == "source":
        return "source"
    package = Path(__file__).parent
    for site in (sysconfig.get_path("platlib"), package.parent.parent):
        folder = Path(site, STORE, key(package), *PACKAGE.split("."))
        if folder.is_dir():
            return _load(path, str(folder))
    return "source"


def _load(path: list[str], folder: str) -> str:
    names = [f"{PACKAGE}.{module}" for module in MODULES]
    path.insert(0, folder)
    try:
        for name in names:
            importlib.import_module(name)
    except ImportError as error:
        warnings.warn(f"the compiled form does not load, the source runs: {error}", stacklevel=2)
        path.remove(folder)
        for name in names:
            sys.modules.pop(name, None)
        return "source"
    return "compiled"
