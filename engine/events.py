"""What happens in a game, in order, and how it is written down.

A `Body` says what happened; an `Event` numbers it within its game, from 1 without gaps.
`log_entry` is an event's complete form in the log, the secret parts included: what of it a viewer
may read is decided by `view.redacted`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.cards import Card, Rank
from engine.melds import Arrangement, Meld
from engine.round import Source

JsonObject = dict[str, object]
"""A JSON object as Python has it: strings, numbers, lists and dicts."""


def codes(cards: tuple[Card, ...]) -> list[str]:
    """The codes of cards, as a list."""
    return [str(card) for card in cards]


def meld_json(meld: Meld) -> JsonObject:
    """A meld as JSON."""
    return {
        "kind": meld.kind.value,
        "cards": codes(meld.cards),
        "stands_for": codes(meld.stands_for),
    }


@dataclass(frozen=True, slots=True)
class SeatJoined:
    """A human took a seat."""

    type: ClassVar = "seat_joined"
    seat: int
    name: str

    def fields(self) -> JsonObject:
        """What the event tells beside its type."""
        return {"seat": self.seat, "name": self.name}


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A human left for good; an AI player plays the seat on."""

    type: ClassVar = "seat_left"
    seat: int

    def fields(self) -> JsonObject:
        """What the event tells beside its type."""
        return {"seat": self.seat}


@dataclass(frozen=True, slots=True)
class SeatAway:
    """A human let its time run out; an AI player moves for it until it returns."""

    type: ClassVar = "seat_away"
    seat: int

    def fields(self) -> JsonObject:
        """What the event tells beside its type."""
        return {"seat": self.seat}


@dataclass(frozen=True, slots=True)
class SeatReturned:
    """A human that was away is back and moves again from its next turn on."""

    type: ClassVar = "seat_returned"
    seat: int

    def fields(self) -> JsonObject:
        """What the event tells beside its type."""
        return {"seat": self.seat}


@dataclass(frozen=True, slots=True)
class RoundDealt:
    """A round was dealt."""

    type: ClassVar = "round_dealt"
    dealer: int
    hand_size: int
    wild: Rank
    upcard: Card

    def fields(self) -> JsonObject:
        """What the event tells beside its type."""
        return {
            "dealer": self.dealer,
            "hand_size": self.hand_size,
            "wild_rank": self.wild.code,
            "upcard": str(self.upcard),
        }


@dataclass(frozen=True, slots=True)
class StockReshuffled:
    """The stock was empty and was made anew from the pile; it holds `stock_count` cards now."""

    type: ClassVar = "stock_reshuffled"
    stock_count: int

    def fields(self) -> JsonObject:
        """What the event tells beside its type."""
        return {"stock_count": self.stock_count}


@dataclass(frozen=True, slots=True)
class CardDrawn:
    """A seat drew a card; from the stock, only that seat knows which."""

    type: ClassVar = "card_drawn"
    seat: int
    source: Source
    card: Card

    def fields(self) -> JsonObject:
        """What the event tells beside its type."""
        return {"seat": self.seat, "source": self.source.value, "card": str(self.card)}


@dataclass(frozen=True, slots=True)
class CardDiscarded:
    """A seat discarded a card; `go_out` says whether it was ready to declare with it."""

    type: ClassVar = "card_discarded"
    seat: int
    card: Card
    go_out: bool

    def fields(self) -> JsonObject:
        """What the event tells beside its type."""
        return {"seat": self.seat, "card": str(self.card), "go_out": self.go_out}


@dataclass(frozen=True, slots=True)
class WentOut:
    """A seat went out and shows its hand."""

    type: ClassVar = "went_out"
    seat: int
    hand: tuple[Card, ...]
    melds: tuple[Meld, ...]

    def fields(self) -> JsonObject:
        """What the event tells beside its type."""
        return {
            "seat": self.seat,
            "hand": codes(self.hand),
            "melds": list(map(meld_json, self.melds)),
        }


@dataclass(frozen=True, slots=True)
class SeatScore:
    """One seat's end of a round: its hand as arranged, and its total after it."""

    seat: int
    hand: tuple[Card, ...]
    arrangement: Arrangement
    total: int

    def json(self) -> JsonObject:
        """The score as JSON."""
        arrangement = self.arrangement
        return {
            "seat": self.seat,
            "hand": codes(self.hand),
            "melds": list(map(meld_json, arrangement.melds)),
            "deadwood": codes(arrangement.deadwood),
            "points": arrangement.points,
            "total": self.total,
        }


@dataclass(frozen=True, slots=True)
class RoundScored:
    """A round ended; nobody went out where it was `stalled`."""

    type: ClassVar = "round_scored"
    went_out: int | None
    stalled: bool
    seats: tuple[SeatScore, ...]

    def fields(self) -> JsonObject:
        """What the event tells beside its type."""
        return {
            "went_out": self.went_out,
            "stalled": self.stalled,
            "seats": [score.json() for score in self.seats],
        }


@dataclass(frozen=True, slots=True)
class GameFinished:
    """The last round was scored; the secret is open now. Nobody wins where seats tie."""

    type: ClassVar = "game_finished"
    winner: int | None
    tied: tuple[int, ...]
    totals: tuple[int, ...]
    secret: bytes

    def fields(self) -> JsonObject:
        """What the event tells beside its type."""
        return {
            "winner": self.winner,
            "tied": list(self.tied),
            "totals": list(self.totals),
            "secret": self.secret.hex(),
        }


@dataclass(frozen=True, slots=True)
class GameAbandoned:
    """The last human left; the game is over without a result, and the secret is open."""

    type: ClassVar = "game_abandoned"
    secret: bytes

    def fields(self) -> JsonObject:
        """What the event tells beside its type."""
        return {"secret": self.secret.hex()}


Body = (
    SeatJoined
    | SeatLeft
    | SeatAway
    | SeatReturned
    | RoundDealt
    | StockReshuffled
    | CardDrawn
    | CardDiscarded
    | WentOut
    | RoundScored
    | GameFinished
    | GameAbandoned
)


@dataclass(frozen=True, slots=True)
class Event:
    """A body with its number and the round it belongs to (None before the first deal)."""

    seq: int
    round: int | None
    body: Body


def log_entry(event: Event, at: str) -> JsonObject:
    """The log entry of an event that happened `at` a time (RFC 3339)."""
    body = event.body
    envelope: JsonObject = {"seq": event.seq, "at": at, "type": body.type, "round": event.round}
    return envelope | body.fields()
