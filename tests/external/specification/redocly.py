"""Redocly's program, which lints descriptions and runs workflows."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]
_REDOCLY = ROOT / "tools/node_modules/.bin/redocly"
_QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}


def run(folder: Path, *arguments: str | Path) -> str:
    """What it prints; it runs in a folder where no configuration of its own softens a rule."""
    assert _REDOCLY.exists(), "this test needs Redocly: npm ci in tools/, as make check does"
    ended = subprocess.run(
        [_REDOCLY, *arguments],
        cwd=folder,
        env=os.environ | _QUIET,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    output = ended.stdout + ended.stderr
    assert ended.returncode == 0, output
    return output


def lint(folder: Path, description: Path) -> None:
    """Hold a description against the strictest rules; a warning counts like an error."""
    output = run(folder, "lint", "--extends=recommended-strict", "--format=stylish", description)
    assert "Your API description is valid" in output, output
    assert "warning" not in output.replace("Deprecation warning", ""), output
