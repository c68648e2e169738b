"""The checker on histories written by hand, and on histories of stores with seeded faults."""

from __future__ import annotations

import pytest

from tests.chaos.store.seeded_faults import FAULTS, StoreFactory, play_games, real_store
from tests.chaos.traffic.linearizability import (
    AcknowledgedMove,
    Kind,
    Operation,
    event_log_violations,
    linearizability_violations,
)


def move(key: str, invoked: float, responded: float, version: int) -> Operation:
    return Operation("g", Kind.MOVE, key, invoked, responded, version)


def read(invoked: float, responded: float, version: int) -> Operation:
    return Operation("g", Kind.READ, "", invoked, responded, version)


def unknown(key: str, invoked: float) -> Operation:
    return Operation("g", Kind.MOVE, key, invoked)


FIRST = move("a", 0, 1, 1)


@pytest.mark.parametrize(
    "history",
    [
        [],
        [FIRST, move("b", 2, 3, 2), read(4, 5, 2)],
        [FIRST, move("b", 2, 9, 2), read(3, 4, 1), read(3, 4, 2), read(5, 6, 2)],
        [FIRST, move("b", 2, 3, 2), move("b", 8, 9, 2), move("c", 4, 5, 3)],
        [FIRST, move("c", 2, 9, 3), move("b", 2, 9, 2)],
        [FIRST, unknown("b", 2), read(3, 4, 1), read(7, 8, 2)],
        [FIRST, unknown("b", 2), move("b", 3, 4, 2), move("c", 5, 6, 3)],
        [FIRST, unknown("b", 2), unknown("c", 3), move("d", 4, 5, 2)],
    ],
)
def test_a_linearizable_history_has_no_violation(history: list[Operation]) -> None:
    assert linearizability_violations(history) == []


@pytest.mark.parametrize(
    ("history", "said"),
    [
        ([FIRST, move("b", 0, 1, 1)], "version 1 was made twice, by move a and by b"),
        ([FIRST, move("a", 2, 3, 2)], "move a was made twice, as version 1 and as 2"),
        ([FIRST, move("c", 2, 3, 3)], "version 2 was made by no known move"),
        ([FIRST, read(2, 3, 2)], "version 2 was made by no known move"),
        ([FIRST, read(2, 3, 2), unknown("b", 4)], "version 2 was made by no known move"),
        ([FIRST, read(2, 3, 3), unknown("b", 1)], "version 3 was made by no known move"),
        (
            [FIRST, move("b", 2, 3, 2), read(4, 5, 1)],
            "version 2 was returned, but a later read returned version 1",
        ),
        (
            [FIRST, read(2, 3, 2), move("b", 4, 5, 2)],
            "version 2 was returned before move b made version 2",
        ),
        (
            [FIRST, move("c", 2, 3, 3), move("b", 4, 5, 2)],
            "version 3 was returned before move b made version 2",
        ),
    ],
)
def test_a_history_that_contradicts_one_order_of_moves_is_a_violation(
    history: list[Operation], said: str
) -> None:
    assert linearizability_violations(history) == [f"game g: {said}"]


def test_the_order_of_moves_is_checked_for_each_game_alone() -> None:
    other = Operation("h", Kind.MOVE, "x", 5, 6, 1)
    assert linearizability_violations([FIRST, move("b", 2, 3, 2), other]) == []


def event(seq: int, card: str | None = None) -> dict[str, object]:
    return {"seq": seq, "type": "card_drawn", "card": card}


LOG = [event(1, "5H"), event(2, "JK"), event(3, "2C")]


def test_a_log_that_has_the_events_of_each_move_once_is_no_violation() -> None:
    moves = [AcknowledgedMove("a", 1, LOG[:1]), AcknowledgedMove("b", 2, [event(2), LOG[2]])]
    assert list(event_log_violations(LOG, moves, 0)) == []
    assert list(event_log_violations(LOG, moves[:1], 1)) == []


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([LOG[1:], LOG[:2]], "event 2 was caused by move 0 and by move 1"),
        ([LOG, [event(4)]], "event 4 of acknowledged move 1 is not in the log"),
        ([LOG[:2], [event(3, "2H")]], "event 3 of acknowledged move 1 is not in the log"),
        ([LOG[:2]], "events [3] belong to no move, and 0 are of unknown outcome"),
    ],
)
def test_a_log_that_differs_from_the_moves_is_a_violation(
    events: list[list[dict[str, object]]], said: str
) -> None:
    moves = [AcknowledgedMove(str(place), place + 1, each) for place, each in enumerate(events)]
    assert list(event_log_violations(LOG, moves, 0)) == [said]


def test_a_log_with_an_event_written_twice_is_a_violation() -> None:
    doubled = [LOG[0], LOG[0], *LOG[1:]]
    assert "the events of the log are not numbered from 1 without gaps" in [
        *event_log_violations(doubled, [AcknowledgedMove("a", 1, LOG)], 0)
    ]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_seeded_fault_of_the_store_is_detected(fault: str) -> None:
    make: StoreFactory = FAULTS[fault]
    assert play_games(make, 150, "small").linearizability_violations() != []


def test_the_real_store_has_no_violation_under_the_same_load() -> None:
    history = play_games(real_store, 100, "small")
    assert history.violations() == []
    assert history.moves >= 100
    assert history.counts["lost"] > 0
