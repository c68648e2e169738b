"""Events as they stand in the log: the bytes of each kind, the older form, and every damage."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events import BODIES, Event
from engine.fields import Kind, fields_of
from engine.round import Source
from engine.rules import AceMode
from service.errors import CorruptGameError
from service.games.stored import event_log
from service.games.stored.event_log import CODECS, LoggedEvent, pack, unpack
from tests.builders import meld
from tests.docs.event_examples import EXAMPLES, round_of
from tests.event_logs import everything, older_entry

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests/data/event_log.jsonl"
STORED: list[tuple[bytes, bytes]] = [
    (bytes.fromhex(line["entry"]), orjson.dumps(line["older"]))
    for line in map(orjson.loads, DATA.read_text().splitlines())
]
"""What was once stored for an event, as MessagePack and in the older form; it stays readable."""
SEQ = 7
LOW = AceMode.LOW


def read(entry: bytes) -> LoggedEvent:
    return unpack(entry, SEQ, LOW)


@pytest.mark.parametrize(("entry", "older"), STORED)
def test_the_bytes_of_an_entry_stay_as_they_were(entry: bytes, older: bytes) -> None:
    logged = read(entry)
    assert pack(logged) == entry
    assert everything(logged) == orjson.loads(older)


@pytest.mark.parametrize(("entry", "older"), STORED)
def test_an_entry_of_the_older_form_gives_the_same_event(entry: bytes, older: bytes) -> None:
    assert read(older) == read(entry)
    assert older_entry(read(entry)) == older


def test_an_entry_of_every_kind_is_known() -> None:
    lacking = set(BODIES) - {read(entry).event.body.type for entry, _ in STORED}
    assert not lacking, f"{DATA} needs an entry of {lacking}"


@pytest.mark.parametrize(("body", "_"), EXAMPLES)
def test_what_is_stored_of_an_event_is_read_again(body: Any, _: object) -> None:
    logged = LoggedEvent(Event(SEQ, round_of(body), body), 1_785_000_000_000)
    assert read(pack(logged)) == logged


def test_every_kind_of_value_and_every_source_can_be_stored() -> None:
    assert set(CODECS) == set(Kind), f"{event_log.__file__}: CODECS lacks a kind of value"
    assert set(event_log._SOURCES) == set(Source)


def test_the_cards_of_a_meld_stand_for_what_round_and_ace_mode_say() -> None:
    entry = stored([9, 4, 0, 0, b"", [bytes(meld("QS KS AS", "6", "high").cards)]])
    (high,) = unpack(entry, SEQ, AceMode.HIGH).event.body.melds
    assert high == meld("QS KS AS", "6", "high")
    with pytest.raises(CorruptGameError, match=r"^an event is damaged: IllegalMeldError$"):
        unpack(entry, SEQ, AceMode.LOW)


def stored(array: Any) -> bytes:
    return msgspec.msgpack.encode(array)


DRAWN = [6, 4, 1_785_000_000_000, 1, 0, 39]
AWAY = [3, None, 1_785_000_000_000, 0]
FINISHED = [11, 11, 0, None, [0, 2], [9, 30, 9], bytes(32)]
SCORED = [10, 4, 0, 0, False, [[0, b"\x0c\x0f\x34", [b"\x0c\x0f\x34"], b"", 0, 7]]]


def changed(array: list[Any], place: int, value: object) -> bytes:
    return stored([*array[:place], value, *array[place + 1 :]])


def test_what_the_damaged_entries_are_made_from_is_sound() -> None:
    for array in (DRAWN, AWAY, FINISHED, SCORED):
        assert pack(read(stored(array))) == stored(array)


@pytest.mark.parametrize(
    "entry",
    [
        b"",
        b"\xc1",
        stored([]),
        stored({}),
        stored(None),
        stored(DRAWN) + b"\0",
        stored(DRAWN)[:-1],
        stored(DRAWN[:-1]),
        stored([*DRAWN, 0]),
        changed(DRAWN, 0, 0),
        changed(DRAWN, 0, 99),
        changed(DRAWN, 0, "6"),
        changed(DRAWN, 1, None),
        changed(DRAWN, 1, 0),
        changed(DRAWN, 1, 12),
        changed(DRAWN, 1, True),
        changed(DRAWN, 2, -1),
        changed(DRAWN, 2, 253_402_300_800_000),
        changed(DRAWN, 2, None),
        changed(DRAWN, 3, 6),
        changed(DRAWN, 3, -1),
        changed(DRAWN, 3, None),
        changed(DRAWN, 3, True),
        changed(DRAWN, 4, 2),
        changed(DRAWN, 4, "stock"),
        changed(DRAWN, 5, 53),
        changed(DRAWN, 5, -1),
        changed(DRAWN, 5, b"\x27"),
        changed(AWAY, 1, 12),
        stored([1, None, 0, 1, ""]),
        stored([1, None, 0, 1, "x" * 41]),
        stored([1, None, 0, 1, 5]),
        stored([5, 4, 0, 3, 6, 14, 52]),
        stored([5, 4, 0, 3, -6, 6, 52]),
        stored([7, 4, 0, 1, 39, 1]),
        stored([9, 4, 0, 0, b"\x35", []]),
        stored([9, 4, 0, 0, [1, 2], []]),
        stored([9, 4, 0, 0, b"", [b"\x0c\x0f"]]),
        stored([9, 4, 0, 0, b"", [b"\x00\x04\x09"]]),
        stored([9, 4, 0, 0, b"", [b"\x0c\x0f\x35"]]),
        stored([9, 4, 0, 0, b"", b"\x0c\x0f\x34"]),
        changed(FINISHED, 4, [6]),
        changed(FINISHED, 4, 0),
        changed(FINISHED, 5, [-1]),
        changed(FINISHED, 6, bytes(31)),
        changed(FINISHED, 6, bytes(33)),
        changed(FINISHED, 6, "0" * 32),
        changed(SCORED, 5, [SCORED[5][0][:-1]]),
        changed(SCORED, 5, [[*SCORED[5][0], 0]]),
        changed(SCORED, 5, [None]),
        b"\xdd\xff\xff\xff\xff",
        b"\x91" * 100_000,
    ],
)
def test_a_damaged_entry_is_refused(entry: bytes) -> None:
    with pytest.raises(CorruptGameError, match=r"^an event is damaged: [A-Za-z]+$"):
        read(entry)


OLDER: dict[str, Any] = orjson.loads(STORED[5][1])


@pytest.mark.parametrize(
    "members",
    [
        {"seq": 8},
        {"seq": "7"},
        {"seq": True},
        {"at": "2026-07-30T17:19:55.615+00:00"},
        {"at": "2026-07-30T17:19:55Z"},
        {"at": "2026-07-30"},
        {"at": 5},
        {"type": "card_eaten"},
        {"type": []},
        {"round": None},
        {"round": 12},
        {"seat": "1"},
        {"seat": 6},
        {"source": "pile"},
        {"source": []},
        {"card": "10S"},
        {"card": 39},
        {"card": None},
        {"more": 1},
    ],
)
def test_a_damaged_entry_of_the_older_form_is_refused(members: dict[str, object]) -> None:
    with pytest.raises(CorruptGameError, match=r"^an event is damaged: [A-Za-z]+$"):
        read(orjson.dumps(OLDER | members))


def test_an_entry_of_the_older_form_at_another_place_or_cut_short_is_refused() -> None:
    older = orjson.dumps(OLDER)
    lacking = orjson.dumps({name: OLDER[name] for name in OLDER if name != "seat"})
    for entry, seq in ((older, 8), (older[:-1], SEQ), (b"{", SEQ), (b"{}", SEQ), (lacking, SEQ)):
        with pytest.raises(CorruptGameError):
            unpack(entry, seq, LOW)


def is_read_or_refused(entry: bytes) -> None:
    try:
        logged = read(entry)
    except CorruptGameError:
        return
    assert read(pack(logged)) == logged
    assert everything(logged)["seq"] == SEQ


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(entry: bytes) -> None:
    is_read_or_refused(entry)
    is_read_or_refused(b"{" + entry)


valid = st.sampled_from([form for forms in STORED for form in forms])


@given(valid, st.integers(0, 400), st.integers(0, 3), st.binary(max_size=4))
def test_a_changed_entry_is_read_or_refused(
    entry: bytes, place: int, length: int, between: bytes
) -> None:
    place %= len(entry) + 1
    is_read_or_refused(entry[:place] + between + entry[place + length :])


leaves: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=4),
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@given(st.sampled_from([entry for entry, _ in STORED]), st.integers(0, 6), values)
def test_an_entry_with_another_value_in_a_place_is_read_or_refused(
    entry: bytes, place: int, value: object
) -> None:
    array = msgspec.msgpack.decode(entry)
    is_read_or_refused(changed(array, place % len(array), value))


@given(
    st.sampled_from([older for _, older in STORED]), st.integers(0, 9), leaves | st.lists(leaves)
)
def test_an_older_entry_with_another_value_in_a_member_is_read_or_refused(
    older: bytes, place: int, value: object
) -> None:
    members = orjson.loads(older)
    name = list(members)[place % len(members)]
    is_read_or_refused(orjson.dumps(members | {name: value}, default=bytes.hex))


def rows(title: str) -> list[list[str]]:
    """The cells of the table under a title of docs/storage.md, without its head."""
    section = (ROOT / "docs/storage.md").read_text().split(f"\n### {title}\n")[1]
    lines = re.split(r"\n#+ ", section)[0].splitlines()
    table = [line for line in lines if line.startswith("|")][2:]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in table]


def test_the_page_on_storage_names_the_code_and_the_fields_of_each_kind() -> None:
    assert rows("Codes and fields") == [
        [
            str(body.code),
            kind,
            ", ".join(f"{each.name}: {each.kind.value}" for each in fields_of(body)),
        ]
        for kind, body in BODIES.items()
    ]


def test_the_page_on_storage_says_how_each_kind_of_value_is_stored() -> None:
    assert [name for name, _ in rows("Kinds of values")] == [kind.value for kind in Kind]
