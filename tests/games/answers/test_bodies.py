"""The times of answers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.snapshot import LAST_MOMENT
from service.games.answers.bodies import timestamp


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (59_999, "1970-01-01T00:00:59.999Z"),
        (60_000, "1970-01-01T00:01:00.000Z"),
        (1_785_000_000_007, "2026-07-25T17:20:00.007Z"),
        (LAST_MOMENT, "9999-12-31T23:59:59.999Z"),
    ],
)
def test_a_time_is_written_to_the_millisecond(milliseconds: int, text: str) -> None:
    assert timestamp(milliseconds) == text


@given(st.integers(0, LAST_MOMENT))
def test_a_written_time_is_the_time(milliseconds: int) -> None:
    moment = datetime.fromisoformat(timestamp(milliseconds))
    assert moment - datetime.fromtimestamp(0, UTC) == timedelta(milliseconds=milliseconds)
