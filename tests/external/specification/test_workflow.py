"""The Arazzo workflow plays a round against the running service, in Redocly's runner."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.external.specification import redocly

_WORKFLOW = redocly.ROOT / "openapi/play-a-round.arazzo.yaml"


def _executed(folder: Path, workflow: Path, url: str) -> list[str]:
    """The steps of the workflow's run, in their order; every check of each has passed."""
    report = folder / "report.json"
    redocly.run(folder, "respect", workflow, f"--server=rummy={url}", f"--json-output={report}")
    (file,) = json.loads(report.read_text())["files"].values()
    (executed,) = file["executedWorkflows"]
    assert executed["status"] == "success"
    return [step["stepId"] for step in _flat(executed)]


def _flat(executed: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The steps of a run; those that a step has led to stand in a run within it."""
    for each in executed["executedSteps"]:
        yield from [each] if each["type"] == "step" else _flat(each)


def test_the_workflow_passes_redoclys_strictest_rules(tmp_path: Path) -> None:
    redocly.lint(tmp_path, _WORKFLOW)


def test_the_workflow_creates_a_game_and_plays_a_round(tmp_path: Path, service_url: str) -> None:
    steps = _executed(tmp_path, _WORKFLOW, service_url)

    turns = (len(steps) - 2) // 2
    assert turns >= 1
    assert steps == ["create", *["draw", "discard"] * turns, "scores"]


def test_a_workflow_that_expects_what_the_service_does_not_answer_fails(
    tmp_path: Path, service_url: str
) -> None:
    text = _WORKFLOW.read_text().replace("/game/status == 'playing'", "/game/status == 'waiting'")
    wrong = tmp_path / "wrong.arazzo.yaml"
    wrong.write_text(text)
    (tmp_path / "openapi.json").write_bytes(_WORKFLOW.with_name("openapi.json").read_bytes())

    with pytest.raises(AssertionError, match="waiting"):
        _executed(tmp_path, wrong, service_url)
