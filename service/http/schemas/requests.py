"""What callers may send: unknown members are refused, types are strict, ranges are stated."""

from __future__ import annotations

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from engine.cards import RANK_CODES, Card, Rank
from engine.rules import (
    COPIES,
    MAX_HAND,
    MAX_JOKERS,
    AceMode,
)
from engine.seats import MAX_NAME
from service.http.schemas.strict_fields import (
    CardField,
    FlagField,
    Pattern,
    QueryNumberField,
    RankField,
)

MAX_LIMIT = 1000
DEFAULT_LIMIT = 100
MAX_WAIT = 25
"""Seconds; proxies cut answers that do not come for 30."""
MAX_SEQ = 10**9
EVALUATED_RANKS = RANK_CODES[2:]
MAX_INVITE = 100
_SPACES = r" \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_CONTROLS = (
    r"\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    r"\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb"
)
_JOINERS = r"\u200c\u200d\ufe0f"
"""Invisible, but parts of scripts and emoji: not at the beginning."""
# Without lookahead, which not every reader of the API description knows.
NAME_PATTERN = f"^[{_SPACES}]*[^{_SPACES}{_CONTROLS}{_JOINERS}][^{_CONTROLS}]*$"


class RequestSchema(ma.Schema):
    """A request's object; what it does not name is refused."""

    class Meta:
        """Refuse unknown members."""

        unknown = ma.RAISE


def aces_field() -> fields.String:
    """An ace mode."""
    return fields.String(
        load_default=AceMode.LOW.value,
        validate=validate.OneOf([mode.value for mode in AceMode]),
        metadata={
            "description": "Where an ace stands in a run: below the two, above the king, or either."
        },
    )


def name_field(description: str) -> fields.String:
    """What a seat is called; null for the name that it has without one."""
    return fields.String(
        load_default=None,
        allow_none=True,
        validate=[
            Pattern(NAME_PATTERN, error="A name has visible characters and no control characters."),
            validate.Length(min=1, max=MAX_NAME),
        ],
        metadata={"description": description, "example": "Ann"},
    )


def _code(text: str) -> fields.String:
    return fields.String(validate=validate.Length(1, MAX_INVITE), metadata={"description": text})


class JoinRequest(RequestSchema):
    """An invite to a seat or, in a rematch, that seat's token of the game before."""

    invite = _code("The `code` of the invite that createGame answered.")
    token = _code("Instead of an invite: your seat's token of the game that this one follows.")
    name = name_field("What you are called; by default what the seat is.")

    @ma.validates_schema
    def _has_one_invite(self, data: dict[str, Any], **kwargs: Any) -> None:
        if ("invite" in data) is ("token" in data):
            raise ma.ValidationError("Send exactly one of invite and token.")


class RematchRequest(RequestSchema):
    """Nothing: a rematch has the seats and options of the game before."""


class DrawRequest(RequestSchema):
    """Where to draw from."""

    source = fields.String(
        required=True,
        validate=validate.OneOf(["stock", "discard"]),
        metadata={"description": "The stock, or the top of the discard pile."},
    )


class DiscardRequest(RequestSchema):
    """Which card to discard."""

    card = CardField(
        required=True, metadata={"description": "A card of the hand; it may be the one drawn."}
    )
    go_out = FlagField(
        load_default=True,
        metadata={"description": "Whether to go out if the hand then melds completely."},
    )


def _check_wild(rank: Rank) -> None:
    if rank.code not in EVALUATED_RANKS:
        raise ma.ValidationError(f"The wild rank is one of {' '.join(EVALUATED_RANKS)}.")


class EvaluationRequest(RequestSchema):
    """A hand to arrange."""

    cards = fields.List(
        CardField(),
        required=True,
        validate=validate.Length(min=1, max=MAX_HAND),
        metadata={
            "description": f"The hand, in any order; no card more than {COPIES} times, at most "
            f"{MAX_JOKERS} `JK`."
        },
    )
    wild_rank = RankField(
        required=True,
        validate=_check_wild,
        metadata={
            "description": "The rank that is wild: the number of cards dealt in the round.",
            "enum": list(EVALUATED_RANKS),
        },
    )
    aces = aces_field()

    @ma.validates("cards")
    def _held_by_the_pack(self, cards: list[Card], **kwargs: Any) -> None:
        """Refuse more copies of a card than the game has."""
        for card in set(cards):
            most = MAX_JOKERS if card.is_joker else COPIES
            if cards.count(card) > most:
                raise ma.ValidationError(f"{card} is there {cards.count(card)} times, not {most}.")


class EventsQuery(RequestSchema):
    """Which events to list."""

    after = QueryNumberField(
        0,
        MAX_SEQ,
        metadata={"description": "Only events with a seq above this one; 0, unless you say else."},
    )
    limit = QueryNumberField(
        1,
        MAX_LIMIT,
        metadata={
            "description": f"List no more events than this, {DEFAULT_LIMIT} unless you say else. "
            "Not for a stream."
        },
    )
    wait = QueryNumberField(
        0,
        MAX_WAIT,
        metadata={
            "description": "If there is no event yet, wait so many seconds for one. Not for a "
            "stream."
        },
    )


class _Headers(ma.Schema):
    """The headers an operation reads; a request may carry any others."""

    class Meta:
        """Leave all other headers alone."""

        unknown = ma.EXCLUDE


class ViewHeaders(_Headers):
    """What a reading call may say about what it has already."""

    if_none_match = fields.String(
        data_key="If-None-Match",
        metadata={"description": "ETags of views you have: if one is current, the answer is 304."},
    )


class StreamHeaders(_Headers):
    """Where a stream goes on."""

    last_event_id = fields.String(
        data_key="Last-Event-ID",
        metadata={
            "description": "For a stream: the `id` of the last event that you have. It counts more "
            "than `after`.",
            "example": "17",
        },
    )


class KeyHeaders(_Headers):
    """The key that makes a seat's request safe to repeat."""

    idempotency_key = fields.String(
        data_key="Idempotency-Key",
        validate=Pattern(
            r"^[\x21-\x7e]{1,255}$", error="A key has 1 to 255 visible ASCII characters."
        ),
        metadata={
            "description": "Any text new to this seat: the same request with the same key is "
            "made once in 24 hours. The newest 8 answers under the seat's keys come again; an "
            "older key is `idempotency-key-expired`."
        },
    )


class MoveHeaders(KeyHeaders):
    """What a move may be made conditional on, beside its key."""

    if_match = fields.String(
        data_key="If-Match",
        metadata={
            "description": "The ETag of the view that you decided by: if the game has another "
            'version by now, the answer is 412. A weak form of the tag (`W/"…"`), which some '
            "proxies make of it, counts like the tag itself, for only its version is compared. A "
            "tag that is none of this service's is 412 too, and `detail` says so."
        },
    )


class CreateHeaders(_Headers):
    """The key that makes a request safe to repeat whose answer shows a token."""

    idempotency_key = fields.String(
        data_key="Idempotency-Key",
        validate=Pattern(
            r"^[\x21-\x7e]{22,255}$",
            error="A key for this call is random and has 22 to 255 visible ASCII characters.",
        ),
        metadata={
            "description": "A random text of 22 characters or more: the same request with the "
            "same key is made once and has its first answer again for 24 hours. Keep it "
            "secret: whoever knows it can fetch the token again."
        },
    )
