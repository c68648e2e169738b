"""The wheel as somebody installs it: outside the tree, with the compiled form in it.

The installation takes the dependencies from the package index, in the versions of the lock file.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import requests

from service.http.rulebook import LANGUAGES
from tests.system.launch import Launch

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


def without_hashes(lock: Path) -> str:
    """The versions of a lock file, as constraints that a wheel from here need not fit by hash."""
    lines = [line.rstrip("\\ ") for line in lock.read_text().splitlines()]
    return "".join(f"{line}\n" for line in lines if line and line[0] not in " #")


@pytest.fixture(scope="module")
def command(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command that `pip install` of the wheel gives, in an environment of its own."""
    folder = tmp_path_factory.mktemp("clean")
    constraints = folder / "constraints.txt"
    constraints.write_text(without_hashes(ROOT / "requirements" / "run.txt"))
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    pip = [folder / "venv" / "bin" / "pip", "--disable-pip-version-check", "--no-input", "install"]
    subprocess.run([*pip, "--quiet", "--constraint", constraints, wheel], check=True, cwd=folder)
    return folder / "venv" / "bin" / "three-thirteen"


def ran(command: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [command, *arguments], check=False, capture_output=True, text=True, cwd=cwd
    )


def test_the_command_says_what_it_is(command: Path, tmp_path: Path) -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        version = tomllib.load(file)["project"]["version"]
    assert ran(command, "version", cwd=tmp_path).stdout == f"{version}\n"
    told = ran(command, "--help", cwd=tmp_path).stdout
    assert told.startswith("usage: three-thirteen [-h] COMMAND ...")
    assert re.findall(r"^    (\w+) ", told, re.MULTILINE) == [
        *("serve", "verify", "openapi", "version"),
    ]


@pytest.mark.parametrize("words", [("nonsense",), ("serve", "now"), ("--port", "80"), ("verify",)])
def test_the_command_refuses_what_it_does_not_know(
    command: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    refused = ran(command, *words, cwd=tmp_path)
    assert refused.returncode == 2
    assert "three-thirteen" in refused.stderr
    assert "error: " in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_installed_description_is_that_of_the_tree(command: Path, tmp_path: Path) -> None:
    written = subprocess.run([command, "openapi"], capture_output=True, cwd=tmp_path, check=True)
    assert written.stdout == (ROOT / "openapi" / "openapi.json").read_bytes()


def test_an_installed_wheel_plays_a_game_without_the_tree(command: Path, tmp_path: Path) -> None:
    for name in ("service", "engine", "flask", "redis"):  # what a folder holds is not imported
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong module')\n")
    with Launch(tmp_path, ["serve"], program=str(command), cwd=tmp_path) as service:
        url = service.url()
        game = played(url)
        replay = requests.get(f"{url}/v1/games/{game}/replay", timeout=30)
        for path in (
            "/v1/docs",
            "/v1/rules",
            "/v1/cards/QH.svg",
            "/v1/openapi.json",
            "/verify.mjs",
        ):
            assert requests.get(f"{url}{path}", timeout=30).status_code == 200, path
        service.said("the engine runs compiled" if shutil.which("cc") else "as source")
    (tmp_path / "replay.json").write_bytes(replay.content)
    told = ran(command, "verify", "replay.json", cwd=tmp_path)
    assert (told.returncode, told.stdout.splitlines()[-1]) == (0, "VERIFIED")


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
