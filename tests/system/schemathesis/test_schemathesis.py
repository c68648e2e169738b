"""Schemathesis against the running service: every check, every phase, every operation."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import requests

from tests.scale import scaled
from tests.system.launch import Launch

_ROOT = Path(__file__).parents[3]
_CONFIG = _ROOT / "tests/system/schemathesis/schemathesis.toml"
_EXAMPLES = scaled(100)
_PHASES = {"examples", "coverage", "fuzzing", "stateful"}


class Report:
    """What one run of Schemathesis said and sent."""

    def __init__(self, url: str, folder: Path) -> None:
        names = {kind: folder / f"report.{kind}" for kind in ("json", "ndjson")}
        ended = subprocess.run(
            [
                Path(sys.executable).with_name("schemathesis"),
                *("--config-file", _CONFIG),
                *("run", f"{url}/v1/openapi.json", "--no-color"),
                f"--max-examples={_EXAMPLES}",
                *(f"--report-{kind}-path={name}" for kind, name in names.items()),
            ],
            cwd=_ROOT,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        self.code = ended.returncode
        self.said = ended.stdout + ended.stderr
        self.summary: dict[str, Any] = json.loads(names["json"].read_text())
        self._events = names["ndjson"]

    def scenarios(self, phase: str) -> Iterator[dict[str, Any]]:
        """The recorded scenarios of a phase."""
        for line in self._events.read_text().splitlines():
            finished = json.loads(line).get("ScenarioFinished")
            if finished is not None and finished["phase"] == phase:
                yield finished["recorder"]

    def sent(self, phase: str) -> Counter[str]:
        """How many examples of a phase each operation had."""
        return Counter(
            scenario["label"]
            for scenario in self.scenarios(phase)
            for _ in scenario["interactions"]
        )

    def succeeded(self) -> Counter[str]:
        """How many requests of each operation did what it is there for."""
        return Counter(
            f"{case['value']['method']} {case['value']['path']}"
            for phase in _PHASES
            for scenario in self.scenarios(phase)
            for name, case in scenario.get("cases", {}).items()
            if 200 <= _status(scenario, name) < 300
        )


def _status(scenario: dict[str, Any], name: str) -> int:
    answered = scenario["interactions"].get(name) or {}
    return int((answered.get("response") or {"status_code": 0})["status_code"])


def _labels(url: str) -> set[str]:
    """Every operation by method and path."""
    paths = requests.get(f"{url}/v1/openapi.json", timeout=10).json()["paths"]
    return {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}


def test_schemathesis_finds_no_fault_with_any_operation(tmp_path: Path) -> None:
    with Launch(tmp_path, LOG_LEVEL="WARNING", WORKERS="2") as service:
        url = service.url()
        labels = _labels(url)
        report = Report(url, tmp_path)

    assert report.code == 0, report.said
    assert report.summary["complete"], report.said
    assert report.summary["failures"] == report.summary["errors"] == []
    phases = {phase: found["status"] for phase, found in report.summary["phases"].items()}
    assert phases == dict.fromkeys(_PHASES, "success")

    # It ends an operation early, and calls that a success, when answers vary too much.
    sent = report.sent("fuzzing")
    assert {label: sent[label] for label in labels if sent[label] < _EXAMPLES} == {}
    assert len(list(report.scenarios("stateful"))) >= _EXAMPLES
    assert set(report.succeeded()) >= labels
