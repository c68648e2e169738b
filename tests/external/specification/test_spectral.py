"""The committed API description and the workflow, linted by Spectral with its own rules."""

import json
import subprocess
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[3]
_SPECTRAL = _ROOT / "tools/node_modules/.bin/spectral"


@pytest.mark.parametrize(
    ("rules", "name"),
    [("spectral:oas", "openapi.json"), ("spectral:arazzo", "play-a-round.arazzo.yaml")],
)
def test_spectral_finds_no_error(rules: str, name: str, tmp_path: Path) -> None:
    assert _SPECTRAL.exists(), "this test needs Spectral: npm ci in tools/, as make check does"
    ruleset = tmp_path / "rules.json"
    ruleset.write_text(json.dumps({"extends": [[rules, "all"]]}))
    linted = subprocess.run(
        [_SPECTRAL, "lint", "--ruleset", ruleset, _ROOT / "openapi" / name],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    output = linted.stdout + linted.stderr

    assert linted.returncode == 0, output
    assert "(0 errors, " in output or "No results with a severity of 'error' found" in output
