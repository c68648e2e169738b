"""The trial of permissions, small; that its table is complete; and that it detects faults."""

from __future__ import annotations

from unittest import mock

import pytest

from service.games.idempotency import move_key
from tests.chaos.access.callers import callers, hidden_cards_shown
from tests.chaos.access.permissions import CALLERS, PERMISSIONS, STATES, Operation, gaps
from tests.chaos.description import operations
from tests.chaos.traffic.keys import shared_keys
from tests.scale import scaled


def test_the_table_has_an_outcome_for_every_operation_and_every_caller() -> None:
    missing = gaps(operations(), PERMISSIONS)
    assert not missing, "\n".join(missing)


def test_an_operation_that_the_table_lacks_is_named() -> None:
    (lack,) = gaps({"getHint", "shuffleSeats"}, {"getHint": PERMISSIONS["getHint"]})
    assert lack.startswith("shuffleSeats has no entry in PERMISSIONS in ")


def test_an_operation_that_the_api_lacks_is_named() -> None:
    assert gaps(set(), {"getHint": PERMISSIONS["getHint"]}) == [
        "getHint is no operation of the API"
    ]


def test_every_caller_may_do_what_the_contract_allows_and_nothing_else() -> None:
    outcome = callers(rounds=scaled(10))
    assert list(outcome.violations) == []
    cells = sum(len(operation.outcomes) * len(STATES) for operation in PERMISSIONS.values())
    assert outcome.summary.startswith(f"{scaled(10)} times {cells} cells")


def test_an_answer_that_differs_from_the_table_is_a_violation() -> None:
    row = PERMISSIONS["getScores"]
    wrong = Operation(row.call, {**row.outcomes, "nobody": ("200", "token-required", "200")})
    with mock.patch.dict(PERMISSIONS, {"getScores": wrong}, clear=True):
        without_token, with_cookie = callers(rounds=1, states=("playing",)).violations
    assert "getScores by nobody {}" in without_token
    assert without_token.endswith("200 instead of token-required")
    assert "Cookie" in with_cookie


def test_a_seat_never_gets_an_answer_that_was_recorded_for_another_seat() -> None:
    outcome = shared_keys(games=scaled(10))
    assert list(outcome.violations) == []
    assert all(
        word in outcome.summary for word in ("made", "refused", "repeated", "reused", "expired")
    )


def test_idempotency_keys_that_all_seats_share_are_a_violation() -> None:
    with mock.patch(
        "service.games.changes.move_key", lambda _, key, now: move_key("all", key, now)
    ):
        assert shared_keys(games=1).violations


def test_an_answer_that_comes_again_for_too_long_or_not_long_enough_is_a_violation() -> None:
    for slots in (7, 9):
        with (
            mock.patch("service.store.records.SLOTS", slots),
            mock.patch("service.store.scripts.commit_script.SLOTS", slots),
        ):
            assert shared_keys(games=1).violations


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
def test_an_answer_that_shows_hidden_cards_is_a_violation(
    body: dict[str, object], seat: int | None
) -> None:
    assert list(hidden_cards_shown(body, seat))
    assert not list(hidden_cards_shown(VIEW, 1))


def test_a_caller_without_an_outcome_is_named() -> None:
    row = PERMISSIONS["getHint"]
    outcomes = {caller: row.outcomes[caller] for caller in CALLERS if caller != "key"}
    table = {"getHint": Operation(row.call, outcomes)}
    assert gaps({"getHint"}, table) == ["getHint has no outcome for the caller key"]
