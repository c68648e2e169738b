"""What happens in a game, in order, and how it is written down.

A `Body` says what happened; an `Event` numbers it within its game, from 1 without gaps.
`record` is an event's complete plain form, the secret parts included: what of it a viewer may
read is decided by `view.visible`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from engine.cards import Card, Rank
from engine.melds import Arrangement, Meld
from engine.round import Source

Record = dict[str, object]
"""A plain value of strings, numbers, lists and dicts, ready to be written as JSON."""


@dataclass(frozen=True, slots=True)
class SeatJoined:
    """A human took a seat."""

    seat: int
    name: str


@dataclass(frozen=True, slots=True)
class RoundDealt:
    """A round was dealt."""

    dealer: int
    hand_size: int
    wild: Rank
    upcard: Card


@dataclass(frozen=True, slots=True)
class StockReshuffled:
    """The stock was empty and was made anew from the pile; it holds `stock_count` cards now."""

    stock_count: int


@dataclass(frozen=True, slots=True)
class CardDrawn:
    """A seat drew a card; from the stock, only that seat knows which."""

    seat: int
    source: Source
    card: Card


@dataclass(frozen=True, slots=True)
class CardDiscarded:
    """A seat discarded a card; `go_out` says whether it was ready to declare with it."""

    seat: int
    card: Card
    go_out: bool


@dataclass(frozen=True, slots=True)
class WentOut:
    """A seat went out and shows its hand."""

    seat: int
    hand: tuple[Card, ...]
    melds: tuple[Meld, ...]


@dataclass(frozen=True, slots=True)
class SeatScore:
    """One seat's end of a round: its hand as arranged, and its total after it."""

    seat: int
    hand: tuple[Card, ...]
    arrangement: Arrangement
    total: int


@dataclass(frozen=True, slots=True)
class RoundScored:
    """A round ended; nobody went out where it was `stalled`."""

    went_out: int | None
    stalled: bool
    seats: tuple[SeatScore, ...]


@dataclass(frozen=True, slots=True)
class GameFinished:
    """The last round was scored; the secret is open now. Nobody wins where seats tie."""

    winner: int | None
    tied: tuple[int, ...]
    totals: tuple[int, ...]
    secret: bytes


Body = (
    SeatJoined
    | RoundDealt
    | StockReshuffled
    | CardDrawn
    | CardDiscarded
    | WentOut
    | RoundScored
    | GameFinished
)


@dataclass(frozen=True, slots=True)
class Event:
    """A body with its number and the round it belongs to (None before the first deal)."""

    seq: int
    round: int | None
    body: Body


def record(event: Event, at: str) -> Record:
    """The complete plain form of an event that happened `at` a time (RFC 3339)."""
    kind, fields = _told(event.body)
    return {"seq": event.seq, "at": at, "type": kind, "round": event.round, **fields}


def codes(cards: tuple[Card, ...]) -> list[str]:
    """The codes of cards, as a list."""
    return [str(card) for card in cards]


def meld_record(meld: Meld) -> Record:
    """The plain form of a meld."""
    return {
        "kind": meld.kind.value,
        "cards": codes(meld.cards),
        "stands_for": codes(meld.stands_for),
    }


def _told(body: Body) -> tuple[str, Record]:
    match body:
        case SeatJoined(seat, name):
            return "seat_joined", {"seat": seat, "name": name}
        case RoundDealt(dealer, size, wild, upcard):
            dealt = {"dealer": dealer, "hand_size": size, "wild_rank": wild.code}
            return "round_dealt", {**dealt, "upcard": str(upcard)}
        case StockReshuffled(count):
            return "stock_reshuffled", {"stock_count": count}
        case CardDrawn(seat, source, card):
            return "card_drawn", {"seat": seat, "source": source.value, "card": str(card)}
        case CardDiscarded(seat, card, go_out):
            return "card_discarded", {"seat": seat, "card": str(card), "go_out": go_out}
        case WentOut(seat, hand, melds):
            shown = {"hand": codes(hand), "melds": list(map(meld_record, melds))}
            return "went_out", {"seat": seat, **shown}
        case RoundScored(went_out, stalled, seats):
            scores = list(map(_score_record, seats))
            return "round_scored", {"went_out": went_out, "stalled": stalled, "seats": scores}
        case GameFinished(winner, tied, totals, secret):
            result: Record = {"winner": winner, "tied": list(tied), "totals": list(totals)}
            return "game_finished", {**result, "secret": secret.hex()}
        case _:
            assert_never(body)


def _score_record(score: SeatScore) -> Record:
    arrangement = score.arrangement
    return {
        "seat": score.seat,
        "hand": codes(score.hand),
        "melds": list(map(meld_record, arrangement.melds)),
        "deadwood": codes(arrangement.deadwood),
        "points": arrangement.points,
        "total": score.total,
    }
