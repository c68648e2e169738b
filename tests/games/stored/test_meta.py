"""What is stored beside the state of play: every field has its type and range."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.errors import CorruptGameError
from service.games.stored.meta import Lifetimes, Meta, Reservation
from service.store.models import StoredGame

HASH, OTHER = b"a" * 32, b"b" * 32
ID = "Zk3vQ8rT1xWn5bYc7LdMfA"
RESERVED = Reservation(ID, OTHER, 1, HASH, 5)
META = Meta(1, 2, 3, (HASH, None), (None, OTHER), True, 4, (1,), True, RESERVED, ID)
OLD_META = msgspec.structs.replace(META, rematch=None, rematch_of=None)
FIELDS = Meta.__struct_fields__
OLD_FIELDS = {
    "created_at": 1,
    "updated_at": 2,
    "expires_at": 3,
    "tokens": [HASH.hex(), None],
    "invites": [None, OTHER.hex()],
    "played": True,
    "deadline": 4,
    "away": [1],
}
"""The same meta as earlier versions of the service stored it, as JSON."""


def parse(text: bytes) -> Meta:
    return Meta.parse(StoredGame(1, b"", text))


def dumped(changed: dict[str, object]) -> bytes:
    """A meta in which some fields have other values."""
    fields = dict(zip(FIELDS, msgspec.msgpack.decode(META.dump()), strict=True))
    return msgspec.msgpack.encode(list((fields | changed).values()))


hashes = st.none() | st.binary(min_size=32, max_size=32)
times = st.integers(0, 253_402_300_799_999)


@st.composite
def metas(draw: Callable[..., object]) -> Meta:
    seats = draw(st.integers(2, 8))
    lists = st.lists(hashes, min_size=seats, max_size=seats).map(tuple)
    away = st.lists(st.integers(0, seats - 1)).map(tuple)
    values = (times, times, times, lists, lists, st.booleans(), st.none() | times, away)
    ids = st.from_regex(r"\A[A-Za-z0-9_-]{22}\Z")
    secrets = st.binary(min_size=32, max_size=32)
    reserved = st.builds(Reservation, ids, secrets, st.integers(0, seats - 1), secrets, times)
    more = (st.booleans(), st.none() | reserved, st.none() | ids)
    return Meta(*(draw(each) for each in (*values, *more)))


@given(metas())
def test_a_meta_is_read_as_it_was_written(meta: Meta) -> None:
    assert parse(meta.dump()) == meta


@given(metas(), st.data())
def test_a_damaged_meta_is_refused_or_is_a_meta(meta: Meta, data: st.DataObject) -> None:
    text = bytearray(meta.dump())
    place = data.draw(st.integers(0, len(text) - 1))
    if data.draw(st.booleans()):
        text[place] = data.draw(st.integers(0, 255))
    else:
        del text[place : place + data.draw(st.integers(1, len(text)))]
    try:
        damaged = parse(bytes(text))
    except CorruptGameError:
        return
    assert parse(damaged.dump()) == damaged
    assert len(damaged.tokens) == len(damaged.invites)


@given(st.binary())
def test_any_bytes_are_refused_or_are_a_meta(text: bytes) -> None:
    try:
        meta = parse(text)
    except CorruptGameError:
        return
    assert parse(meta.dump()) == meta


WRONG_VALUES = [
    ("created_at", "soon"),
    ("updated_at", -1),
    ("updated_at", 253_402_300_800_000),
    ("expires_at", 1.5),
    ("created_at", True),
    ("tokens", 7),
    ("played", 1),
    ("played", None),
    ("deadline", "soon"),
    ("deadline", -4),
    ("away", [2]),
    ("away", [-1]),
    ("away", ["0"]),
    ("away", [True]),
    ("away", None),
]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *WRONG_VALUES,
        ("tokens", [HASH]),
        ("tokens", [HASH, 7]),
        ("tokens", [b"short", None]),
        ("tokens", [HASH + b"a", None]),
        ("invites", [None, "b" * 32]),
        ("invites", b"ab"),
        ("old_records", 1),
        ("rematch_of", ID[:-1]),
        ("rematch_of", f"{ID}\n"),
        ("rematch_of", 7),
        ("rematch", ID),
        ("rematch", [ID[:-1], OTHER, 1, HASH, 5]),
        ("rematch", [ID, OTHER[:-1], 1, HASH, 5]),
        ("rematch", [ID, OTHER, 2, HASH, 5]),
        ("rematch", [ID, OTHER, -1, HASH, 5]),
        ("rematch", [ID, OTHER, 1, HASH + b"a", 5]),
        ("rematch", [ID, OTHER, 1, HASH, -5]),
        ("rematch", [ID, OTHER, 1, HASH]),
        ("rematch", [ID, OTHER, 1, HASH, 5, 6]),
        ("another", 1),
    ],
)
def test_a_field_of_another_type_or_range_is_refused(field: str, value: object) -> None:
    with pytest.raises(CorruptGameError, match="the game's meta cannot be read"):
        parse(dumped({field: value}))


@pytest.mark.parametrize("count", range(5))
def test_a_field_without_a_default_is_required(count: int) -> None:
    fields = msgspec.msgpack.decode(META.dump())
    with pytest.raises(CorruptGameError):
        parse(msgspec.msgpack.encode(fields[:count]))
    assert parse(msgspec.msgpack.encode(fields[:5])).played is False


@pytest.mark.parametrize("text", [b"", b"[]", b"null", b"nonsense", b'"text"', b"\xff", b"\x90"])
def test_what_is_no_meta_is_refused(text: bytes) -> None:
    with pytest.raises(CorruptGameError, match="the game's meta cannot be read"):
        parse(text)


def test_a_meta_of_an_earlier_version_is_read() -> None:
    assert parse(orjson.dumps(OLD_FIELDS)) == OLD_META
    for name in ("played", "deadline", "away"):
        fields = {**OLD_FIELDS}
        del fields[name]
        default = Meta.__struct_defaults__[FIELDS.index(name) - len(FIELDS)]
        assert parse(orjson.dumps(fields)) == msgspec.structs.replace(OLD_META, **{name: default})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *WRONG_VALUES,
        ("tokens", [HASH.hex()]),
        ("tokens", [HASH.hex(), 7]),
        ("tokens", ["short", None]),
        ("tokens", [f"{HASH.hex()}\n", None]),
        ("invites", [None, "B" * 64]),
        ("invites", "ab"),
        ("another", 1),
    ],
)
def test_a_wrong_field_of_an_earlier_version_is_refused(field: str, value: object) -> None:
    with pytest.raises(CorruptGameError, match="the game's meta cannot be read"):
        parse(orjson.dumps(OLD_FIELDS | {field: value}))


@pytest.mark.parametrize("field", list(OLD_FIELDS)[:5])
def test_a_field_of_an_earlier_version_without_a_default_is_required(field: str) -> None:
    with pytest.raises(CorruptGameError):
        parse(orjson.dumps({name: OLD_FIELDS[name] for name in OLD_FIELDS if name != field}))


def test_the_meta_of_four_seats_with_one_human_is_small() -> None:
    now = 1_800_000_000_000
    meta = Meta(now, now, now, (HASH, None, None, None), (None,) * 4, True, now, (0,))
    assert len(meta.dump()) < 100


def test_a_game_lives_longer_once_it_is_played() -> None:
    lifetimes = Lifetimes(played=14, unplayed=1)
    assert (lifetimes.of(played=True), lifetimes.of(played=False)) == (14, 1)
