"""Damaged snapshots, each with the one fault for which it must be refused."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from engine import game as games
from engine import round as rounds
from engine.errors import SnapshotError
from engine.options import GameOptions
from engine.round import Drawing, Round, Source
from engine.snapshot import LAST_MOMENT, dump, load
from engine.solver.arrangement import best_discard
from tests.builders import humans, secret
from tests.engine.snapshot.snapshots import (
    ABANDONED,
    ABANDONED_WAITING,
    AWAY,
    BOUNDED,
    DRAW,
    DRAWN,
    FINAL,
    FINISHED,
    REFILLED,
    STALLED,
    STORED,
    STORED_4,
    TAKEN,
    WAITING,
    changed,
    forms,
    plain,
    written,
)

NUMBER = "a number of the stored game"
FLAG = "a flag of the stored game"
TEXT = "a text of the stored game"
LIST = "a list of the stored game"
MEMBER = "lacks a member, or has one too many"
SEAT = "neither a human's nor an AI player's"
DAMAGE = "the stored game is damaged: "
TABLE = DAMAGE + "InvalidTableError"
ANN = ["human", "Ann", None, True, False]
BOT = ["ai", "Bot", "easy", True, False]

Fault = tuple[str, dict[str, object], str]

TYPES: list[Fault] = [
    (DRAW, {"format": 1}, "has format 1, and those read are 2, 3, 4"),
    (DRAW, {"format": 5}, "has format 5, and those read are 2, 3, 4"),
    (DRAW, {"format": "2"}, NUMBER),
    (DRAW, {"format": 2.0}, NUMBER),
    (DRAW, {"secret": "00"}, "64 hex digits"),
    (DRAW, {"secret": "00" * 33}, "64 hex digits"),
    (DRAW, {"secret": "AB" * 32}, "64 hex digits"),
    (DRAW, {"secret": " ".join(["ab"] * 32)}, "64 hex digits"),
    (DRAW, {"secret": "xy" * 32}, DAMAGE),
    (DRAW, {"secret": 7}, TEXT),
    (DRAW, {"seeded": "yes"}, FLAG),
    (DRAW, {"seeded": 0}, FLAG),
    (DRAW, {"abandoned": None}, FLAG),
    (DRAW, {"rules": []}, MEMBER),
    (DRAW, {"rules/jokers": False}, NUMBER),
    (DRAW, {"rules/jokers": 0.0}, NUMBER),
    (DRAW, {"rules/jokers": 3}, TABLE),
    (DRAW, {"rules/aces": "middle"}, DAMAGE),
    (DRAW, {"rules/aces": ["low"]}, TEXT),
    (DRAW, {"rules/hints": 1}, FLAG),
    (DRAW, {"seats": {}}, LIST),
    (DRAW, {"seats": []}, TABLE),
    (DRAW, {"seats": [ANN]}, TABLE),
    (DRAW, {"seats": [ANN, *[BOT] * 6]}, TABLE),
    (DRAW, {"seats": [ANN, BOT, BOT]}, LIST),
    (DRAW, {"seats/0": "human"}, LIST),
    (DRAW, {"seats/0": {}}, LIST),
    (DRAW, {"seats/0": ["human", "Ann", None]}, LIST),
    (DRAW, {"seats/0": [*ANN, 1]}, LIST),
    (DRAW, {"seats/0/0": "robot"}, SEAT),
    (DRAW, {"seats/0/0": None}, SEAT),
    (DRAW, {"seats/0/1": 7}, TABLE),
    (DRAW, {"seats/0/1": ""}, TABLE),
    (DRAW, {"seats/0/1": None}, TABLE),
    (DRAW, {"seats/0/1": "x" * 41}, TABLE),
    (DRAW, {"seats/1/1": ["Left"]}, TABLE),
    (DRAW, {"seats/0/2": "easy"}, SEAT),
    (DRAW, {"seats/0/3": 1}, TABLE),
    (DRAW, {"seats/0/4": "no"}, TABLE),
    (DRAW, {"seats/1/2": "best"}, DAMAGE),
    (DRAW, {"seats/1/2": None}, DAMAGE),
    (DRAW, {"seats/1/2": []}, DAMAGE),
    (DRAW, {"seats/1/3": False}, SEAT),
    (DRAW, {"seats/1/4": True}, SEAT),
    (DRAW, {"first_dealer": 4}, NUMBER),
    (DRAW, {"first_dealer": -1}, NUMBER),
    (DRAW, {"first_dealer": None}, NUMBER),
    (DRAW, {"totals": [0]}, LIST),
    (DRAW, {"totals": None}, LIST),
    (DRAW, {"totals/1": "0"}, NUMBER),
    (DRAW, {"totals/1": -1}, NUMBER),
    (DRAW, {"totals/1": 0.0}, NUMBER),
    (DRAW, {"seq": 0}, NUMBER),
    (DRAW, {"seq": -1}, NUMBER),
    (DRAW, {"seq": "4"}, NUMBER),
    (DRAW, {"seq": True}, NUMBER),
    (DRAW, {"scored": {}}, LIST),
    (FINAL, {"scored/0": -10}, NUMBER),
    (FINAL, {"scored/0": "10"}, NUMBER),
    (BOUNDED, {"turn_seconds": 9}, TABLE),
    (BOUNDED, {"turn_seconds": 86_401}, TABLE),
    (BOUNDED, {"turn_seconds": "30"}, NUMBER),
    (BOUNDED, {"turn_seconds": 30.0}, NUMBER),
    (DRAW, {"turn_solves": -1}, NUMBER),
    (DRAW, {"turn_solves": "1000"}, NUMBER),
    (DRAW, {"turn_solves": None}, NUMBER),
    (DRAW, {"turn_solves": 1_000_001}, TABLE),
    (BOUNDED, {"deadline": "soon"}, NUMBER),
    (BOUNDED, {"deadline": -1}, NUMBER),
    (BOUNDED, {"deadline": LAST_MOMENT + 1}, NUMBER),
    (DRAW, {"round": []}, "in no state of a round"),
    (DRAW, {"round": 7}, "in no state of a round"),
    (DRAW, {"round/state": "sleeping"}, "in no state of a round"),
    (DRAW, {"round/state": ["drawing"]}, "in no state of a round"),
    (DRAW, {"round/state": "discarding"}, MEMBER),
    (DRAWN, {"round/state": "drawing"}, MEMBER),
    (DRAW, {"round/number": 0}, NUMBER),
    (DRAW, {"round/number": 12}, NUMBER),
    (DRAW, {"round/number": "1"}, NUMBER),
    (DRAW, {"round/dealer": 4}, NUMBER),
    (DRAW, {"round/hands": None}, LIST),
    (DRAW, {"round/hands": ["", ""]}, LIST),
    (DRAW, {"round/hands/0": 7}, TEXT),
    (DRAW, {"round/hands/0": ["AC", "2H", "8C"]}, TEXT),
    (DRAW, {"round/hands/0": "AC 2H 8c"}, DAMAGE + "CardCodeError"),
    (DRAW, {"round/hands/0": "AC  2H 8C"}, DAMAGE + "CardCodeError"),
    (DRAW, {"round/hands/0": "AC 2H 8C "}, DAMAGE + "CardCodeError"),
    (DRAW, {"round/pile": None}, TEXT),
    (DRAW, {"round/stock": []}, TEXT),
    (DRAW, {"round/shown": ["", "", ""]}, LIST),
    (DRAW, {"round/shown/0": None}, TEXT),
    (DRAW, {"round/refills": -1}, NUMBER),
    (DRAW, {"round/refills": False}, NUMBER),
    (DRAW, {"round/turns": -1}, NUMBER),
    (DRAW, {"round/turns": 1.0}, NUMBER),
    (DRAW, {"round/turns": "1"}, NUMBER),
    (DRAW, {"round/turns": 4 * 61 + 1}, NUMBER),
    (DRAW, {"round/out": "1"}, NUMBER),
    (DRAW, {"round/out": 4}, NUMBER),
    (DRAW, {"round/out": False}, NUMBER),
    (DRAW, {"round/finals_left": 4}, NUMBER),
    (DRAW, {"round/finals_left": None}, NUMBER),
    (DRAWN, {"round/drawn": "10S"}, DAMAGE + "CardCodeError"),
    (DRAWN, {"round/drawn": None}, TEXT),
    (DRAWN, {"round/drawn": ["8H"]}, TEXT),
    (DRAWN, {"round/drawn": "8H 8H"}, DAMAGE + "ValueError"),
    (DRAWN, {"round/drawn": ""}, DAMAGE + "ValueError"),
    (FINISHED, {"round/stalled": 0}, FLAG),
]
RELATIONS: list[Fault] = [
    (DRAW, {"round": None}, "once everybody has joined"),
    (DRAW, {"seats/0/3": False}, "once everybody has joined"),
    (WAITING, {"seats/1/3": True, "seats/5/3": True}, "once everybody has joined"),
    (DRAW, {"seats/0/4": True}, "once a turn with a bound has run out"),
    (AWAY, {"turn_seconds": None, "deadline": None}, "once a turn with a bound has run out"),
    (WAITING, {"seats/0/4": True}, "once a turn with a bound has run out"),
    (FINISHED, {"abandoned": True}, "played to its end is not abandoned"),
    (DRAW, {"seats/0": BOT}, "a game that goes on has a human"),
    (ABANDONED, {"abandoned": False}, "a game that goes on has a human"),
    (ABANDONED_WAITING, {"abandoned": False}, "a game that goes on has a human"),
    (WAITING, {"abandoned": True}, "when its last human leaves"),
    (DRAW, {"abandoned": True}, "when its last human leaves"),
    (BOUNDED, {"seats/2": BOT}, "waits for a human who is there"),
    (BOUNDED, {"seats/2/4": True}, "waits for a human who is there"),
    (DRAW, {"deadline": 1_767_261_630_000}, "has a deadline where turns are bounded"),
    (BOUNDED, {"deadline": None}, "has a deadline where turns are bounded"),
    (BOUNDED, {"turn_seconds": None}, "has a deadline where turns are bounded"),
    (WAITING, {"deadline": 1_767_261_630_000}, "has a deadline where turns are bounded"),
    (FINISHED, {"turn_seconds": 30, "deadline": 1}, "has a deadline where turns are bounded"),
    (BOUNDED, {"seeded": True}, TABLE),
    (WAITING, {"seeded": True}, TABLE),
    (DRAW, {"round/hands/0": "AC 2H 8S"}, "in exactly one place"),
    (DRAW, {"round/hands/0": "AC 2H"}, "in exactly one place"),
    (DRAW, {"rules/jokers": 4}, "in exactly one place"),
    (DRAW, {"round/hands/1": "5D 4D 4C"}, "hands are sorted"),
    (FINISHED, {"round/shown/1": "8S 7C"}, "hands are sorted"),
    (DRAW, {"round/shown/0": "8S"}, "is still held"),
    (FINISHED, {"round/shown/1": "7C 7C"}, "is still held"),
    (DRAW, {"round/hands/0": "AC 2H 4C 8C", "round/hands/1": "4D 5D"}, "hand sizes"),
    (DRAW, {"round/number": 2}, "hand sizes"),
    (DRAWN, {"round/turns": 2}, "waits for a human who is there"),
    (DRAWN, {"round/turns": 5}, "each move has its events"),
    (DRAWN, {"round/drawn": "KD"}, "the drawn card is in the hand"),
    (TAKEN, {"round/shown/0": ""}, "only where its last card was taken"),
    (TAKEN, {"round/drawn": "2C"}, "only where its last card was taken"),
    (FINAL, {"round/hands/1": "2H 3H 5H 7S 8C 8H 9S QS",
             "round/hands/0": "3H 5C 5C 5S 7H TS TS JS JK"}, "melded every card"),
    (DRAW, {"round/out": 1, "round/finals_left": 1}, "melded every card"),
    (STALLED, {"round/stalled": False}, "stalls where nobody is out"),
    (FINISHED, {"round/stalled": True}, "stalls where nobody is out"),
    (DRAW, {"round/finals_left": 1}, "sixty turns a seat"),
    (DRAW, {"round/turns": 241}, "sixty turns a seat"),
    (STALLED, {"round/turns": 117}, "sixty turns a seat"),
    (STALLED, {"round/turns": 121}, "sixty turns a seat"),
    (FINAL, {"round/finals_left": 0}, "the seats after the one that is out"),
    (FINISHED, {"round/finals_left": 1}, "the seats after the one that is out"),
    (FINISHED, {"round/turns": 5}, "has no final turn"),
    (FINISHED, {"round/turns": 0}, "in one of its sixty turns"),
    (FINAL, {"round/turns": 121}, "in one of its sixty turns"),
    (DRAW, {"round/dealer": 3, "round/turns": 0}, "the stock loses a card"),
    (DRAW, {"round/turns": 0, "round/dealer": 3, "first_dealer": 3}, "the stock loses a card"),
    (DRAW, {"round/refills": 1}, "the stock loses a card"),
    (REFILLED, {"round/refills": 2}, "the stock loses a card"),
    (FINISHED, {"round/shown/2": "2D 2H 2S 5H 6S"}, "the stock loses a card"),
    (DRAW, {"first_dealer": 3}, "the deal passes on"),
    (DRAW, {"round/dealer": 1, "round/turns": 2}, "the deal passes on"),
    (FINISHED, {"first_dealer": 0}, "the deal passes on"),
    (DRAW, {"totals/0": 5}, "the points of the rounds that are over"),
    (FINAL, {"totals/0": 10**6}, "the points of the rounds that are over"),
    (WAITING, {"totals/0": 1}, "the points of the rounds that are over"),
    (FINISHED, {"totals/1": 20}, "the points of the last round"),
    (STALLED, {"totals/1": 2_000}, "the points of the rounds that are over"),
    (DRAW, {"scored": [2]}, "as many rounds are scored"),
    (WAITING, {"scored": [2]}, "as many rounds are scored"),
    (FINAL, {"scored": [10, 53, 98, 157]}, "as many rounds are scored"),
    (FINISHED, {"scored": []}, "as many rounds are scored"),
    (FINAL, {"scored/1": 10}, "each round has its events"),
    (FINAL, {"scored/1": 9}, "each round has its events"),
    (FINAL, {"scored/0": 1}, "each round has its events"),
    (FINAL, {"scored/4": 10_000}, "each round has its events"),
    (DRAW, {"seq": 3}, "each move has its events"),
    (DRAW, {"seq": 400}, "each move has its events"),
    (DRAWN, {"seq": 4}, "each move has its events"),
    (FINAL, {"seq": 181}, "each move has its events"),
    (FINAL, {"seq": 179}, "each move has its events"),
    (AWAY, {"seq": 30}, "each move has its events"),
    (REFILLED, {"seq": 203}, "each move has its events"),
    (WAITING, {"seq": 1}, "each move has its events"),
    (WAITING, {"seq": 14}, "each move has its events"),
    (ABANDONED_WAITING, {"seq": 2}, "each move has its events"),
    (ABANDONED, {"seq": 5}, "each move has its events"),
    (FINISHED, {"seq": 408}, "the end of the game is its last event"),
    (FINISHED, {"seq": 406}, "the end of the game is its last event"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "changes", "fault"), [*TYPES, *RELATIONS], ids=lambda value: str(value)[:60]
)
def test_a_damaged_snapshot_is_refused_for_its_fault(
    name: str, changes: dict[str, object], fault: str
) -> None:
    value = changed(name, changes)
    for form in forms(value):
        with pytest.raises(SnapshotError, match=fault):
            load(written(form))


@pytest.mark.parametrize(
    ("seat", "fault"),
    [
        ("human", LIST),
        ({}, LIST),
        ([], SEAT),
        (["human"], SEAT),
        (["human", "Ann"], SEAT),
        (["human", "Ann", True], SEAT),
        (["human", "Ann", None, True, False], SEAT),
        (["human", "Ann", "easy"], SEAT),
        (["human", "Ann", 1, False], TABLE),
        (["human", "Ann", True, 0], TABLE),
        (["human", "Ann", False, True], TABLE),
        (["human", ["Ann"], True, False], TABLE),
        (["human", "", True, False], TABLE),
        (["ai", "Bot"], SEAT),
        (["ai", "Bot", "best"], DAMAGE + "ValueError"),
        (["ai", "Bot", None], DAMAGE + "ValueError"),
        (["ai", "Bot", []], DAMAGE + "ValueError"),
        (["ai", "Bot", "easy", True], SEAT),
        (["ai", "Bot", True, False], SEAT),
        (["ai", "Bot", "easy", True, False], SEAT),
        (["robot", "Bot", "easy"], SEAT),
        ([None, "Ann", True, False], SEAT),
        ([["human"], "Ann", True, False], SEAT),
    ],
    ids=str,
)
def test_a_damaged_seat_of_format_4_is_refused(seat: object, fault: str) -> None:
    value = plain(DRAW, STORED_4)
    value["seats"][0] = seat
    with pytest.raises(SnapshotError, match=fault):
        load(written(value))


def test_a_stock_that_is_as_large_as_when_it_was_refilled_is_refused() -> None:
    value = plain(REFILLED)
    first, *others = value["round"]["pile"].split()
    value["round"]["pile"] = first
    value["round"]["stock"] = " ".join([value["round"]["stock"], *others])
    for form in forms(value):
        with pytest.raises(SnapshotError, match="a stock that was refilled has been drawn from"):
            load(written(form))


def test_a_round_is_over_only_where_no_other_follows() -> None:
    game = games.open_game(secret(3), GameOptions(humans(2))).game
    state: Round = game.round or pytest.fail("the first round is dealt")
    while isinstance(state, Drawing):
        drawn = rounds.draw(state, Source.STOCK, game.secret)
        layout = drawn.layout
        state = rounds.discard(drawn, best_discard(layout.hand, layout.wild, layout.aces)[0], True)
    events = 1 + 2 * (state.layout.turns + 1) + 1 + 1
    over = replace(game, round=state, seq=game.seq + events, scored=(game.seq + events - 1,))
    with pytest.raises(SnapshotError, match="after every round but the last"):
        load(dump(over))


@pytest.mark.parametrize("name", [DRAW, DRAWN, FINISHED, WAITING])
def test_every_member_is_needed_and_no_other_is_taken(name: str) -> None:
    for path in ("", "rules", "round"):
        whole = part(plain(name), path)
        for member in whole or ():
            value = plain(name)
            del part(value, path)[member]
            with pytest.raises(SnapshotError):
                load(written(value))
        if whole is not None:
            value = plain(name)
            part(value, path)["note"] = None
            with pytest.raises(SnapshotError, match=MEMBER):
                load(written(value))


def part(value: dict[str, dict[str, object] | None], path: str) -> dict[str, object] | None:
    return value[path] if path else value  # type: ignore[return-value]


def test_a_member_that_is_there_twice_is_refused() -> None:
    text = STORED[DRAW]
    assert json.loads(text)["seq"] == 4
    with pytest.raises(SnapshotError, match="there twice"):
        load(text.replace('"seq":4', '"seq":4,"seq":4').encode())
