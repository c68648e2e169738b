"""The committed API description, linted by Redocly."""

from pathlib import Path

from tests.external.specification import redocly


def test_the_description_passes_redoclys_strictest_rules(tmp_path: Path) -> None:
    redocly.lint(tmp_path, redocly.ROOT / "openapi/openapi.json")
