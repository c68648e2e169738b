"""The older form of a log entry: a JSON object with the fields by their names, cards as codes.

Games that an older version began have such entries at the beginning of their logs.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from engine.cards import Card, Rank
from engine.events import BODIES, SeatScore
from engine.fields import Kind, fields_of
from service.games.answers.bodies import timestamp

_Members = dict[str, Any]
_Owner = type[Any]
_Read = Callable[[Any], object]
_ENVELOPE = ("seq", "at", "type", "round")
_EPOCH = datetime.fromtimestamp(0, UTC)
_MILLISECOND = timedelta(milliseconds=1)


def older_array(entry: bytes, seq: int) -> list[object]:
    """What `event_log` would store today of an older entry at a place, not checked yet.

    Raises EngineError, ValueError, TypeError or LookupError where that is nothing.
    """
    members = orjson.loads(entry)
    kind = BODIES[members["type"]]
    if type(members["seq"]) is not int or members["seq"] != seq:
        raise ValueError("the event has another place")
    at = _milliseconds(members["at"])
    return [kind.code, members["round"], at, *_values(members, kind, more=len(_ENVELOPE))]


def _milliseconds(text: str) -> int:
    milliseconds = (datetime.fromisoformat(text) - _EPOCH) // _MILLISECOND
    if timestamp(milliseconds) != text:
        raise ValueError("the time has another form")
    return milliseconds


def _values(members: _Members, owner: _Owner, *, more: int = 0) -> list[object]:
    """The fields of a class from the members of an object that has so many `more`."""
    fields = fields_of(owner)
    if len(members) != len(fields) + more:
        raise ValueError("a member is missing, or is one too many")
    return [_value(members[field.name], _READERS.get(field.kind)) for field in fields]


def _value(value: object, read: _Read | None) -> object:
    return value if value is None or read is None else read(value)


def _card(code: object) -> int:
    return int(Card.parse(code))


def _cards(codes: list[object]) -> bytes:
    return bytes(map(_card, codes))


def _melds(melds: list[_Members]) -> list[bytes]:
    return [_cards(meld["cards"]) for meld in melds]


def _scores(rows: list[_Members]) -> list[list[object]]:
    return [_values(row, SeatScore) for row in rows]


_READERS: dict[Kind, _Read] = {
    Kind.CARD: _card,
    Kind.CARDS: _cards,
    Kind.MELDS: _melds,
    Kind.RANK: lambda code: int(Rank.parse(code)),
    Kind.SOURCE: {"stock": 0, "discard": 1}.__getitem__,
    Kind.SECRET: bytes.fromhex,
    Kind.SCORES: _scores,
}
"""How each kind of value is read that is not the same in both forms."""
