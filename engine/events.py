"""What happens in a game, in order, and what each kind of event has in it.

An event is numbered within its game, from 1 without gaps; its `Body` says what happened. The
class of a body is the one place that says what such an event has in it: each member is annotated
with a `Field`, which says what kind of value it is, what it means, and who may read it. All else
follows from these: the event's entry in the service's log, what a viewer may read of it
(`view.redacted`), and its schema in the HTTP API.

Logs of stored games hold the code of each class and its fields in their order. So a code is never
given to another class, and a class keeps its fields: an event with other fields is a new class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, get_args

from engine.cards import Card, Rank
from engine.fields import Field, Kind, Reader
from engine.melds import Meld
from engine.round import Source


class _Body:
    """What every kind of event has.

    Its type, the code of that in the log, and whether it happens only while a round is on.
    """

    __slots__ = ()
    type: ClassVar[str]
    code: ClassVar[int]
    in_round: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class SeatJoined(_Body):
    """A human took a seat."""

    type: ClassVar[str] = "seat_joined"
    code: ClassVar[int] = 1
    in_round: ClassVar[bool] = False
    seat: Annotated[int, Field(Kind.SEAT, "The seat.")]
    name: Annotated[str, Field(Kind.NAME, "What it is called.")]


@dataclass(frozen=True, slots=True)
class SeatLeft(_Body):
    """A human left for good; an AI player plays the seat on."""

    type: ClassVar[str] = "seat_left"
    code: ClassVar[int] = 2
    in_round: ClassVar[bool] = False
    seat: Annotated[int, Field(Kind.SEAT, "The seat.")]


@dataclass(frozen=True, slots=True)
class SeatAway(_Body):
    """A human's time ran out; an AI player moves for it until it is back."""

    type: ClassVar[str] = "seat_away"
    code: ClassVar[int] = 3
    in_round: ClassVar[bool] = False
    seat: Annotated[int, Field(Kind.SEAT, "The seat.")]


@dataclass(frozen=True, slots=True)
class SeatReturned(_Body):
    """A human is back and moves again from its next turn on."""

    type: ClassVar[str] = "seat_returned"
    code: ClassVar[int] = 4
    in_round: ClassVar[bool] = False
    seat: Annotated[int, Field(Kind.SEAT, "The seat.")]


@dataclass(frozen=True, slots=True)
class RoundDealt(_Body):
    """A round was dealt."""

    type: ClassVar[str] = "round_dealt"
    code: ClassVar[int] = 5
    dealer: Annotated[int, Field(Kind.SEAT, "The seat that dealt.")]
    hand_size: Annotated[int, Field(Kind.COUNT, "Cards dealt to each seat.")]
    wild_rank: Annotated[Rank, Field(Kind.RANK, "The round's wild rank.")]
    upcard: Annotated[Card, Field(Kind.CARD, "The card that starts the discard pile.")]


@dataclass(frozen=True, slots=True)
class CardDrawn(_Body):
    """A seat drew a card."""

    type: ClassVar[str] = "card_drawn"
    code: ClassVar[int] = 6
    seat: Annotated[int, Field(Kind.SEAT, "The seat.")]
    source: Annotated[Source, Field(Kind.SOURCE, "Where from.")]
    card: Annotated[
        Card,
        Field(Kind.CARD, "The card; null if another seat drew it from the stock.", Reader.DRAWER),
    ]


@dataclass(frozen=True, slots=True)
class CardDiscarded(_Body):
    """A seat discarded a card."""

    type: ClassVar[str] = "card_discarded"
    code: ClassVar[int] = 7
    seat: Annotated[int, Field(Kind.SEAT, "The seat.")]
    card: Annotated[Card, Field(Kind.CARD, "The card.")]
    go_out: Annotated[
        bool, Field(Kind.FLAG, "Whether the seat was ready to declare.", Reader.NOBODY)
    ]


@dataclass(frozen=True, slots=True)
class StockReshuffled(_Body):
    """The stock was empty and was made anew from the pile, just before a draw."""

    type: ClassVar[str] = "stock_reshuffled"
    code: ClassVar[int] = 8
    stock_count: Annotated[int, Field(Kind.COUNT, "Cards in the new stock.")]


@dataclass(frozen=True, slots=True)
class WentOut(_Body):
    """A seat went out; every other seat has one more turn."""

    type: ClassVar[str] = "went_out"
    code: ClassVar[int] = 9
    seat: Annotated[int, Field(Kind.SEAT, "The seat.")]
    hand: Annotated[tuple[Card, ...], Field(Kind.CARDS, "Its hand.")]
    melds: Annotated[tuple[Meld, ...], Field(Kind.MELDS, "The hand in melds.")]


@dataclass(frozen=True, slots=True)
class SeatScore:
    """One seat's end of a round."""

    seat: Annotated[int, Field(Kind.SEAT, "The seat.")]
    hand: Annotated[tuple[Card, ...], Field(Kind.CARDS, "Its hand, sorted.")]
    melds: Annotated[tuple[Meld, ...], Field(Kind.MELDS, "The melds in it.")]
    deadwood: Annotated[tuple[Card, ...], Field(Kind.CARDS, "The cards in no meld.")]
    points: Annotated[int, Field(Kind.COUNT, "Their points.")]
    total: Annotated[int, Field(Kind.COUNT, "The seat's points of all rounds so far.")]


@dataclass(frozen=True, slots=True)
class RoundScored(_Body):
    """A round ended and was scored."""

    type: ClassVar[str] = "round_scored"
    code: ClassVar[int] = 10
    went_out: Annotated[
        int | None, Field(Kind.SEAT, "The seat that went out; null if the round stalled.")
    ]
    stalled: Annotated[
        bool, Field(Kind.FLAG, "Whether the round was stopped because nobody went out.")
    ]
    seats: Annotated[
        tuple[SeatScore, ...], Field(Kind.SCORES, "The end of the round at each seat.")
    ]


@dataclass(frozen=True, slots=True)
class GameFinished(_Body):
    """The last round was scored; the secret is open now."""

    type: ClassVar[str] = "game_finished"
    code: ClassVar[int] = 11
    winner: Annotated[int | None, Field(Kind.SEAT, "The seat that won; null on a tie.")]
    tied: Annotated[tuple[int, ...], Field(Kind.SEATS, "The seats that tie.")]
    totals: Annotated[tuple[int, ...], Field(Kind.COUNTS, "Points of all scored rounds, by seat.")]
    secret: Annotated[bytes, Field(Kind.SECRET, "The game's secret.")]


@dataclass(frozen=True, slots=True)
class GameAbandoned(_Body):
    """The last human left; the game is over without a result, the secret is open."""

    type: ClassVar[str] = "game_abandoned"
    code: ClassVar[int] = 12
    in_round: ClassVar[bool] = False
    secret: Annotated[bytes, Field(Kind.SECRET, "The game's secret.")]


Body = (
    SeatJoined
    | SeatLeft
    | SeatAway
    | SeatReturned
    | RoundDealt
    | CardDrawn
    | CardDiscarded
    | StockReshuffled
    | WentOut
    | RoundScored
    | GameFinished
    | GameAbandoned
)

BODIES: dict[str, type[Body]] = {kind.type: kind for kind in get_args(Body)}
"""Every kind of event by its type, in the order in which the API describes them."""


@dataclass(frozen=True, slots=True)
class Event:
    """A body with its number and the round it belongs to (None before the first deal)."""

    seq: int
    round: int | None
    body: Body
