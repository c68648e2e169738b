"""The fields of events: what kind of value each has, who may read it, how it is written as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from types import NoneType
from typing import Annotated, Any, NamedTuple, assert_never, get_args, get_origin, get_type_hints

from engine.cards import CODES, Card
from engine.melds import Meld

JsonObject = dict[str, object]
"""A JSON object as Python has it: strings, numbers, lists and dicts."""


def codes(cards: tuple[Card, ...]) -> list[str]:
    """The codes of cards, as a list."""
    return list(map(CODES.__getitem__, cards))


def meld_json(meld: Meld) -> JsonObject:
    """A meld as JSON."""
    return {
        "kind": meld.kind.value,
        "cards": codes(meld.cards),
        "stands_for": codes(meld.stands_for),
    }


class Kind(Enum):
    """What kind of value a field has."""

    SEAT = "seat"
    SEATS = "seats"
    NAME = "name"
    CARD = "card"
    CARDS = "cards"
    MELDS = "melds"
    RANK = "rank"
    SOURCE = "source"
    COUNT = "count"
    COUNTS = "counts"
    FLAG = "flag"
    SECRET = "secret"  # noqa: S105 - a kind of value
    SCORES = "scores"


class Reader(Enum):
    """Who may read a field while the game is played.

    A field for the drawer is open to everybody where the card came from the pile. One for nobody
    stays in the log.
    """

    EVERYBODY = "everybody"
    DRAWER = "drawer"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an event; `name` and `nullable` are those of the annotated member."""

    kind: Kind
    description: str
    reader: Reader = Reader.EVERYBODY
    name: str = ""
    nullable: bool = False


_FIELDS: dict[type[Any], tuple[Field, ...]] = {}


def fields_of(owner: type[Any]) -> tuple[Field, ...]:
    """The fields of a class whose members are annotated with them, in order; read once."""
    if owner not in _FIELDS:
        hints = get_type_hints(owner, include_extras=True)
        _FIELDS[owner] = tuple(
            _field(name, hint) for name, hint in hints.items() if get_origin(hint) is Annotated
        )
    return _FIELDS[owner]


def _field(name: str, hint: Any) -> Field:
    """The field that a member's annotation says."""
    field: Field = hint.__metadata__[0]
    return replace(field, name=name, nullable=NoneType in get_args(hint.__origin__))


_Writer = Callable[[Any], object]


class _Column(NamedTuple):
    """A field that somebody may read.

    `write` turns its value into JSON, None for a value that is JSON already.
    """

    name: str
    write: _Writer | None
    is_drawers: bool


_COLUMNS: dict[type[Any], tuple[_Column, ...]] = {}


def to_json(value: object, *, to_drawer: bool = False) -> JsonObject:
    """The fields of a value that somebody may read, as JSON, in order.

    What is for the drawer is null unless it is written `to_drawer`.
    """
    readable: JsonObject = {}
    for name, write, is_drawers in _columns(type(value)):
        if is_drawers and not to_drawer:
            readable[name] = None
        elif write is None:
            readable[name] = getattr(value, name)
        else:
            readable[name] = write(getattr(value, name))
    return readable


def _columns(owner: type[Any]) -> tuple[_Column, ...]:
    """The columns of a class, made once: events are written on every move."""
    if owner not in _COLUMNS:
        _COLUMNS[owner] = tuple(
            _Column(field.name, _writer(field), field.reader is Reader.DRAWER)
            for field in fields_of(owner)
            if field.reader is not Reader.NOBODY
        )
    return _COLUMNS[owner]


def _writer(field: Field) -> _Writer | None:
    """What turns a field's value into JSON."""
    write = _writer_of(field.kind)
    if write is None or not field.nullable:
        return write
    return lambda value: None if value is None else write(value)


def _writer_of(kind: Kind) -> _Writer | None:  # noqa: PLR0911 - one for each kind of value
    match kind:
        case Kind.SEAT | Kind.COUNT | Kind.FLAG | Kind.NAME:
            return None
        case Kind.SEATS | Kind.COUNTS:
            return list
        case Kind.CARD:
            return CODES.__getitem__
        case Kind.CARDS:
            return codes
        case Kind.MELDS:
            return lambda melds: list(map(meld_json, melds))
        case Kind.RANK:
            return lambda rank: rank.code
        case Kind.SOURCE:
            return lambda source: source.value
        case Kind.SECRET:
            return bytes.hex
        case Kind.SCORES:
            return lambda scores: list(map(to_json, scores))
        case _:
            assert_never(kind)
