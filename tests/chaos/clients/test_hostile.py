"""The trial of hostile requests, small; that it has every operation; and that it detects faults."""

from __future__ import annotations

import json
from unittest import mock

import pytest

from tests.chaos.clients import corpus
from tests.chaos.clients.hostile import hostile
from tests.chaos.description import operations
from tests.scale import scaled


def test_hostile_input_is_refused_as_documented_and_changes_nothing() -> None:
    outcome = hostile(mutations=scaled(5_000), share=11)
    assert list(outcome.violations) == []
    assert int(outcome.summary.split()[0]) > 500 + scaled(5_000)


def operations_with_a_body() -> set[str]:
    """The ids of all operations in the API description that take a body."""
    return {name for name, operation in operations().items() if operation.has_body}


def test_the_corpus_has_hostile_bodies_for_every_operation_with_a_body() -> None:
    attacked = {operation.name: operation for operation in corpus.operations("an invite")}
    missing = operations_with_a_body() - set(attacked)
    unknown = set(attacked) - operations_with_a_body()
    assert not missing, f"add to operations() in tests/chaos/clients/corpus.py: {sorted(missing)}"
    assert not unknown, f"no operations with a body: {sorted(unknown)}"
    for name, operation in attacked.items():
        least = 200 if operation.valid else 50  # a body without members has none that can be wrong
        assert len(list(corpus.bodies(operation.valid, operation.accepted_values))) > least, name


FAULTS = {
    "service.http.strict_json.MAX_DIGITS": (10_000, ["500"]),
    "service.http.problems.handlers.MEDIA_TYPE": ("application/json", ["as application/json"]),
    "service.http.strict_json._DECODER": (
        json.JSONDecoder(),
        ["it was accepted", "a game changed"],
    ),
}
"""By the name that is replaced: its faulty value, and what some violations must then contain."""


@pytest.mark.parametrize("name", FAULTS)
def test_a_seeded_fault_of_the_service_is_detected(name: str) -> None:
    value, expected = FAULTS[name]
    with mock.patch(name, value):
        violations = hostile(mutations=0, share=9).violations
    assert [text for text in expected if any(text in each for each in violations)] == expected
