"""The committed API description, linted by Redocly."""

import os
import subprocess
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_REDOCLY = _ROOT / "tools/node_modules/.bin/redocly"
_QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}


def test_the_description_passes_redoclys_strictest_rules(tmp_path: Path) -> None:
    assert _REDOCLY.exists(), "this test needs Redocly: npm ci in tools/, as make check does"
    linted = subprocess.run(
        [
            _REDOCLY,
            *("lint", "--extends=recommended-strict", "--format=stylish"),
            _ROOT / "openapi/openapi.json",
        ],
        cwd=tmp_path,  # where no configuration of Redocly's could soften a rule
        env=os.environ | _QUIET,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    output = linted.stdout + linted.stderr

    assert linted.returncode == 0, output
    assert "Your API description is valid" in output, output
    assert "warning" not in output.replace("Deprecation warning", ""), output
