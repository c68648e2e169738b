"""The options of a new game, as the request that creates it may have them."""

from __future__ import annotations

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from engine.players import DEFAULT_LEVEL, LEVELS
from engine.rules import (
    JOKER_CHOICES,
    MAX_SEATS,
    MAX_TURN_SECONDS,
    MIN_SEATS,
    MIN_TURN_SECONDS,
    ROUNDS,
)
from service.http.schemas.requests import RequestSchema, aces_field, name_field
from service.http.schemas.strict_fields import FlagField, Pattern, WholeField

_JOKERS = f"Must be one of: {', '.join(map(str, JOKER_CHOICES))}."


class SeatRequest(RequestSchema):
    """A seat of a new game."""

    kind = fields.String(
        required=True,
        validate=validate.OneOf(["human", "ai"]),
        metadata={"description": "Who plays: seat 0 is the creator's and so `human`."},
    )
    level = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.OneOf(list(LEVELS)),
        metadata={
            "description": f"An AI player's strength, `{DEFAULT_LEVEL}` by default; "
            "null for a human."
        },
    )
    name = name_field("What the seat is called.")


class RoundsRequest(RequestSchema):
    """The rounds that a new game plays."""

    first = WholeField(
        1, ROUNDS, load_default=1, metadata={"description": "The first round that is played."}
    )
    last = WholeField(
        1,
        ROUNDS,
        load_default=ROUNDS,
        metadata={"description": "The last round that is played: `first` or a later one."},
    )

    @ma.validates_schema
    def _in_order(self, rounds: dict[str, int], **kwargs: Any) -> None:
        """Refuse a last round that comes before the first."""
        if rounds["first"] > rounds["last"]:
            raise ma.ValidationError("The first round must not come after the last one.")


class GameRequest(RequestSchema):
    """The options of a new game, each of them optional."""

    seats = fields.List(
        fields.Nested(SeatRequest),
        load_default=None,
        allow_none=True,
        validate=validate.Length(min=MIN_SEATS, max=MAX_SEATS),
        metadata={
            "description": "Two to six seats, the creator's first; by default one human and "
            "three AI players at left, top and right. Every further human joins with an invite."
        },
    )
    jokers = fields.Integer(
        strict=True,
        load_default=0,
        validate=validate.OneOf(JOKER_CHOICES, error=_JOKERS),
        error_messages={"invalid": _JOKERS},
        metadata={"description": "Jokers in the pack."},
    )
    aces = aces_field()
    hints = FlagField(
        load_default=True, metadata={"description": "Whether seats may ask for hints."}
    )
    rounds = fields.Nested(
        RoundsRequest,
        load_default={"first": 1, "last": ROUNDS},
        metadata={
            "description": "The rounds to play, where not all eleven: each keeps its number, "
            "its hand size and its wild rank."
        },
    )
    seed = fields.String(
        load_default=None,
        allow_none=True,
        validate=Pattern("^[0-9a-fA-F]{64}$", error="A seed is 64 hexadecimal digits."),
        metadata={
            "description": "The game's secret itself, for tests and exact repeats: whoever knows "
            "it knows every card. The game then says `seeded`."
        },
    )
    turn_seconds = WholeField(
        MIN_TURN_SECONDS,
        MAX_TURN_SECONDS,
        load_default=None,
        allow_none=True,
        metadata={
            "description": "Seconds that a human has for a turn, null for no bound. An AI player "
            "moves for whoever lets them pass, until the human is back. Overdue turns are played "
            "by the next call of a seat, before that call itself: they stand even if it is refused."
        },
    )
