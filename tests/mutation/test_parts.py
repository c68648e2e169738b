"""The list of parts and the list of equivalent mutants name modules and tests that exist."""

from __future__ import annotations

from tests.mutation.__main__ import PARTS, equivalent_mutants
from tests.mutation.mutants import ROOT


def test_every_module_and_every_test_of_a_part_exists() -> None:
    paths = {path for part in PARTS for path in (*part.modules, *part.tests)}
    missing = sorted(path for path in paths if not (ROOT / path).is_file())
    assert missing == []


def test_no_module_is_in_two_parts() -> None:
    modules = [module for part in PARTS for module in part.modules]
    assert sorted(modules) == sorted(set(modules))


def test_every_equivalent_mutant_is_in_a_module_of_a_part() -> None:
    modules = {module for part in PARTS for module in part.modules}
    unknown = sorted({each.module for each in equivalent_mutants()} - modules)
    assert unknown == []


def test_every_equivalent_mutant_has_its_text_before_the_change_in_its_module() -> None:
    """Mutants split no line: where the code has one statement on several lines, it is joined."""
    missing = [
        f"{each.module} {each.function}: {each.before}"
        for each in equivalent_mutants()
        if _joined(each.before) not in _joined((ROOT / each.module).read_text())
    ]
    assert missing == []


def _joined(text: str) -> str:
    return "".join(text.split()).replace(",)", ")").replace("'", '"')
