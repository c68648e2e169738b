"""What is stored beside the state of play: every field has its type and range."""

from __future__ import annotations

import dataclasses

import orjson
import pytest

from service.errors import CorruptGameError
from service.games.meta import Lifetimes, Meta
from service.store.models import Stored

HASH = "a" * 64
META = Meta(1, 2, 3, (HASH, None), (None, "b" * 64), True, 4, (1,))


def test_a_meta_is_read_as_it_was_written() -> None:
    assert Meta.parse(Stored(1, b"", META.dump())) == META


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("created_at", "soon"),
        ("updated_at", -1),
        ("expires_at", 1.5),
        ("created_at", True),
        ("tokens", [HASH]),
        ("tokens", [HASH, 7]),
        ("tokens", ["short", None]),
        ("invites", [None, HASH.upper()]),
        ("invites", "ab"),
        ("played", 1),
        ("played", None),
        ("deadline", "soon"),
        ("deadline", -4),
        ("away", [2]),
        ("away", [-1]),
        ("away", ["0"]),
        ("away", [True]),
        ("away", None),
        ("another", 1),
    ],
)
def test_a_field_of_another_type_or_range_is_refused(field: str, value: object) -> None:
    fields = dataclasses.asdict(META) | {field: value}
    with pytest.raises(CorruptGameError, match="the game's meta"):
        Meta.parse(Stored(1, b"", orjson.dumps(fields)))


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Meta)][:5])
def test_a_field_without_a_default_is_required(field: str) -> None:
    fields = dataclasses.asdict(META)
    del fields[field]
    with pytest.raises(CorruptGameError):
        Meta.parse(Stored(1, b"", orjson.dumps(fields)))


@pytest.mark.parametrize("text", [b"", b"[]", b"null", b"nonsense", b'"text"', b"\xff"])
def test_what_is_no_object_is_refused(text: bytes) -> None:
    with pytest.raises(CorruptGameError, match="the game's meta cannot be read"):
        Meta.parse(Stored(1, b"", text))


def test_a_game_lives_longer_once_it_is_played() -> None:
    lifetimes = Lifetimes(played=14, unplayed=1)
    assert (lifetimes.of(played=True), lifetimes.of(played=False)) == (14, 1)
