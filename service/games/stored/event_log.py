"""The event log of a game: how an event is stored, and how it is read again.

An entry is a MessagePack array:

    [code of the event's class, its round, when it was committed, *its fields]

The round is nil before the first deal, the time is in ms since 1970, and the fields have the
order of the class. A card is its number, a hand or a meld one byte for each card. What follows
from other things is not stored: the seq from the place in the log, the meaning of the cards of a
meld from the round and the game's ace mode. The whole table is in docs/storage.md.

An entry that begins with a brace has the form of `older_event_log`; both forms are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, reduce
from operator import or_
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from engine.cards import CARDS, JOKER_INDEX, Card, Rank
from engine.errors import EngineError
from engine.events import BODIES, Body, Event, SeatScore
from engine.fields import Field, Kind, fields_of
from engine.melds import Meld
from engine.round import Source
from engine.rules import MAX_SEATS, ROUNDS, AceMode, wild_rank
from engine.seats import MAX_NAME
from engine.shuffle import SECRET_BYTES
from engine.snapshot import LAST_MOMENT
from service.errors import CorruptGameError
from service.games.stored.older_event_log import older_array

_REMEMBERED = 4096
"""How many melds are remembered: it takes long to find out what the cards of one stand for."""
_SOURCES = (Source.STOCK, Source.DISCARD)
"""The sources in the order of their numbers in the log."""

_Owner = type[Any]
_Form = Any
"""A type as msgspec takes it: annotated, a union, or made at run time."""
_Pack = Callable[[Any], object]
_Place = tuple[int, AceMode]
"""The round and the ace mode of a value: the meaning of a meld depends on them."""
_Unpack = Callable[[Any, _Place], object]


class LoggedEvent(NamedTuple):
    """An event, and when it was committed, in ms since 1970."""

    event: Event
    at: int


class Codec(NamedTuple):
    """How a kind of value is stored: as what type, how it is made so, and how it is read.

    None where the value is stored as it is.
    """

    stored: _Form
    pack: _Pack | None = None
    unpack: _Unpack | None = None


def pack(logged: LoggedEvent) -> bytes:
    """The log entry of an event."""
    body = logged.event.body
    return _ENCODER.encode([body.code, logged.event.round, logged.at, *_packed(body)])


def unpack(entry: bytes, seq: int, aces: AceMode) -> LoggedEvent:
    """The event of a log entry, of which `seq` is the place and `aces` the game's ace mode.

    Raises CorruptGameError where the entry holds no event.
    """
    try:
        if entry.startswith(b"{"):
            older = older_array(entry, seq)
            return _event(msgspec.convert(older, _ENTRY, builtin_types=(bytes,)), seq, aces)
        return _event(_DECODER.decode(entry), seq, aces)
    except (EngineError, ValueError, TypeError, LookupError, RecursionError) as error:
        # Not what it says: that may quote cards, and this goes to the log.
        raise CorruptGameError(f"an event is damaged: {type(error).__name__}") from None


def _event(stored: msgspec.Struct, seq: int, aces: AceMode) -> LoggedEvent:
    number, at, *values = msgspec.structs.astuple(stored)
    kind = _KINDS[type(stored)]
    body: Body = kind(*_unpacked(kind, values, (number, aces)))
    return LoggedEvent(Event(seq, number, body), at)


def _packed(owner: Body | SeatScore) -> list[object]:
    """The fields of a value as they are stored."""
    return [
        getattr(owner, name) if pack_field is None else pack_field(getattr(owner, name))
        for name, pack_field in _PACKED[type(owner)]
    ]


def _unpacked(owner: _Owner, values: Iterable[object], place: _Place) -> list[Any]:
    """The fields of a class from what is stored of them."""
    return [
        value if unpack_field is None else unpack_field(value, place)
        for unpack_field, value in zip(_UNPACKED[owner], values, strict=True)
    ]


def _cards(stored: bytes, _: _Place) -> tuple[Card, ...]:
    return tuple(map(CARDS.__getitem__, stored))


def _melds(stored: list[bytes], place: _Place) -> tuple[Meld, ...]:
    return tuple(_meld(cards, *place) for cards in stored)


@lru_cache(maxsize=_REMEMBERED)
def _meld(stored: bytes, number: int, aces: AceMode) -> Meld:
    return Meld(tuple(map(CARDS.__getitem__, stored)), wild_rank(number), aces)


def _scores(stored: list[msgspec.Struct], place: _Place) -> tuple[SeatScore, ...]:
    return tuple(
        SeatScore(*_unpacked(SeatScore, msgspec.structs.astuple(row), place)) for row in stored
    )


def _struct(
    owner: _Owner, *first: tuple[str, _Form], tag: int | None = None
) -> type[msgspec.Struct]:
    """The array in which the fields of a class are stored, after some others."""
    fields = [(field.name, _codec(field).stored) for field in fields_of(owner)]
    return msgspec.defstruct(
        owner.__name__, [*first, *fields], array_like=True, forbid_unknown_fields=True, tag=tag
    )


def _codec(field: Field) -> Codec:
    """How a field is stored and read."""
    codec = CODECS[field.kind]
    if not field.nullable:
        return codec
    assert codec == Codec(codec.stored), "a field that may be null is stored as it is"
    return Codec(codec.stored | None)


def _entry(kind: type[Body]) -> type[msgspec.Struct]:
    number: _Form = _Round if kind.in_round else _Round | None
    return _struct(kind, ("round", number), ("at", _Time), tag=kind.code)


_Round = Annotated[int, Meta(ge=1, le=ROUNDS)]
_Time = Annotated[int, Meta(ge=0, le=LAST_MOMENT)]
_Seat = Annotated[int, Meta(ge=0, le=MAX_SEATS - 1)]
_Count = Annotated[int, Meta(ge=0)]

CODECS: dict[Kind, Codec] = {
    Kind.SEAT: Codec(_Seat),
    Kind.SEATS: Codec(tuple[_Seat, ...]),
    Kind.NAME: Codec(Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]),
    Kind.CARD: Codec(
        Annotated[int, Meta(ge=0, le=JOKER_INDEX)], int, lambda stored, _: CARDS[stored]
    ),
    Kind.CARDS: Codec(bytes, bytes, _cards),
    Kind.MELDS: Codec(list[bytes], lambda melds: [bytes(meld.cards) for meld in melds], _melds),
    Kind.RANK: Codec(Rank),
    Kind.SOURCE: Codec(
        Annotated[int, Meta(ge=0, le=len(_SOURCES) - 1)],
        _SOURCES.index,
        lambda stored, _: _SOURCES[stored],
    ),
    Kind.COUNT: Codec(_Count),
    Kind.COUNTS: Codec(tuple[_Count, ...]),
    Kind.FLAG: Codec(bool),
    Kind.SECRET: Codec(Annotated[bytes, Meta(min_length=SECRET_BYTES, max_length=SECRET_BYTES)]),
}
"""How each kind of value is stored and read."""
_Row: _Form = _struct(SeatScore)
CODECS[Kind.SCORES] = Codec(list[_Row], lambda scores: list(map(_packed, scores)), _scores)

_OWNERS = (*BODIES.values(), SeatScore)
_PACKED = {
    owner: tuple((field.name, _codec(field).pack) for field in fields_of(owner))
    for owner in _OWNERS
}
_UNPACKED = {owner: tuple(_codec(field).unpack for field in fields_of(owner)) for owner in _OWNERS}
_KINDS = {_entry(kind): kind for kind in BODIES.values()}
_ENTRY: _Form = reduce(or_, _KINDS)
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(_ENTRY)
