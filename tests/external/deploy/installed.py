"""The wheel, built from a copy of the tree and installed as somebody does, and a game with it.

The installation takes the dependencies from the package index, in the versions of the lock file.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import requests

ROOT = Path(__file__).parents[3]
BUILT_FROM = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE")


def build(tree: Path, out: Path) -> Path:
    """Build the wheel from a copy in an empty folder, and return where it is."""
    for name in BUILT_FROM:
        shutil.copy(ROOT / name, tree)
    for package in ("engine", "service", "tools"):
        unwanted = shutil.ignore_patterns("__pycache__", "node_modules")
        shutil.copytree(ROOT / package, tree / package, ignore=unwanted)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps"]
    subprocess.run([*pip, ".", "--wheel-dir", str(out)], cwd=tree, check=True)
    (found,) = out.glob("*.whl")
    return found


def install(wheel: Path, folder: Path) -> Path:
    """Install a wheel into an environment of its own, and return the command that it brings."""
    constraints = folder / "constraints.txt"
    constraints.write_text(_without_hashes(ROOT / "requirements" / "run.txt"))
    environment = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    pip = [environment / "bin" / "pip", "--disable-pip-version-check", "--no-input", "install"]
    subprocess.run([*pip, "--quiet", "--constraint", constraints, wheel], check=True, cwd=folder)
    return environment / "bin" / "three-thirteen"


def _without_hashes(lock: Path) -> str:
    """The versions of a lock file as constraints; with hashes the wheel itself would need one."""
    lines = [line.rstrip("\\ ") for line in lock.read_text().splitlines()]
    return "".join(f"{line}\n" for line in lines if line and line[0] not in " #")


def played(url: str) -> str:
    """Play a whole game with the cards that the service finds best, and return its id."""
    session = requests.Session()
    created = session.post(f"{url}/v1/games", timeout=30).json()
    session.headers["Authorization"] = f"Bearer {created['token']}"
    game = created["game"]
    place = f"{url}/v1/games/{game['id']}"
    while game["status"] == "playing":
        drawn = session.post(f"{place}/draw", json={"source": "stock"}, timeout=30).json()["game"]
        card = drawn["you"]["arrangement"]["discard"]
        game = session.post(f"{place}/discard", json={"card": card}, timeout=30).json()["game"]
    assert len(game["result"]["totals"]) == 4
    return str(game["id"])
