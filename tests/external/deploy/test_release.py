"""What `make release` puts beside the wheel: each package with its licence, and no other."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ALLOWED = re.compile(r"MIT|BSD|Apache|MPL-2\.0|Python Software Foundation|PSF")


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release") / "dist"
    environ = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", "--silent", "release", f"DIST={folder}"]
    subprocess.run(command, cwd=ROOT, env=environ, check=True)
    return folder


def pinned() -> dict[str, str]:
    """What the service runs on, as the lock file has it; that of other platforms is left out."""
    text = (ROOT / "requirements" / "run.txt").read_text()
    return dict(re.findall(r"^([a-z0-9-]+)==([^ ]+) \\\\?$", text, re.MULTILINE))


def licences(release: Path) -> dict[str, tuple[str, str]]:
    rows = (release / "licences.md").read_text().splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return {canonical(name): (version, licence) for name, version, licence, _ in cells}


def canonical(name: str) -> str:
    """A package's name as an index compares it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_package_is_listed_with_a_licence_that_may_be_passed_on(release: Path) -> None:
    listed = licences(release)
    assert "flask" in pinned()
    assert pinned().items() <= {name: version for name, (version, _) in listed.items()}.items()
    for name, (_, licence) in listed.items():
        assert ALLOWED.search(licence), f"{name}: {licence}"


def test_the_bill_of_materials_has_the_same_packages(release: Path) -> None:
    bill = json.loads((release / "sbom.cdx.json").read_bytes())
    assert bill["bomFormat"] == "CycloneDX"
    assert bill["metadata"]["component"]["name"] == "three-thirteen"
    named = {canonical(each["name"]): each for each in bill["components"]}
    own = {"three-thirteen"}
    assert named.keys() - own == licences(release).keys() - own
    assert all(each["purl"].startswith("pkg:pypi/") for each in named.values())
    assert all("licenses" in each for each in named.values())


def test_there_is_one_wheel_and_the_tree_is_left_as_it_was(release: Path) -> None:
    assert len(list(release.glob("three_thirteen-*.whl"))) == 1
    assert not (ROOT / "build").exists()
