"""The search for secrets, small; and that it detects a secret where there is one."""

from __future__ import annotations

import logging

import pytest

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
