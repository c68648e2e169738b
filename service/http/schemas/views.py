"""A game as an answer shows it, part by part; every field is always there.

The fields that `replies` and `events` share are made by the small functions on top.
"""

from __future__ import annotations

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from engine.cards import RANK_CODES
from engine.game import Status
from engine.players import LEVELS
from engine.rules import ROUNDS, AceMode
from service.http.schemas.strict_fields import CARD_PATTERN


class ReplySchema(ma.Schema):
    """An answer's object: all fields present, more may come with later versions."""

    class Meta:
        """Leave room for fields to come."""

        unknown = ma.INCLUDE

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Document every field as always present, but those marked `sometimes`."""
        field_obj.required = not field_obj.metadata.get("sometimes", False)


def text_field(description: str, **more: Any) -> fields.String:
    """A string."""
    return fields.String(metadata={"description": description, **more.pop("metadata", {})}, **more)


def count_field(description: str, **more: Any) -> fields.Integer:
    """A whole number from 0."""
    return fields.Integer(
        strict=True, validate=validate.Range(min=0), metadata={"description": description}, **more
    )


def flag_field(description: str) -> fields.Boolean:
    """A truth value."""
    return fields.Boolean(metadata={"description": description})


def seat_field(description: str, **more: Any) -> fields.Integer:
    """The number of a seat."""
    return fields.Integer(
        strict=True,
        validate=validate.Range(min=0, max=5),
        metadata={"description": description},
        **more,
    )


def round_field(description: str, **more: Any) -> fields.Integer:
    """The number of a round."""
    return fields.Integer(
        strict=True,
        validate=validate.Range(min=1, max=ROUNDS),
        metadata={"description": description},
        **more,
    )


def card_field(description: str, **more: Any) -> fields.String:
    """A card code."""
    return text_field(description, metadata={"pattern": CARD_PATTERN}, **more)


def cards_field(description: str, **more: Any) -> fields.List[Any]:
    """A list of card codes."""
    return fields.List(card_field("A card code."), metadata={"description": description}, **more)


def wild_field() -> fields.String:
    """A wild rank."""
    return text_field("The round's wild rank.", validate=validate.OneOf(list(RANK_CODES[2:])))


def time_field(description: str, **more: Any) -> fields.String:
    """A time, RFC 3339 in UTC."""
    return text_field(description, metadata={"format": "date-time"}, **more)


def hex_field(description: str) -> fields.String:
    """A 32-byte value in hex."""
    return text_field(description, metadata={"pattern": "^[0-9a-f]{64}$"})


def totals_field() -> fields.List[Any]:
    """Points by seat."""
    return fields.List(
        count_field("Points."), metadata={"description": "Points of all scored rounds, by seat."}
    )


class Meld(ReplySchema):
    """A set or a run."""

    kind = text_field(
        "`set` if all naturals share one rank, else `run`.",
        validate=validate.OneOf(["set", "run"]),
    )
    cards = cards_field("The cards, those of a run in order.")
    stands_for = cards_field("What each card stands for: itself, unless it is a wild.")


class Rounds(ReplySchema):
    """The rounds that a game plays."""

    first = round_field("The first round.")
    last = round_field("The last round.")


class Rules(ReplySchema):
    """The options of a game."""

    jokers = count_field("Jokers in the pack.")
    aces = text_field("The ace mode.", validate=validate.OneOf([mode.value for mode in AceMode]))
    hints = flag_field("Whether seats may ask for hints.")
    rounds = fields.Nested(Rounds)


class Round(ReplySchema):
    """The round that is played, or was played last."""

    number = round_field("The round's number.")
    hand_size = count_field("Cards dealt to each seat.")
    wild_rank = wild_field()
    dealer = seat_field("The seat that dealt.")


class Turn(ReplySchema):
    """Who is to move."""

    seat = seat_field("The seat to move.")
    phase = text_field("What is due.", validate=validate.OneOf(["draw", "discard"]))
    final = flag_field("Whether somebody is out, so that this is a final turn.")
    deadline = time_field("When a human's time is over; null without a bound.", allow_none=True)


class Seat(ReplySchema):
    """A seat as everybody sees it."""

    seat = seat_field("The seat's number.")
    position = text_field(
        "Where the seat is, seen from seat 0; null at tables of more than four.",
        allow_none=True,
        validate=validate.OneOf(["bottom", "left", "top", "right"]),
    )
    kind = text_field("Who plays.", validate=validate.OneOf(["human", "ai"]))
    name = text_field("What the seat is called.")
    level = text_field(
        "An AI player's strength; null for a human.",
        allow_none=True,
        validate=validate.OneOf(list(LEVELS)),
    )
    joined = flag_field("False while the seat's human is awaited.")
    away = flag_field("Whether an AI player moves for a human whose time ran out.")
    card_count = count_field("Cards in the hand.")
    shown = cards_field("Cards that the seat took from the pile in the open and still holds.")
    total = count_field("Points of all scored rounds.")
    hand = cards_field("The hand of the seat that is out, during the final turns.", allow_none=True)
    melds = fields.List(
        fields.Nested(Meld),
        allow_none=True,
        metadata={"description": "That hand in melds."},
    )


class Arrangement(ReplySchema):
    """A hand parted into melds and deadwood with the least points."""

    melds = fields.List(fields.Nested(Meld))
    deadwood = cards_field("The cards in no meld.")
    points = count_field("The deadwood's points.")


class OwnArrangement(Arrangement):
    """The hand's best arrangement, after the best discard while one is due."""

    discard = card_field("The best discard, while one is due.", allow_none=True)


class Legal(ReplySchema):
    """The moves that the seat may make now."""

    draw = fields.List(fields.String(validate=validate.OneOf(["stock", "discard"])))
    discard = cards_field("Distinct cards.")


class Own(ReplySchema):
    """What only the viewing seat sees."""

    seat = seat_field("The viewer's seat.")
    hand = cards_field(
        "The hand, sorted by rank, then suit, jokers last; null until it is dealt.",
        allow_none=True,
    )
    drawn = card_field("The card just drawn, while its discard is due.", allow_none=True)
    upcard_points = count_field(
        "While your draw is due, the least deadwood that taking the upcard would leave after the "
        "best discard; else null.",
        allow_none=True,
    )
    arrangement = fields.Nested(OwnArrangement)
    legal = fields.Nested(Legal)
    can_go_out_with = cards_field("Distinct cards whose discard leaves every card melded.")


class Result(ReplySchema):
    """How a game ended: the lowest total wins, and nobody does where several share it."""

    winner = seat_field("The seat that won; null on a tie.", allow_none=True)
    tied = fields.List(
        seat_field("A seat."), metadata={"description": "The seats that tie, if any."}
    )
    totals = totals_field()


class Game(ReplySchema):
    """A game as one viewer sees it."""

    id = text_field("The game's id.")
    version = fields.Integer(
        strict=True,
        validate=validate.Range(min=1),
        metadata={"description": "Grows by 1 with every change, from 1."},
    )
    status = text_field("How far the game is.", validate=validate.OneOf([s.value for s in Status]))
    seeded = flag_field("Whether the creator chose the secret.")
    commitment = hex_field("The SHA-256 of the game's secret.")
    rules = fields.Nested(Rules)
    turn_seconds = count_field("Seconds that a human has for a turn.", allow_none=True)
    round = fields.Nested(Round, allow_none=True)
    turn = fields.Nested(Turn, allow_none=True)
    went_out = seat_field("The seat that is out in this round.", allow_none=True)
    stock_count = count_field("Cards in the stock.", allow_none=True)
    discard_top = card_field("The top of the discard pile; null if it is empty.", allow_none=True)
    discard_count = count_field("Cards in the discard pile.")
    seats = fields.List(fields.Nested(Seat))
    you = fields.Nested(Own, allow_none=True)
    result = fields.Nested(Result, allow_none=True)
    rematch = text_field("The id of the game's rematch, once there is one.", allow_none=True)
    created_at = time_field("When the game was created.")
    updated_at = time_field("When this version was made: by a move, or as somebody came or went.")
    expires_at = time_field("When the game is forgotten, unless it changes before.")
