"""The kinds of event, one schema each, and the union of them."""

from __future__ import annotations

from typing import Any

from marshmallow import fields, validate

from engine.rules import ROUNDS
from service.http.schemas.views import (
    Meld,
    ReplySchema,
    card_field,
    cards_field,
    count_field,
    flag_field,
    hex_field,
    seat_field,
    text_field,
    time_field,
    totals_field,
    wild_field,
)

UNION = "Event"
"""The name of the union in the API description."""


class EventField(fields.Raw):
    """An event, documented as the union of all kinds."""

    DOCUMENTED = {"$ref": f"#/components/schemas/{UNION}"}  # noqa: RUF012


class NullField(fields.Raw):
    """Always null."""

    DOCUMENTED = {"type": "null"}  # noqa: RUF012


def events_field(description: str) -> fields.List[Any]:
    """A list of events."""
    return fields.List(EventField(), metadata={"description": description})


def _type(name: str) -> fields.String:
    return fields.String(validate=validate.Equal(name))


class _Event(ReplySchema):
    seq = fields.Integer(
        strict=True,
        validate=validate.Range(min=1),
        metadata={"description": "The event's number in its game: 1, 2, 3, …"},
    )
    at = time_field("When it happened.")


class _RoundEvent(_Event):
    round = fields.Integer(
        strict=True,
        validate=validate.Range(min=1, max=ROUNDS),
        metadata={"description": "The round it belongs to."},
    )


class _AnytimeEvent(_Event):
    round = fields.Integer(
        strict=True,
        allow_none=True,
        validate=validate.Range(min=1, max=ROUNDS),
        metadata={"description": "The round it belongs to; null before the first."},
    )


class _SeatEvent(_AnytimeEvent):
    seat = seat_field("The seat.")


class SeatJoinedEvent(_Event):
    """A human took a seat."""

    type = _type("seat_joined")
    round = NullField(metadata={"description": "No round yet."}, allow_none=True)
    seat = seat_field("The seat.")
    name = text_field("What it is called.")


class SeatLeftEvent(_SeatEvent):
    """A human left for good; an AI player plays the seat on."""

    type = _type("seat_left")


class SeatAwayEvent(_SeatEvent):
    """A human's time ran out; an AI player moves for it until it is back."""

    type = _type("seat_away")


class SeatReturnedEvent(_SeatEvent):
    """A human is back and moves again from its next turn on."""

    type = _type("seat_returned")


class RoundDealtEvent(_RoundEvent):
    """A round was dealt."""

    type = _type("round_dealt")
    dealer = seat_field("The seat that dealt.")
    hand_size = count_field("Cards dealt to each seat.")
    wild_rank = wild_field()
    upcard = card_field("The card that starts the discard pile.")


class CardDrawnEvent(_RoundEvent):
    """A seat drew a card."""

    type = _type("card_drawn")
    seat = seat_field("The seat.")
    source = text_field("Where from.", validate=validate.OneOf(["stock", "discard"]))
    card = card_field("The card; null if another seat drew it from the stock.", allow_none=True)


class CardDiscardedEvent(_RoundEvent):
    """A seat discarded a card."""

    type = _type("card_discarded")
    seat = seat_field("The seat.")
    card = card_field("The card.")


class StockReshuffledEvent(_RoundEvent):
    """The stock was empty and was made anew from the pile, just before a draw."""

    type = _type("stock_reshuffled")
    stock_count = count_field("Cards in the new stock.")


class WentOutEvent(_RoundEvent):
    """A seat went out; every other seat has one more turn."""

    type = _type("went_out")
    seat = seat_field("The seat.")
    hand = cards_field("Its hand.")
    melds = fields.List(fields.Nested(Meld))


class SeatScore(ReplySchema):
    """One seat's end of a round."""

    seat = seat_field("The seat.")
    hand = cards_field("Its hand, sorted.")
    melds = fields.List(fields.Nested(Meld))
    deadwood = cards_field("The cards in no meld.")
    points = count_field("Their points.")
    total = count_field("The seat's points of all rounds so far.")


class RoundScoredEvent(_RoundEvent):
    """A round ended and was scored."""

    type = _type("round_scored")
    went_out = seat_field("The seat that went out; null if the round stalled.", allow_none=True)
    stalled = flag_field("Whether the round was stopped because nobody went out.")
    seats = fields.List(fields.Nested(SeatScore))


class GameFinishedEvent(_RoundEvent):
    """The last round was scored; the secret is open now."""

    type = _type("game_finished")
    winner = seat_field("The seat that won; null on a tie.", allow_none=True)
    tied = fields.List(seat_field("A seat."), metadata={"description": "The seats that tie."})
    totals = totals_field()
    secret = hex_field("The game's secret.")


class GameAbandonedEvent(_AnytimeEvent):
    """The last human left; the game is over without a result, the secret is open."""

    type = _type("game_abandoned")
    secret = hex_field("The game's secret.")


EVENT_SCHEMAS: dict[str, type[ReplySchema]] = {
    "seat_joined": SeatJoinedEvent,
    "seat_left": SeatLeftEvent,
    "seat_away": SeatAwayEvent,
    "seat_returned": SeatReturnedEvent,
    "round_dealt": RoundDealtEvent,
    "card_drawn": CardDrawnEvent,
    "card_discarded": CardDiscardedEvent,
    "stock_reshuffled": StockReshuffledEvent,
    "went_out": WentOutEvent,
    "round_scored": RoundScoredEvent,
    "game_finished": GameFinishedEvent,
    "game_abandoned": GameAbandonedEvent,
}
"""The schema of each kind of event, by its type."""
