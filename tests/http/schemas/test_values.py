"""Values that no operation accepts: each is refused with its place and what is accepted there."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.player import QUICK, Player, create, refused


@pytest.fixture
def quick(client: FlaskClient) -> Player:
    return create(client, QUICK)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/source"),
        ({"source": None}, "/source"),
        ({"source": "pile"}, "/source"),
        ({"source": 1}, "/source"),
        ({"source": ["stock"]}, "/source"),
        ({"source": "stock", "why": 1}, "/why"),
        ([], ""),
        (None, ""),
        ("stock", ""),
    ],
)
def test_an_unacceptable_draw_is_refused_with_its_place(
    quick: Player, body: object, pointer: str
) -> None:
    answer = quick.client.post(
        quick.path + "/draw", data=json.dumps(body), headers=quick.auth,
        content_type="application/json",
    )  # fmt: skip
    assert refused(answer, 422, "validation-failed")["errors"][0]["pointer"] == pointer
    assert quick.get().get_json()["version"] == 1


@pytest.mark.parametrize("code", ["10S", "ts", " TS", "1J", "", "TSS", "jk", 7, None, ["TS"]])
def test_a_discard_of_what_is_no_card_names_it(quick: Player, code: object) -> None:
    quick.draw()
    fault = refused(quick.post("/discard", {"card": code}), 422, "validation-failed")["errors"][0]
    assert fault["pointer"] == "/card"
    if isinstance(code, str):
        assert repr(code) in fault["detail"]


@pytest.mark.parametrize("go_out", ["true", 1, 0, None, "no", []])
def test_go_out_is_true_or_false(quick: Player, go_out: object) -> None:
    quick.draw()
    card = quick.game["you"]["hand"][0]
    answer = quick.post("/discard", {"card": card, "go_out": go_out})
    assert refused(answer, 422, "validation-failed")["errors"][0]["pointer"] == "/go_out"


HUMAN, AI = {"kind": "human"}, {"kind": "ai"}


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"jokers": 3}, "/jokers"),
        ({"jokers": "2"}, "/jokers"),
        ({"jokers": 2.5}, "/jokers"),
        ({"jokers": True}, "/jokers"),
        ({"aces": "middle"}, "/aces"),
        ({"hints": "yes"}, "/hints"),
        ({"seed": "11" * 31}, "/seed"),
        ({"seed": "zz" * 32}, "/seed"),
        ({"seed": "11" * 32 + "\n"}, "/seed"),
        ({"seats": []}, "/seats"),
        ({"seats": [HUMAN]}, "/seats"),
        ({"seats": [HUMAN, *[AI] * 6]}, "/seats"),
        ({"seats": [AI, AI]}, "/seats/0/kind"),
        ({"turn_seconds": 9}, "/turn_seconds"),
        ({"turn_seconds": 86_401}, "/turn_seconds"),
        ({"turn_seconds": "60"}, "/turn_seconds"),
        ({"turn_seconds": 60.5}, "/turn_seconds"),
        ({"rounds": None}, "/rounds"),
        ({"rounds": []}, "/rounds"),
        ({"rounds": 3}, "/rounds"),
        ({"rounds": "3-5"}, "/rounds"),
        ({"rounds": {"first": 0}}, "/rounds/first"),
        ({"rounds": {"first": 12}}, "/rounds/first"),
        ({"rounds": {"first": None}}, "/rounds/first"),
        ({"rounds": {"first": "3"}}, "/rounds/first"),
        ({"rounds": {"first": True}}, "/rounds/first"),
        ({"rounds": {"first": 2.5}}, "/rounds/first"),
        ({"rounds": {"last": 0}}, "/rounds/last"),
        ({"rounds": {"last": 12}}, "/rounds/last"),
        ({"rounds": {"last": None}}, "/rounds/last"),
        ({"rounds": {"first": 5, "last": 4}}, "/rounds"),
        ({"rounds": {"first": 11, "last": 1}}, "/rounds"),
        ({"rounds": {"count": 3}}, "/rounds/count"),
        ({"seats": [HUMAN, AI, HUMAN], "seed": "11" * 32}, "/seats/2/kind"),
        ({"seats": [{"kind": "human", "level": "medium"}, AI]}, "/seats/0/level"),
        ({"seats": [HUMAN, {"kind": "ai", "level": "godlike"}]}, "/seats/1/level"),
        ({"seats": [HUMAN, {"kind": "robot"}]}, "/seats/1/kind"),
        ({"seats": [HUMAN, {"name": "x"}]}, "/seats/1/kind"),
        ({"seats": [{**HUMAN, "name": ""}, AI]}, "/seats/0/name"),
        ({"seats": [{**HUMAN, "name": "  "}, AI]}, "/seats/0/name"),
        ({"seats": [{**HUMAN, "name": "a\nb"}, AI]}, "/seats/0/name"),
        ({"seats": [{**HUMAN, "name": "a\u202eb"}, AI]}, "/seats/0/name"),
        ({"seats": [{**HUMAN, "name": "\u200b"}, AI]}, "/seats/0/name"),
        ({"seats": [{**HUMAN, "name": "\u200f\u200e"}, AI]}, "/seats/0/name"),
        ({"seats": [{**HUMAN, "name": "\u3164"}, AI]}, "/seats/0/name"),
        ({"seats": [{**HUMAN, "name": " \u200d"}, AI]}, "/seats/0/name"),
        ({"seats": [{**HUMAN, "name": "x" * 41}, AI]}, "/seats/0/name"),
        ({"seats": [{**HUMAN, "name": "x\n"}, AI]}, "/seats/0/name"),
        ({"seats": [{**HUMAN, "age": 3}, AI]}, "/seats/0/age"),
        ({"seats": "four"}, "/seats"),
        ({"seats": {"0": HUMAN}}, "/seats"),
        ({"Seats": []}, "/Seats"),
        ({"a/b~c": 1}, "/a~1b~0c"),
    ],
)
def test_unacceptable_options_are_refused_with_their_place(
    client: FlaskClient, body: dict[str, Any], pointer: str
) -> None:
    problem = refused(client.post("/v1/games", json=body), 422, "validation-failed")
    assert pointer in [fault["pointer"] for fault in problem["errors"]]


def test_every_fault_is_reported_at_once(client: FlaskClient) -> None:
    body = {"jokers": 3, "aces": "no", "seats": [AI, HUMAN], "x": 1}
    problem = refused(client.post("/v1/games", json=body), 422, "validation-failed")
    assert {"/jokers", "/aces", "/x"} <= {fault["pointer"] for fault in problem["errors"]}


@pytest.mark.parametrize(
    ("changed", "pointer"),
    [
        ({"cards": []}, "/cards"),
        ({"cards": ["2C"] * 15}, "/cards"),
        ({"cards": ["2C", "2C", "2C"]}, "/cards"),
        ({"cards": ["JK"] * 5}, "/cards"),
        ({"cards": ["2C", "10S"]}, "/cards/1"),
        ({"cards": "2C"}, "/cards"),
        ({"wild_rank": "2"}, "/wild_rank"),
        ({"wild_rank": "A"}, "/wild_rank"),
        ({"wild_rank": "10"}, "/wild_rank"),
        ({"wild_rank": 5}, "/wild_rank"),
        ({"aces": "x"}, "/aces"),
    ],
)
def test_an_unacceptable_hand_is_not_evaluated(
    client: FlaskClient, changed: dict[str, Any], pointer: str
) -> None:
    body = {"cards": ["2C"], "wild_rank": "5", **changed}
    problem = refused(client.post("/v1/evaluations", json=body), 422, "validation-failed")
    assert problem["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize(
    ("query", "pointer", "detail"),
    [
        ("limit=0", "/query/limit", "Must be a whole number from 1 to 1000."),
        ("limit=1001", "/query/limit", "Must be a whole number from 1 to 1000."),
        ("limit=x", "/query/limit", "Must be a whole number from 1 to 1000."),
        ("after=-1", "/query/after", "Must be a whole number from 0 to 1000000000."),
        ("after=1.5", "/query/after", "Must be a whole number from 0 to 1000000000."),
        ("after=", "/query/after", "Must be a whole number from 0 to 1000000000."),
        ("after=" + "9" * 5000, "/query/after", "Must be a whole number from 0 to 1000000000."),
        ("before=1", "/query/before", "Unknown field."),
        ("Limit=1", "/query/Limit", "Unknown field."),
    ],
)
def test_an_unacceptable_query_is_refused_with_what_is_accepted(
    quick: Player, query: str, pointer: str, detail: str
) -> None:
    problem = refused(quick.get(f"/events?{query}"), 422, "validation-failed")
    assert problem["errors"] == [{"pointer": pointer, "detail": detail}]


@pytest.mark.parametrize("value", [9, 86_401, "60", 60.5, True, 10**17])
def test_an_unacceptable_number_in_a_body_is_refused_with_its_range(
    client: FlaskClient, value: object
) -> None:
    problem = refused(
        client.post("/v1/games", json={"turn_seconds": value}), 422, "validation-failed"
    )
    words = "Must be a whole number from 10 to 86400."
    assert problem["errors"] == [{"pointer": "/turn_seconds", "detail": words}]


def test_rounds_in_the_wrong_order_are_refused_in_words(client: FlaskClient) -> None:
    answer = client.post("/v1/games", json={"rounds": {"first": 6, "last": 5}})
    words = "The first round must not come after the last one."
    fault = {"pointer": "/rounds", "detail": words}
    assert refused(answer, 422, "validation-failed")["errors"] == [fault]


@pytest.mark.parametrize("value", [0, 12, "3", 2.5, True, None])
@pytest.mark.parametrize("name", ["first", "last"])
def test_an_unacceptable_round_is_refused_with_the_range(
    client: FlaskClient, name: str, value: object
) -> None:
    answer = client.post("/v1/games", json={"rounds": {name: value}})
    (fault,) = refused(answer, 422, "validation-failed")["errors"]
    assert fault["pointer"] == f"/rounds/{name}"
    assert fault["detail"] == "Must be a whole number from 1 to 11." or value is None


@pytest.mark.parametrize("value", [1, 3, "2", 2.5, True])
def test_an_unacceptable_number_of_jokers_is_refused_with_the_choice(
    client: FlaskClient, value: object
) -> None:
    problem = refused(client.post("/v1/games", json={"jokers": value}), 422, "validation-failed")
    assert problem["errors"] == [{"pointer": "/jokers", "detail": "Must be one of: 0, 2, 4."}]
