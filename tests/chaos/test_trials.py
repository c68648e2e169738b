"""The command `python -m tests.chaos` runs every trial that the modules have."""

from __future__ import annotations

import re
from pathlib import Path
from unittest import mock

import pytest

from tests.chaos import __main__ as chaos
from tests.chaos.trial import Outcome, Trial

FOLDER = Path(__file__).parent
DEFINITION = re.compile(r"^TRIALS\b", re.MULTILINE)


def modules_with_trials() -> set[str]:
    """Every module below this folder that defines TRIALS, as `folder.module`."""
    return {
        f"{path.parent.name}.{path.stem}"
        for path in FOLDER.glob("*/*.py")
        if DEFINITION.search(path.read_text())
    }


def test_the_list_of_modules_has_every_module_that_defines_trials() -> None:
    listed = {f"{folder}.{name}" for name, folder in chaos.MODULES.items()}
    missing, without_trials = modules_with_trials() - listed, listed - modules_with_trials()
    assert not missing, f"add to MODULES in tests/chaos/__main__.py: {sorted(missing)}"
    assert not without_trials, f"no TRIALS in {sorted(without_trials)}"


@pytest.mark.parametrize("name", chaos.MODULES)
def test_every_module_has_trials_with_a_promise_and_a_method(name: str) -> None:
    trials = chaos.trials_of(name)
    assert trials
    for trial in trials:
        assert trial.promise.strip(), name
        assert trial.method.strip(), name
        assert "|" not in trial.promise + trial.method, "a bar would break the table"


def test_no_two_trials_have_the_same_promise_and_method() -> None:
    trials = [trial for name in chaos.MODULES for trial in chaos.trials_of(name)]
    assert len({(trial.promise, trial.method) for trial in trials}) == len(trials)


@pytest.mark.parametrize(("violations", "status"), [((), 0), (("a move was lost",), 1)])
def test_the_table_has_a_row_for_each_trial_and_a_violation_fails_the_run(
    capsys: pytest.CaptureFixture[str], violations: tuple[str, ...], status: int
) -> None:
    trial = Trial("a promise", "a method", lambda: Outcome("3 games", violations))
    with mock.patch.object(chaos, "trials_of", return_value=[trial]):
        assert chaos.main(["worker_kills", "joins"]) == status
    printed = capsys.readouterr()
    rows = printed.out.splitlines()[2:]
    assert rows == [f"| a promise | a method | 3 games | {len(violations)} | 0 |"] * 2
    assert printed.err.count("a move was lost") == 2 * len(violations)


def test_an_unknown_name_is_refused_and_the_known_names_are_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert chaos.main(["worker_deaths"]) == 2
    printed = capsys.readouterr().out
    assert "worker_deaths" in printed
    assert all(name in printed for name in chaos.MODULES)
