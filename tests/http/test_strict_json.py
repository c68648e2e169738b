"""Plain bodies are read quickly, and as the strict reader reads them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service.errors import MalformedJsonError
from service.http.strict_json import parse, parse_any, plain_object

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)
PLAIN = st.none() | st.booleans() | st.text(max_size=6)
PLAIN_OBJECTS = st.dictionaries(
    st.sampled_from(["source", "card", "cards", "a", ""]), PLAIN | st.lists(PLAIN, max_size=4)
)
PIECES = st.sampled_from(
    [
        *'{}[]:,"',
        *('"a"', '"a":', '"b":"c"', '"a":1', "{}", "[]", " ", "\n", "\x00", "\x7f", "\ufeff"),
        *("0", "-0", "-0.0", "2.0", "1e2", "1e999", "01", "9" * 18, "9" * 19, "-" + "9" * 18),
        *("true", "null", "NaN", "-Infinity", "\\u003a", "\\ud800", "\\udc00", '\\"', "\\"),
        *('"\\ud83d\\ude00"', '"\\ud800"', '":"', '"\\u003a"', '"é"', "{" * 20, "[" * 20),
    ]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)


def outcome(body: bytes, reader: Any) -> object:
    """What a reader makes of a body, with the kinds of its values; or what it refuses it for."""
    try:
        return repr(reader(body))
    except MalformedJsonError as error:
        return error.args


@given(VALUES, st.booleans())
def test_a_json_text_is_read_as_the_strict_reader_reads_it(value: object, ascii_only: bool) -> None:
    body = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    assert outcome(body, parse) == outcome(body, parse_any)


@given(TEXTS.map(lambda text: text.encode()) | st.binary(max_size=20))
@example(b'{"a":[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]],"a":"b"}')
@example(b'{"a":"b","a":"b"}')
@example(b'{"a":"\xed\xa0\x80"}')
def test_any_text_is_read_as_the_strict_reader_reads_it(body: bytes) -> None:
    assert outcome(body, parse) == outcome(body, parse_any)


@given(TEXTS.map(lambda text: f'{{"a":{text}}}'.encode()))
def test_any_text_within_an_object_is_read_as_the_strict_reader_reads_it(body: bytes) -> None:
    assert outcome(body, parse) == outcome(body, parse_any)


@given(PLAIN_OBJECTS)
def test_an_object_of_texts_is_plain(value: dict[str, object]) -> None:
    body = json.dumps(value).encode()
    has_colon = body.count(b":") > len(value)
    assert plain_object(body) == (None if has_colon else value)


@pytest.mark.parametrize(
    "body",
    [
        b'{"a":1}',
        b'{"a":2.0}',
        b'{"a":{}}',
        b'{"a":[[]]}',
        b'{"a":["b",0]}',
        b'{"a":":"}',
        b'{"a":"b","a":"b"}',
        b"[]",
        b'"a"',
        b"{",
    ],
)
def test_what_orjson_could_read_otherwise_is_left_to_the_strict_reader(body: bytes) -> None:
    assert plain_object(body) is None
