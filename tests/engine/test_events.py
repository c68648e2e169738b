"""What each kind of event has in it, and that nothing of a kind is forgotten."""

from __future__ import annotations

import inspect
from dataclasses import fields as dataclass_fields

import orjson
import pytest

from engine.events import (
    BODIES,
    Body,
    CardDiscarded,
    CardDrawn,
    Event,
    GameAbandoned,
    GameFinished,
    RoundDealt,
    RoundScored,
    SeatAway,
    SeatJoined,
    SeatLeft,
    SeatReturned,
    SeatScore,
    StockReshuffled,
    WentOut,
    log_entry,
)
from engine.fields import JsonObject, Kind, Reader, fields_of
from engine.round import Source
from engine.view import redacted, unredacted
from service.http.schemas.events import EVENT_SCHEMAS, FIELDS
from tests import dealer
from tests.builders import card, hand, meld, rank, secret
from tests.dealer import Replayer
from tests.referee import contract, known_game
from tests.referee.contract import EVENT_FIELDS
from tests.referee.known_game import KnownGame

AT = "2026-01-01T10:00:00.000Z"
SET = {"kind": "set", "cards": ["4C", "4S", "JK"], "stands_for": ["4C", "4S", "4C"]}
EXAMPLES: list[tuple[Body, JsonObject]] = [
    (SeatJoined(1, "Bo"), {"seat": 1, "name": "Bo"}),
    (SeatLeft(2), {"seat": 2}),
    (SeatAway(0), {"seat": 0}),
    (SeatReturned(5), {"seat": 5}),
    (
        RoundDealt(3, 12, rank("Q"), card("JK")),
        {"dealer": 3, "hand_size": 12, "wild_rank": "Q", "upcard": "JK"},
    ),
    (
        CardDrawn(1, Source.STOCK, card("TS")),
        {"seat": 1, "source": "stock", "card": "TS"},
    ),
    (CardDiscarded(1, card("TS"), False), {"seat": 1, "card": "TS", "go_out": False}),
    (StockReshuffled(31), {"stock_count": 31}),
    (
        WentOut(0, hand("4C 4S JK"), (meld("4C 4S JK"),)),
        {"seat": 0, "hand": ["4C", "4S", "JK"], "melds": [SET]},
    ),
    (
        RoundScored(
            0,
            False,
            (
                SeatScore(0, hand("4C 4S JK"), (meld("4C 4S JK"),), (), 0, 7),
                SeatScore(1, hand("2D 9H TS"), (), hand("2D 9H TS"), 21, 30),
            ),
        ),
        {
            "went_out": 0,
            "stalled": False,
            "seats": [
                {
                    "seat": 0,
                    "hand": ["4C", "4S", "JK"],
                    "melds": [SET],
                    "deadwood": [],
                    "points": 0,
                    "total": 7,
                },
                {
                    "seat": 1,
                    "hand": ["2D", "9H", "TS"],
                    "melds": [],
                    "deadwood": ["2D", "9H", "TS"],
                    "points": 21,
                    "total": 30,
                },
            ],
        },
    ),
    (RoundScored(None, True, ()), {"went_out": None, "stalled": True, "seats": []}),
    (
        GameFinished(None, (0, 2), (9, 30, 9), secret(255)),
        {"winner": None, "tied": [0, 2], "totals": [9, 30, 9], "secret": "00" * 31 + "ff"},
    ),
    (
        GameFinished(1, (), (9, 3), secret(1)),
        {"winner": 1, "tied": [], "totals": [9, 3], "secret": "00" * 31 + "01"},
    ),
    (GameAbandoned(secret(0)), {"secret": "00" * 32}),
]


def round_of(body: Body) -> int | None:
    return 4 if body.in_round else None


def entry_of(body: Body) -> JsonObject:
    return log_entry(Event(7, round_of(body), body), AT)


def missing(kind: str) -> list[str]:
    """What a kind of event lacks, in words that say where to write it."""
    body = BODIES[kind]
    names = {field.name for field in fields_of(body)}
    readers = {field.reader for field in fields_of(body)}
    lacks = [f"{member} needs an annotation with a Field" for member in plain_members(body)]
    if not any(isinstance(example, body) for example, _ in EXAMPLES):
        lacks.append(f"EXAMPLES in {__file__} needs a {body.__name__}")
    if Reader.DRAWER in readers and not {"seat", "source"} <= names:
        lacks.append(f"{body.__name__} has a field for the drawer: it needs a seat and a source")
    if kind not in EVENT_SCHEMAS:
        lacks.append(f"service.http.schemas.events needs a schema of {kind}")
    if kind not in EVENT_FIELDS:
        lacks.append(f"EVENT_FIELDS in {contract.__file__} needs a {kind}")
    if body.in_round and not hasattr(KnownGame, f"_{kind}"):
        lacks.append(f"KnownGame in {known_game.__file__} needs a rule _{kind}")
    if body.in_round and f'"{kind}"' not in inspect.getsource(Replayer):
        lacks.append(f"Replayer in {dealer.__file__} never emits a {kind}")
    return lacks


def plain_members(owner: type[Body | SeatScore]) -> list[str]:
    """Members that would be left out of the log, the answers and the schema."""
    names = {field.name for field in fields_of(owner)}
    members = [each.name for each in dataclass_fields(owner)]
    return [f"{owner.__name__}.{member}" for member in members if member not in names]


def test_nothing_of_a_score_is_forgotten() -> None:
    assert plain_members(SeatScore) == []


@pytest.mark.parametrize("kind", BODIES)
def test_nothing_of_a_kind_of_event_is_forgotten(kind: str) -> None:
    lacks = missing(kind)
    assert not lacks, "\n".join(lacks)


def test_every_event_class_is_one_of_the_kinds() -> None:
    bases = SeatJoined.__mro__[1].__subclasses__()
    assert {each.__name__ for each in bases} == {each.__name__ for each in BODIES.values()}
    assert all(BODIES[kind].type == kind for kind in BODIES)


def test_the_api_describes_every_kind_of_value() -> None:
    assert set(FIELDS) == set(Kind), "service.http.schemas.events.FIELDS lacks a kind of value"


@pytest.mark.parametrize(("body", "own"), EXAMPLES)
def test_the_log_entry_of_an_event_has_all_its_fields(body: Body, own: JsonObject) -> None:
    envelope = {"seq": 7, "at": AT, "type": body.type, "round": round_of(body)}
    assert entry_of(body) == {**envelope, **own}
    assert orjson.loads(orjson.dumps(entry_of(body))) == entry_of(body)


@pytest.mark.parametrize(("body", "_"), EXAMPLES)
@pytest.mark.parametrize("seat", [None, 0, 1])
def test_what_a_viewer_reads_of_an_event_has_the_documented_shape(
    body: Body, _: JsonObject, seat: int | None
) -> None:
    schema = EVENT_SCHEMAS[body.type]()
    for read in (redacted(entry_of(body), seat), unredacted(entry_of(body))):
        assert set(read) == set(schema.fields)
        assert schema.validate(read) == {}
