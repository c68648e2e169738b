"""The search for secrets, small; and that it detects a secret where there is one."""

from __future__ import annotations

import base64
import json
import logging

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.chaos.access.outputs import Outputs
from tests.chaos.access.outputs_scan import scan_outputs
from tests.chaos.access.secret_scan import (
    Secrets,
    captured_log,
    scan_answers_and_log,
    scan_started_service,
)
from tests.scale import scaled


def test_no_log_line_header_or_refusal_has_a_secret() -> None:
    outcome = scan_answers_and_log(games=scaled(10), turns=20, corrupted_games=scaled(100))
    assert list(outcome.violations) == []
    assert " 0 failures" not in outcome.summary


@pytest.mark.trial
def test_the_started_service_prints_no_secret() -> None:
    outcome = scan_started_service(games=1)
    assert list(outcome.violations) == []
    assert int(outcome.summary.split()[-2]) > 20


@pytest.mark.parametrize("text", ["a-token", "hand: 8H 9H", "drew JK.", 'upcard="TS"'])
def test_a_secret_or_a_card_in_a_log_line_is_detected(text: str) -> None:
    secrets = Secrets({"a-token"})
    with captured_log() as log:
        logging.getLogger("elsewhere").warning("GET / 200 %s", text)
    secrets.search("the log", log.getvalue())
    assert secrets.violations


def test_ids_that_contain_card_codes_and_cards_of_the_request_are_allowed() -> None:
    secrets = Secrets({"a-token"})
    secrets.search("the log", "GET /v1/games/A-8H-9Hx_TS_2D4C 200 1.2 ms id=2c3d4c")
    secrets.search("a refusal", "The hand holds no 8H.", named='{"card": "8H"}')
    assert not secrets.violations


@pytest.mark.trial
def test_log_metrics_and_traces_of_games_show_no_secret() -> None:
    outcome = scan_outputs(games=4, rounds=scaled(10))
    assert list(outcome.violations) == []


SECRET = bytes(range(32))
TOKEN = base64.urlsafe_b64encode(SECRET).rstrip(b"=").decode()
LINE = {"event": "request", "logger": "service.access", "operation": "drawCard", "seat": 1}


def exported(**attributes: str) -> bytes:
    """What a collector is sent of one span."""
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add(name="drawCard")
    for name, value in attributes.items():
        span.attributes.add(key=name).value.string_value = value
    return request.SerializeToString()


@pytest.mark.parametrize(
    ("outputs", "where"),
    [
        (Outputs(json.dumps({**LINE, "token": TOKEN})), "the log"),
        (Outputs(f"POST /v1/games/{TOKEN}/draw 200 1.0 ms id=1"), "the log"),
        (Outputs("", metrics=f'moves{{token="{TOKEN}"}} 1'), "the metrics"),
        (Outputs("", spans=[exported(token=TOKEN)]), "a span"),
        (Outputs(json.dumps({**LINE, "secret": SECRET.hex()})), "the log"),
        (Outputs("", spans=[exported(), exported(salt=SECRET.decode())]), "a span"),
        (Outputs(json.dumps({**LINE, "hand": "8H 9H"})), "the log"),
        (Outputs(json.dumps({**LINE, "hand": ["TS", "2D"]})), "the log"),
        (Outputs("drew JK"), "the log"),
        (Outputs("", metrics='draws_total{card="8H"} 1'), "the metrics"),
        (Outputs("", spans=[exported(card="8H")]), "a span"),
    ],
)
def test_each_kind_of_leak_is_detected(outputs: Outputs, where: str) -> None:
    found = list(outputs.violations({TOKEN, SECRET.hex()}))
    assert found
    assert all(each.startswith(f"{where} shows") for each in found)


def test_what_may_be_shown_is_no_leak() -> None:
    outputs = Outputs(
        f"{json.dumps({**LINE, 'game_id': 'A-8H-9Hx_TS_2D4C-xxxxx'})}\n"
        "GET /v1/cards/8H.svg 200 1.0 ms id=2c3d4c",
        'moves_total{level="easy"} 8',
        [exported(operation="drawCard")],
    )
    assert list(outputs.violations({TOKEN, SECRET.hex()})) == []
