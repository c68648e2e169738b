"""The kinds of event, one schema each, and the union of them: all of it as `engine.events` says.

A schema is named for its class: `SeatLeftEvent` for `SeatLeft`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from marshmallow import fields, validate

from engine.events import BODIES, Body
from engine.events import SeatScore as Score
from engine.fields import Field, Kind, Reader, fields_of
from engine.round import Source
from service.http.schemas.views import (
    Meld,
    ReplySchema,
    card_field,
    cards_field,
    count_field,
    flag_field,
    hex_field,
    round_field,
    seat_field,
    text_field,
    time_field,
    wild_field,
)

UNION = "Event"
"""The name of the union in the API description."""

_MarshmallowField = fields.Field[Any]


class EventField(fields.Raw):
    """An event, documented as the union of all kinds."""

    DOCUMENTED = {"$ref": f"#/components/schemas/{UNION}"}  # noqa: RUF012


def events_field(description: str) -> fields.List[Any]:
    """A list of events."""
    return fields.List(EventField(), metadata={"description": description})


def _event_schema(body: type[Body]) -> type[ReplySchema]:
    """The schema of a kind of event: what every event has, then its own fields."""
    return _schema(f"{body.__name__}Event", body, _envelope(body))


def _schema(
    name: str, owner: type[Any], first: dict[str, _MarshmallowField] | None = None
) -> type[ReplySchema]:
    own = {
        field.name: _documented(field)
        for field in fields_of(owner)
        if field.reader is not Reader.NOBODY
    }
    return type(name, (ReplySchema,), {"__doc__": owner.__doc__, **(first or {}), **own})


def _envelope(body: type[Body]) -> dict[str, _MarshmallowField]:
    """The number, time, round and type of an event."""
    return {
        "seq": fields.Integer(
            strict=True,
            validate=validate.Range(min=1),
            metadata={"description": "The event's number in its game: 1, 2, 3, …"},
        ),
        "at": time_field("When it happened."),
        "round": _round_field()
        if body.in_round
        else _round_field("; null before the first", allow_none=True),
        "type": fields.String(validate=validate.Equal(body.type)),
    }


def _round_field(more: str = "", **options: Any) -> _MarshmallowField:
    return round_field(f"The round it belongs to{more}.", **options)


def _documented(field: Field) -> _MarshmallowField:
    """A field of an event as the API describes it; null where a viewer may not read it."""
    documented = FIELDS[field.kind](field.description)
    documented.allow_none = field.nullable or field.reader is Reader.DRAWER
    return documented


def _list_of(item: _MarshmallowField, description: str) -> _MarshmallowField:
    return fields.List(item, metadata={"description": description})


FIELDS: dict[Kind, Callable[[str], _MarshmallowField]] = {
    Kind.SEAT: seat_field,
    Kind.SEATS: lambda description: _list_of(seat_field("A seat."), description),
    Kind.NAME: text_field,
    Kind.CARD: card_field,
    Kind.CARDS: cards_field,
    Kind.MELDS: lambda description: _list_of(fields.Nested(Meld), description),
    Kind.RANK: lambda _: wild_field(),
    Kind.SOURCE: lambda description: text_field(
        description, validate=validate.OneOf([source.value for source in Source])
    ),
    Kind.COUNT: count_field,
    Kind.COUNTS: lambda description: _list_of(count_field("Points."), description),
    Kind.FLAG: flag_field,
    Kind.SECRET: hex_field,
    Kind.SCORES: lambda description: _list_of(fields.Nested(SeatScore), description),
}
"""How the API describes each kind of value, given what a field means."""
SeatScore: type[ReplySchema] = _schema("SeatScore", Score)
EVENT_SCHEMAS: dict[str, type[ReplySchema]] = {
    kind: _event_schema(body) for kind, body in BODIES.items()
}
"""The schema of each kind of event, by its type."""
