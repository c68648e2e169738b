"""Texts that merely look like what a field takes."""

from __future__ import annotations

from typing import Any

import marshmallow as ma
import pytest

from service.http.schemas.options import GameRequest, SeatRequest
from service.http.schemas.requests import CreateHeaders, EventsQuery


def refused(schema: ma.Schema, body: dict[str, Any]) -> set[str]:
    """The fields that a schema finds fault with."""
    try:
        schema.load(body)
    except ma.ValidationError as error:
        return set(error.normalized_messages())
    return set()


@pytest.mark.parametrize("name", ["Ann", "Ann Lee", " Ann ", "安", "👑", "\u3000x", "A" * 40])
def test_a_name_may_have_any_visible_characters(name: str) -> None:
    assert not refused(SeatRequest(), {"kind": "human", "name": name})


@pytest.mark.parametrize(
    "name",
    ["", " ", "\u3000", "Ann\n", "\nAnn", "An\tn", "An\u0000n", "\u202eAnn", "\ufeff", "A" * 41],
)
def test_a_name_is_never_blank_long_or_more_than_one_line(name: str) -> None:
    assert refused(SeatRequest(), {"kind": "human", "name": name}) == {"name"}


@pytest.mark.parametrize("text", ["0", "7", "007", "1000000000"])
def test_a_number_in_a_query_is_plain_digits(text: str) -> None:
    assert EventsQuery().load({"after": text})["after"] == int(text)


@pytest.mark.parametrize(
    "text", ["", "-0", "+5", " 5", "5 ", "1_0", "5.0", "1e1", "\u0665", "9" * 5000]
)
def test_a_number_in_a_query_is_nothing_else(text: str) -> None:
    assert refused(EventsQuery(), {"after": text}) == {"after"}


@pytest.mark.parametrize("seed", ["a" * 63, "a" * 65, "a" * 64 + "\n", "g" * 64, "a " * 32])
def test_a_seed_is_64_digits_and_nothing_after_them(seed: str) -> None:
    assert refused(GameRequest(), {"seed": seed}) == {"seed"}


@pytest.mark.parametrize("key", ["k" * 21, "k" * 256, "k" * 22 + "\n", "k" * 22 + " ", "é" * 22])
def test_a_key_for_a_new_game_is_long_and_visible(key: str) -> None:
    assert refused(CreateHeaders(), {"Idempotency-Key": key}) == {"Idempotency-Key"}
