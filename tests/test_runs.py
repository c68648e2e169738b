"""The runs of `make`: whatever one of them leaves out, another has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

MAKEFILE = Path(__file__).parents[1] / "Makefile"
SELECTS = re.compile(r" (-m|-k|--ignore\S*|--deselect)[ =]('[^']*')?")


def runs() -> list[str]:
    """Each command of the Makefile that runs tests."""
    return re.findall(r"^\t.*\$\(PYTEST\).*$", MAKEFILE.read_text(), re.MULTILINE)


def selected(run: str) -> str:
    """By what a command selects tests; nothing if it runs all."""
    found = SELECTS.search(run)
    return found[0].strip() if found else ""


def test_the_quick_run_leaves_out_trials_and_the_traced_one_what_it_would_stretch() -> None:
    check = [run for run in runs() if "WHOLE=1" in run or "--cov" in run]
    (quick,) = [run for run in runs() if run not in check]
    assert selected(quick) == "-m 'not trial'"
    (traced,) = [run for run in check if "--cov" in run]
    assert selected(traced) == "-m 'not timing and not long and not trial'"


def test_the_run_of_whole_numbers_leaves_out_nothing() -> None:
    whole = [run for run in runs() if "WHOLE=1" in run]
    assert len(whole) == 2
    assert [selected(run) for run in whole] == ["", ""]


def test_a_folder_that_is_not_searched_for_tests_is_named_in_a_run(
    pytestconfig: pytest.Config,
) -> None:
    assert pytestconfig.getini("testpaths") == ["tests"]
    folders = [name for name in pytestconfig.getini("norecursedirs") if name != ".*"]
    assert folders
    for folder in folders:
        assert any(f" tests/{folder} " in run for run in runs()), folder
