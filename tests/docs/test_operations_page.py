"""docs/operations.md says what to do by each alert and by each problem code, and by no other."""

from __future__ import annotations

import re

from service.http.problems.catalogue import PROBLEMS
from tests.docs.documents import ROOT

PAGE = (ROOT / "docs" / "operations.md").read_text()
TASKS = [
    "Install",
    "Settings",
    "Size",
    "Scale out",
    "Watch",
    "Back up",
    "Upgrade",
    "What to do when",
]
COLUMNS = ["cause", "how to see it", "what to do"]


def part(heading: str) -> str:
    """What stands below a heading of the third level."""
    return PAGE.partition(f"\n### {heading}\n")[2].partition("\n##")[0]


def rows(section: str) -> dict[str, list[str]]:
    """The rows of a section's table: the other cells by what stands in the first."""
    first, _line, *others = [line for line in section.splitlines() if line.startswith("|")]
    assert [cell.strip() for cell in first.strip("|").split("|")][1:] == COLUMNS
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in others]
    assert all(len(row) == 1 + len(COLUMNS) and all(row) for row in cells)
    found = {row[0].strip("`"): row[1:] for row in cells}
    assert len(found) == len(cells), "a row is there twice"
    return found


def test_the_tasks_come_first_and_in_order() -> None:
    assert re.findall(r"^## (.*)$", PAGE, re.MULTILINE)[: len(TASKS)] == TASKS


def test_every_alert_has_a_row_and_every_row_is_of_an_alert() -> None:
    rules = (ROOT / "deploy" / "prometheus" / "alerts.yml").read_text()
    assert set(rows(part("By alert"))) == set(re.findall(r"alert: (\w+)", rules))


def test_every_problem_has_a_row_or_is_for_callers() -> None:
    section = part("By problem code")
    for_operators = set(rows(section))
    for_callers = re.findall(r"`([a-z-]+)`", section.rpartition("The other codes")[2])
    assert len(for_callers) == len(set(for_callers))
    assert for_operators.isdisjoint(for_callers)
    assert for_operators | set(for_callers) == set(PROBLEMS)


def test_no_remedy_that_names_a_setting_is_left_to_callers() -> None:
    of_settings = {
        each.code for each in PROBLEMS.values() if re.search(r"\b[A-Z]+_[A-Z_]+\b", each.remedy)
    }
    assert of_settings
    assert of_settings <= set(rows(part("By problem code")))
