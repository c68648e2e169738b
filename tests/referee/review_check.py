"""The reviews of a finished game: complete, consistent, and perfect for an expert's seat."""

from __future__ import annotations

from typing import Any

from tests.referee.checked_client import CheckedClient
from tests.referee.contract import (
    REVIEW_FIELDS,
    REVIEW_MOVE_FIELDS,
    REVIEW_ROUND_FIELDS,
    check_equal,
    check_fields,
)
from tests.referee.session import Session

_TYPES = {"card_drawn": "draw", "card_discarded": "discard"}


def check_reviews(client: CheckedClient, session: Session, replay: dict[str, Any]) -> None:
    """Every seat has a review, for everyone; a seat that is not there has none."""
    path, seats = f"{session.path}/review", replay["seats"]
    for number, seat in enumerate(seats):
        review = client.send(200, "GET", f"{path}?seat={number}").json()
        again = client.send(200, "GET", f"{path}?seat={number}", session.token).json()
        check_equal(again, review, "a review that is asked for again")
        _check_review(review, number, replay["events"])
        if seat["level"] == "expert":
            check_equal((review["accuracy"], review["loss"]), (100.0, 0.0), "an expert's review")
    client.expect_problem(422, "validation-failed", "GET", f"{path}?seat={len(seats)}")


def _check_review(review: dict[str, Any], seat: int, events: list[dict[str, Any]]) -> None:
    check_fields(review, REVIEW_FIELDS, "a review")
    check_equal(review["seat"], seat, "the seat of a review")
    assert 0 <= review["accuracy"] <= 100, f"the accuracy is {review['accuracy']}"
    made = [each for each in events if each["type"] in _TYPES and each["seat"] == seat]
    check_equal(len(review["moves"]), len(made), "the number of reviewed moves")
    for move, event in zip(review["moves"], made, strict=True):
        _check_move(move, event)
    _check_sums(review, review["moves"], "a review")
    scored = {each["round"]: each["seats"][seat] for each in events if "seats" in each}
    dealt = [each["round"] for each in events if each["type"] == "round_dealt"]
    check_equal([each["number"] for each in review["rounds"]], dealt, "the reviewed rounds")
    for each in review["rounds"]:
        check_fields(each, REVIEW_ROUND_FIELDS, "a reviewed round")
        points = scored[each["number"]]["points"] if each["number"] in scored else None
        check_equal(each["points"], points, "the points of a reviewed round")
        moves = [move for move in review["moves"] if move["round"] == each["number"]]
        _check_sums(each, moves, "a reviewed round")


def _check_move(move: dict[str, Any], event: dict[str, Any]) -> None:
    check_fields(move, REVIEW_MOVE_FIELDS, "a reviewed move")
    what = "source" if event["type"] == "card_drawn" else "card"
    stated = [move[name] for name in ("seq", "round", "type", "played")]
    expected = [event["seq"], event["round"], _TYPES[event["type"]], {what: event[what]}]
    check_equal(stated, expected, "a reviewed move")
    check_fields(move["best"], [what], "the best move")
    assert move["loss"] >= 0, f"a loss below 0: {move}"
    assert move["loss"] == 0 or move["played"] != move["best"], f"the best move loses: {move}"
    is_stock = move["played"] == {"source": "stock"}
    check_equal(move["luck"] is not None, is_stock, "whether a move has luck")


def _check_sums(stated: dict[str, Any], moves: list[dict[str, Any]], what: str) -> None:
    for name in ("loss", "luck"):
        total = sum(move[name] or 0 for move in moves)
        assert abs(stated[name] - total) < 1e-6, f"the {name} of {what} is no sum: {stated[name]}"
