"""The review of a finished game: which seat it is asked for, and what it says."""

from __future__ import annotations

from marshmallow import fields, validate

from engine.rules import MAX_SEATS
from service.http.schemas.requests import RequestSchema
from service.http.schemas.strict_fields import CARD_PATTERN, QueryNumberField
from service.http.schemas.views import ReplySchema, count_field, round_field, seat_field, text_field


class ReviewQuery(RequestSchema):
    """Whose moves to judge."""

    seat = QueryNumberField(
        0,
        MAX_SEATS - 1,
        load_default=0,
        metadata={"description": "The seat whose moves are judged; any seat of the game."},
    )


class ReviewChoice(ReplySchema):
    """A move: a draw has `source`, a discard has `card`."""

    source = text_field(
        "Where from.", validate=validate.OneOf(["stock", "discard"]), metadata={"sometimes": True}
    )
    card = text_field("Which card.", metadata={"sometimes": True, "pattern": CARD_PATTERN})


class ReviewMove(ReplySchema):
    """One move beside the move that the expert would have made."""

    seq = fields.Integer(
        strict=True,
        validate=validate.Range(min=1),
        metadata={"description": "The `seq` of the move's event."},
    )
    round = round_field("The round.")
    type = text_field("What was due.", validate=validate.OneOf(["draw", "discard"]))
    played = fields.Nested(ReviewChoice, metadata={"description": "What the seat did."})
    best = fields.Nested(
        ReviewChoice, metadata={"description": "What the expert would have done there."}
    )
    loss = fields.Float(
        validate=validate.Range(min=0),
        metadata={"description": "The points that the move gave away against `best`."},
    )
    luck = fields.Float(
        allow_none=True,
        metadata={
            "description": "By how many points the card from the stock was better than the mean of "
            "the cards that the seat had not seen, below 0 if it was worse; null of other moves."
        },
    )


class _Sums(ReplySchema):
    """What the moves come to."""

    loss = fields.Float(
        validate=validate.Range(min=0),
        metadata={"description": "The points that the moves gave away, in all."},
    )
    luck = fields.Float(metadata={"description": "The luck of the draws from the stock, in all."})


class ReviewRound(_Sums):
    """One round that was dealt."""

    number = round_field("The round's number.")
    points = count_field(
        "The points of the seat; null if the round was never scored.", allow_none=True
    )


class Review(_Sums):
    """What a seat gave away in a game, and what was luck."""

    seat = seat_field("The seat.")
    accuracy = fields.Float(
        validate=validate.Range(min=0, max=100),
        metadata={
            "description": "How much of all that could be lost was not, in per cent; 100 where "
            "nothing could be lost."
        },
    )
    rounds = fields.List(fields.Nested(ReviewRound))
    moves = fields.List(
        fields.Nested(ReviewMove), metadata={"description": "Every move of the seat, in order."}
    )
