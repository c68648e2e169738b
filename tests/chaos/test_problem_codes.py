"""Every problem code is expected by a test; the codes that only a faulty store causes, by these."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from service.app import create_app
from service.config import Config
from service.errors import OutcomeUnknownError
from service.http.problems.catalogue import PROBLEMS
from service.store.models import Commit, Stale
from tests.chaos.simulation.faulty_store import ModelStore
from tests.player import QUICK, Player, create, refused

TESTS = Path(__file__).parents[1]


def player_over(model: Any) -> Player:
    """A player of a new game whose service has this store."""
    config = Config(data_dir=Path("unused"), log_level="CRITICAL")
    return create(create_app(config, model).test_client(), QUICK)


def test_a_move_that_always_meets_a_newer_version_is_a_conflict_and_changes_nothing() -> None:
    class AlwaysStaleStore(ModelStore):
        def commit(self, commit: Commit) -> Any:
            return Stale(commit.expected) if commit.expected else super().commit(commit)

    model = AlwaysStaleStore()
    player = player_over(model)
    refused(player.draw(), 409, "conflict")
    assert len(model.journal) == 1


def test_a_move_whose_commit_may_have_been_written_has_an_unknown_outcome() -> None:
    class UnknownOutcomeStore(ModelStore):
        def commit(self, commit: Commit) -> Any:
            return self.fail() if commit.expected else super().commit(commit)

        def fail(self) -> NoReturn:
            raise OutcomeUnknownError("the answer was lost", 2)

    answer = player_over(UnknownOutcomeStore()).draw()
    refused(answer, 503, "outcome-unknown")
    assert answer.headers["Retry-After"] == "2"


def expected_codes(source: str) -> Iterator[str]:
    """The problem codes that a call takes as an argument, or that a comparison compares with."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(args=values):
                texts = values
            case ast.Compare(left=left, comparators=others):
                texts = [left, *others]
            case _:
                continue
        for text in texts:
            if isinstance(text, ast.Constant) and text.value in PROBLEMS:
                yield str(text.value)


def test_every_problem_code_is_expected_by_a_test() -> None:
    expected = {code for path in TESTS.rglob("*.py") for code in expected_codes(path.read_text())}
    missing = set(PROBLEMS) - expected
    assert not missing, f"write a test that expects {sorted(missing)}"


def test_a_code_that_only_a_list_names_is_not_expected() -> None:
    assert list(expected_codes('CODES = {"conflict": 409}')) == []
    assert list(expected_codes('refused(answer, 409, "conflict")')) == ["conflict"]
