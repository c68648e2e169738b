"""The loader of plain values: it gives what the schema gives, or declines."""

from __future__ import annotations

from typing import Any

import marshmallow as ma
import pytest
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import fields, validate

from engine.cards import CODES, Rank
from service.http.schemas import options, requests
from service.http.schemas.options import GameRequest, RoundsRequest
from service.http.schemas.plain import PlainLoader
from service.http.schemas.requests import (
    CreateHeaders,
    DiscardRequest,
    DrawRequest,
    EvaluationRequest,
    EventsQuery,
    MoveHeaders,
    ViewHeaders,
)
from tests.builders import hand

SCHEMAS = {
    kind: (kind(), PlainLoader.of(kind()))
    for module in (requests, options)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, ma.Schema) and kind.__module__ == module.__name__
}
LIKELY = st.sampled_from(
    [
        *(
            "stock",
            "discard",
            "8H",
            "JK",
            "10S",
            "5",
            "2",
            "A",
            "low",
            "both",
            "human",
            "ai",
            "hard",
        ),
        *("", " ", "Ann", "A" * 41, "An\tn", "k" * 22, "k" * 256, "a" * 64, "a" * 64 + "\n", "7"),
        *(True, False, None, 0, 1, 2, 3, 60, -1, 10**9, 10**20, 0.0, 1.0, 2.5),
    ]
)
CARDS = st.lists(st.sampled_from(CODES) | LIKELY, max_size=15) | st.lists(
    st.sampled_from(["8H", "JK"]), max_size=8
)
SEATS = st.lists(st.fixed_dictionaries({"kind": LIKELY}, optional={"name": LIKELY}), max_size=7)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
ROUNDS = st.fixed_dictionaries({}, optional={"first": LIKELY, "last": LIKELY})
VALUES = LIKELY | CARDS | SEATS | ROUNDS | JSON


def objects(schema: ma.Schema) -> st.SearchStrategy[dict[str, object]]:
    """Objects with some of a schema's members, and rarely another one."""
    keys = [field.data_key or name for name, field in schema.fields.items()]
    return st.dictionaries(st.sampled_from([*keys, *keys, "more"]), VALUES)


REQUESTS = st.sampled_from(list(SCHEMAS)).flatmap(
    lambda kind: st.tuples(st.just(kind), objects(SCHEMAS[kind][0]) | JSON)
)


def typed(value: object) -> object:
    """A loaded value with the kind of each part: for 1 == True."""
    match value:
        case dict():
            return {name: typed(inner) for name, inner in value.items()}
        case list():
            return [typed(inner) for inner in value]
        case _:
            return type(value), value


@given(REQUESTS)
def test_what_is_loaded_is_what_the_schema_loads(request_: tuple[type[ma.Schema], Any]) -> None:
    kind, given_ = request_
    schema, loader = SCHEMAS[kind]
    loaded = loader.load(given_)
    if loaded is not None:
        judged = schema.load(given_, unknown=ma.RAISE)
        assert typed(loaded) == typed(judged)
        assert list(loaded) == list(judged)


@pytest.mark.parametrize(
    ("schema", "body", "loaded"),
    [
        (DrawRequest(), {"source": "stock"}, {"source": "stock"}),
        (DiscardRequest(), {"card": "8H"}, {"card": hand("8H")[0], "go_out": True}),
        (
            DiscardRequest(),
            {"card": "JK", "go_out": False},
            {"card": hand("JK")[0], "go_out": False},
        ),
        (
            EvaluationRequest(),
            {"cards": ["8H", "8H", "JK"], "wild_rank": "5"},
            {"cards": list(hand("8H 8H JK")), "wild_rank": Rank.FIVE, "aces": "low"},
        ),
        (
            GameRequest(),
            {"jokers": 2},
            {
                "seats": None,
                "jokers": 2,
                "aces": "low",
                "hints": True,
                "rounds": {"first": 1, "last": 11},
                "seed": None,
                "turn_seconds": None,
            },
        ),
        (EventsQuery(), {}, {}),
        (ViewHeaders(), {"If-None-Match": "*"}, {"if_none_match": "*"}),
        (
            MoveHeaders(),
            {"Idempotency-Key": "k", "If-Match": '"1"'},
            {"idempotency_key": "k", "if_match": '"1"'},
        ),
        (CreateHeaders(), {}, {}),
    ],
)
def test_ordinary_requests_are_plain(
    schema: ma.Schema, body: dict[str, object], loaded: dict[str, object]
) -> None:
    assert PlainLoader.of(schema).load(body) == loaded == schema.load(body)


@pytest.mark.parametrize(
    ("schema", "body"),
    [
        (DrawRequest(), {}),
        (DrawRequest(), {"source": "stock", "more": None}),
        (DrawRequest(), {"source": ["stock"]}),
        (DiscardRequest(), {"card": "8H", "go_out": 1}),
        (EvaluationRequest(), {"cards": [], "wild_rank": "5"}),
        (EvaluationRequest(), {"cards": ["8H", "8H", "8H"], "wild_rank": "5"}),
        (EvaluationRequest(), {"cards": ["8H"], "wild_rank": "A"}),
        (GameRequest(), {"jokers": True}),
        (GameRequest(), {"seats": []}),
        (GameRequest(), {"rounds": {"first": 3}}),
        (GameRequest(), {"rounds": None}),
        (RoundsRequest(), {"first": 3}),
        (EventsQuery(), {"after": "5"}),
        (MoveHeaders(), {"Idempotency-Key": "k" * 256}),
        (DrawRequest(), [("source", "stock")]),
        (DrawRequest(), None),
    ],
)
def test_what_is_refused_or_rare_is_left_to_the_schema(schema: ma.Schema, body: object) -> None:
    assert PlainLoader.of(schema).load(body) is None


class Before(ma.Schema):
    @ma.pre_load
    def change(self, data: Any, **_: Any) -> Any:
        return data


class After(ma.Schema):
    @ma.post_load
    def change(self, data: Any, **_: Any) -> Any:
        return data


class Whole(ma.Schema):
    @ma.validates_schema
    def check(self, data: Any, **_: Any) -> None:
        """Accept it."""


class Own(ma.Schema):
    def handle_error(self, error: ma.ValidationError, data: Any, **_: Any) -> None:
        """Leave it to the caller."""


class Tea(ma.Schema):
    cups = fields.Integer(data_key="Cups", load_default=0)

    @ma.validates("cups")
    def few(self, cups: int, **_: Any) -> None:
        if cups > 3:
            raise ma.ValidationError("That is too much tea.")


@pytest.mark.parametrize("schema", [Before(), After(), Whole(), Own()])
def test_a_schema_with_a_hook_loads_its_values_itself(schema: ma.Schema) -> None:
    assert schema.load({}) == {}
    assert PlainLoader.of(schema).load({}) is None


def test_a_check_of_a_schema_is_made() -> None:
    loader = PlainLoader.of(Tea())
    assert loader.load({"Cups": 3}) == {"cups": 3}
    assert loader.load({"Cups": 4}) is None


@pytest.mark.parametrize(
    "field",
    [
        fields.String(pre_load=str.strip),
        fields.String(post_load=str.strip),
        fields.Email(),
        fields.Float(),
        fields.List(fields.Float()),
    ],
)
def test_a_field_that_converts_is_left_to_the_schema(field: fields.Field[Any]) -> None:
    loader = PlainLoader.of(ma.Schema.from_dict({"value": field})())
    for value in ("a@b.example", 1.0, [1.0]):
        assert loader.load({"value": value}) is None


def test_a_default_that_is_made_is_left_to_the_schema() -> None:
    loader = PlainLoader.of(ma.Schema.from_dict({"value": fields.String(load_default=str)})())
    assert loader.load({}) is None
    assert loader.load({"value": "a"}) == {"value": "a"}


def test_each_validator_of_a_text_of_few_is_asked() -> None:
    field = fields.String(validate=[validate.OneOf(["a", "bc"]), validate.Length(max=1)])
    loader = PlainLoader.of(ma.Schema.from_dict({"value": field})())
    assert loader.load({"value": "a"}) == {"value": "a"}
    assert loader.load({"value": "bc"}) is None
