"""What each kind of event has in it, and that nothing of a kind is forgotten."""

from __future__ import annotations

import inspect
from dataclasses import fields as dataclass_fields

import orjson
import pytest

from engine.events import BODIES, Body, CardDrawn, Event, SeatJoined, SeatScore
from engine.fields import JsonObject, Kind, Reader, fields_of
from engine.view import redacted, revealed
from service.http.schemas.events import EVENT_SCHEMAS, FIELDS
from tests import dealer
from tests.dealer import Replayer
from tests.docs import event_examples
from tests.docs.event_examples import EXAMPLES, round_of
from tests.referee import contract, known_game
from tests.referee.contract import EVENT_FIELDS
from tests.referee.known_game import KnownGame

AT = "2026-01-01T10:00:00.000Z"


def event_of(body: Body) -> Event:
    return Event(7, round_of(body), body)


def missing(kind: str) -> list[str]:
    """What a kind of event lacks, in words that say where to write it."""
    body = BODIES[kind]
    readers = {field.reader for field in fields_of(body)}
    lacks = [f"{member} needs an annotation with a Field" for member in plain_members(body)]
    if not any(isinstance(example, body) for example, _ in EXAMPLES):
        lacks.append(f"EXAMPLES in {event_examples.__file__} needs a {body.__name__}")
    if Reader.DRAWER in readers and body is not CardDrawn:
        lacks.append(f"engine.view does not know who may read what is drawn in a {body.__name__}")
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


def test_no_two_kinds_of_event_have_one_code() -> None:
    codes = [body.code for body in BODIES.values()]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize(("body", "own"), EXAMPLES)
def test_an_event_is_read_whole_and_in_order_once_the_game_is_over(
    body: Body, own: JsonObject
) -> None:
    envelope = {"seq": 7, "at": AT, "type": body.type, "round": round_of(body)}
    read = revealed(event_of(body), AT)
    assert list(read.items()) == list({**envelope, **own}.items())
    assert orjson.loads(orjson.dumps(read)) == read


@pytest.mark.parametrize(("body", "_"), EXAMPLES)
@pytest.mark.parametrize("seat", [None, 0, 1])
def test_what_a_viewer_reads_of_an_event_has_the_documented_shape(
    body: Body, _: JsonObject, seat: int | None
) -> None:
    schema = EVENT_SCHEMAS[body.type]()
    for read in (redacted(event_of(body), AT, seat), revealed(event_of(body), AT)):
        assert set(read) == set(schema.fields)
        assert schema.validate(read) == {}
