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
from tests.external.deploy.installed import played
from tests.system.launch import Launch

ROOT = Path(__file__).parents[3]
FORM = (
    "import engine; from engine.solver import costs; "
    "print(engine.form, engine.__file__, costs.__file__)"
)


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
    """All that is in the folder of the service, also in folders that are new there."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tree = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "service").rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".so")
    }
    assert tree - set(names) == set()
    assert {f"service/http/rules/{tag}.md" for tag in LANGUAGES} <= tree
    for sample in ("store/scripts/commit.lua", "http/static/verify.mjs"):
        assert f"service/{sample}" in tree
    assert not [name for name in names if name.startswith(("tests/", "bench/", "tools/"))]


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
        *("serve", "backup", "verify", "openapi", "version"),
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
