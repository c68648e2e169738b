"""The settings in words: the pages and the command line name those of the code, and no others."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from service import cli, settings
from service.config import Config

ROOT = Path(__file__).parents[2]
OPERATIONS = ROOT / "docs" / "operations.md"
VARIABLES = {each.name.upper() for each in fields(Config)}
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
OTHER_VARIABLES = {"BENCH_ARGS", "ENGINE_FORM", "WHOLE"}
"""What the pages give values to besides, the results of commands (`NAME=$(…)`) left out."""


def table_of_the_page() -> list[list[str]]:
    """The rows of the table of settings in docs/operations.md."""
    section = OPERATIONS.read_text().partition("\n## Settings\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]


def test_the_page_lists_every_setting_and_no_other() -> None:
    _titles, _lines, *rows = table_of_the_page()
    listed = [row[0].strip("`") for row in rows]
    assert len(listed) == len(set(listed))
    assert set(listed) == VARIABLES, f"run 'make settings' ({OPERATIONS})"
    assert all(len(row) == 4 and all(row) for row in rows)


def test_the_page_has_the_table_that_the_code_makes() -> None:
    assert f"\n\n{settings.table()}\n## " in OPERATIONS.read_text(), "run 'make settings'"


def test_every_setting_has_a_meaning_and_nothing_else_has() -> None:
    names = {each.name for each in fields(Config)}
    assert settings.MEANINGS.keys() == names, "write its meaning into service/settings.py"


def test_a_default_is_the_one_that_the_code_takes() -> None:
    for each in settings.settings():
        if each.default != "unset":
            given = each.default.partition(" ")[0]
            assert Config.from_environ({each.variable: given}) == Config(), each.variable


def test_the_help_of_serve_lists_every_setting(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["serve", "--help"])
    printed = capsys.readouterr().out
    assert set(re.findall(r"^  ([A-Z_]{2,})$", printed, re.MULTILINE)) == VARIABLES
    assert max(map(len, printed.splitlines())) < 100


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_gives_values_to_settings_alone(page: Path) -> None:
    named = set(re.findall(r"(?<![\w$/{])([A-Z][A-Z_]+[A-Z])=(?!\$\()", page.read_text()))
    assert named <= VARIABLES | OTHER_VARIABLES


def test_what_the_readme_calls_settings_are_settings() -> None:
    section = (ROOT / "README.md").read_text().partition("\n## Settings\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([A-Z][A-Z_]+)`", section))
    assert named
    assert named <= VARIABLES
