"""That the table of callers is whole and holds, and that a breach of it would be seen."""

from __future__ import annotations

from unittest import mock

import pytest

from service.games.records import record_key
from tests.chaos.access.callers import CALLERS, STATES, TABLE, callers, operations, oversteps
from tests.chaos.traffic.keys import shared_keys
from tests.scale import scaled


def test_the_table_has_every_operation_and_every_caller() -> None:
    assert set(TABLE) ^ operations() == set()
    assert all(set(row) == set(CALLERS) for row in TABLE.values())


def test_every_caller_may_do_what_the_contract_says_and_nothing_else() -> None:
    outcome = callers(rounds=scaled(10))
    assert list(outcome.breaches) == []
    cells = len(operations()) * len(CALLERS) * len(STATES)
    assert outcome.done.startswith(f"{scaled(10)} times {cells} cells")


def test_another_outcome_than_the_tables_is_a_breach() -> None:
    row = TABLE["getScores"] | {"nobody": ("200", "token-required", "200")}
    with mock.patch.dict(TABLE, {"getScores": row}, clear=True):
        (breach, twin) = callers(rounds=1, states=("playing",)).breaches
    assert "getScores by nobody" in breach
    assert breach.endswith("200 instead of token-required")
    assert "Cookie" in twin


def test_the_idempotency_keys_of_one_seat_never_answer_anothers() -> None:
    outcome = shared_keys(games=scaled(10), steps=100)
    assert list(outcome.breaches) == []
    assert all(word in outcome.done for word in ("made", "refused", "repeated", "reused"))


def test_keys_that_belong_to_the_game_alone_are_a_breach() -> None:
    with mock.patch("service.games.repository.record_key", lambda _, key: record_key("all", key)):
        assert shared_keys(games=1).breaches


VIEW = {
    "status": "playing",
    "went_out": None,
    "you": {"seat": 1},
    "seats": [{"seat": 0, "hand": None}, {"seat": 1, "hand": None}],
}


@pytest.mark.parametrize(
    ("body", "seat"),
    [
        (VIEW, None),
        (VIEW, 0),
        ({"game": VIEW}, 0),
        ({**VIEW, "seats": [{"seat": 0, "hand": ["8H"]}]}, 1),
        ({"events": [{"type": "card_drawn", "seat": 0, "source": "stock", "card": "8H"}]}, 1),
    ],
)
def test_an_answer_that_shows_too_much_is_a_breach(
    body: dict[str, object], seat: int | None
) -> None:
    assert list(oversteps(body, seat))
    assert not list(oversteps(VIEW, 1))
