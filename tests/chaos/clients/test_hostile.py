"""That hostile requests and open ears find nothing, and that they would find a fault."""

from __future__ import annotations

import json
import logging
from unittest import mock

import pytest

from tests.chaos.access.callers import DESCRIPTION
from tests.chaos.access.secret_scan import Secrets, listening, started, whispers
from tests.chaos.clients import corpus
from tests.chaos.clients.hostile import hostile
from tests.scale import scaled


def test_hostile_input_is_refused_as_documented_and_changes_nothing() -> None:
    outcome = hostile(noise=scaled(5_000), share=11)
    assert list(outcome.breaches) == []
    assert int(outcome.done.split()[0]) > 500 + scaled(5_000)


def test_every_operation_with_a_body_is_attacked() -> None:
    paths = json.loads(DESCRIPTION.read_text())["paths"].values()
    with_body = {
        each["operationId"] for path in paths for each in path.values() if "requestBody" in each
    }
    attacked = corpus.operations("an invite")
    assert {operation.name for operation in attacked} == with_body
    for operation in attacked:
        assert len(list(corpus.bodies(operation.fitting, operation.takes))) > 200


FAULTS = {
    "service.http.strict_json.MAX_DIGITS": (10_000, ["500"]),
    "service.http.problems.handlers.MEDIA_TYPE": ("application/json", ["as application/json"]),
    "service.http.strict_json._DECODER": (
        json.JSONDecoder(),
        ["it was accepted", "a game changed"],
    ),
}


@pytest.mark.parametrize("place", FAULTS)
def test_a_fault_of_the_service_is_found(place: str) -> None:
    fault, told = FAULTS[place]
    with mock.patch(place, fault):
        breaches = hostile(noise=0, share=9).breaches
    assert [word for word in told if any(word in breach for breach in breaches)] == told


def test_no_secret_is_told_by_log_headers_or_refusals() -> None:
    outcome = whispers(games=scaled(10), turns=20, damages=scaled(100))
    assert list(outcome.breaches) == []
    assert " 0 damages" not in outcome.done


def test_no_secret_is_printed_by_the_started_service() -> None:
    outcome = started(games=1)
    assert list(outcome.breaches) == []
    assert int(outcome.done.split()[-2]) > 20


@pytest.mark.parametrize("told", ["a-token", "hand: 8H 9H", "drew JK.", 'upcard="TS"'])
def test_a_secret_in_a_line_is_found(told: str) -> None:
    secrets = Secrets({"a-token"})
    with listening() as heard:
        logging.getLogger("elsewhere").warning("GET / 200 %s", told)
    secrets.search("the log", heard.getvalue())
    assert secrets.breaches


def test_ids_are_no_cards() -> None:
    secrets = Secrets({"a-token"})
    secrets.search("the log", "GET /v1/games/A-8H-9Hx_TS_2D4C 200 1.2 ms id=2c3d4c")
    secrets.search("a refusal", "The hand holds no 8H.", named='{"card": "8H"}')
    assert not secrets.breaches
