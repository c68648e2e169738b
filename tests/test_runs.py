"""The runs of `make`: whatever one of them leaves out, another has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

MAKEFILE = Path(__file__).parents[1] / "Makefile"
SELECTS = re.compile(r" (-m|-k|--ignore\S*|--deselect)[ =]")


def runs() -> list[str]:
    """Each command of the Makefile that runs tests."""
    return re.findall(r"^\t.*\$\(PYTEST\).*$", MAKEFILE.read_text(), re.MULTILINE)


def test_only_the_traced_run_leaves_out_tests() -> None:
    traced = [run for run in runs() if "--cov" in run]
    assert [run for run in runs() if SELECTS.search(run)] == traced
    assert len(traced) == 1


def test_a_folder_that_is_not_searched_for_tests_is_named_in_a_run(
    pytestconfig: pytest.Config,
) -> None:
    assert pytestconfig.getini("testpaths") == ["tests"]
    folders = [name for name in pytestconfig.getini("norecursedirs") if name != ".*"]
    assert folders
    for folder in folders:
        assert any(f" tests/{folder} " in run for run in runs()), folder
