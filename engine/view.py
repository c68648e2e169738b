"""Who may see what: the only window on a game.

`view` builds, field by field, what one seat or a spectator (seat None) may see. The AI players
choose by it, and every answer about a game is written from it; nothing else of a game is shown
before it is over. `redacted` does the same for an event. `advise` says what a hand is
worth; it knows nothing but the view.

What a view has in it are named tuples, since two views are made for every turn of an AI player: a
frozen dataclass takes four times as long to make.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from engine.cards import Card, Rank, without
from engine.events import Body, CardDrawn, Event
from engine.fields import JsonObject, to_json
from engine.game import Game, Result, Status, legal_moves
from engine.melds import Arrangement, Meld
from engine.round import Discarding, Finished, Layout, Phase, Source, phase_due
from engine.rules import AceMode, Rules
from engine.seats import Level, SeatKind
from engine.shuffle import commitment
from engine.solver.arrangement import arrange
from engine.solver.hands import kernel, packed, points_after_discard, preferred

_POSITIONS: dict[int, tuple[str | None, ...]] = {
    2: ("bottom", "top"),
    3: ("bottom", "left", "right"),
    4: ("bottom", "left", "top", "right"),
    5: (None,) * 5,
    6: (None,) * 6,
}

_HANDS = 256
"""Of so many hands the arrangement is remembered."""


class RoundView(NamedTuple):
    """The round that is played, or was played last."""

    number: int
    hand_size: int
    wild: Rank
    dealer: int


class TurnView(NamedTuple):
    """Who is to move, what is due, whether it is a final turn; `number` counts from 1.

    `deadline` (ms since 1970) is when a human's time is over; None where there is no bound.
    """

    seat: int
    phase: Phase
    final: bool
    number: int
    deadline: int | None


class SeatView(NamedTuple):
    """A seat as everybody sees it.

    `joined`: whether the seat's human has come; true of an AI player's seat.
    `hand` and `melds` are those of the seat that went out, during the final turns. `shown`:
    cards it took from the pile in the open and has not discarded since.
    """

    seat: int
    position: str | None
    kind: SeatKind
    name: str
    level: Level | None
    joined: bool
    away: bool
    card_count: int
    total: int
    hand: tuple[Card, ...] | None
    melds: tuple[Meld, ...] | None
    shown: tuple[Card, ...]


class OwnView(NamedTuple):
    """What only the viewing seat sees: its hand, the card it drew, what it may do."""

    seat: int
    hand: tuple[Card, ...] | None
    drawn: Card | None
    draws: tuple[Source, ...]
    discards: tuple[Card, ...]


class View(NamedTuple):
    """A game as one viewer sees it; `pile` has its top last, `you` is None for a spectator.

    While humans have yet to join, `round`, `stock_count` and `you.hand` are None and the pile
    is empty.
    """

    status: Status
    seeded: bool
    commitment: str
    rules: Rules
    turn_seconds: int | None
    round: RoundView | None
    turn: TurnView | None
    went_out: int | None
    stock_count: int | None
    pile: tuple[Card, ...]
    seats: tuple[SeatView, ...]
    you: OwnView | None
    result: Result | None


@dataclass(frozen=True, slots=True)
class Advice:
    """What a hand is worth: its best arrangement, after the best discard while one is due.

    `discard` is that discard, else None. `goes_out` lists the distinct cards whose discard
    leaves every card melded. `upcard_points`: while a draw is due, the least points that taking
    the upcard would leave after the best discard, which may be the upcard itself; else None.
    """

    discard: Card | None
    arrangement: Arrangement
    goes_out: tuple[Card, ...]
    upcard_points: int | None = None


def view(game: Game, seat: int | None) -> View:
    """What a seat, or a spectator (None), may see of a game."""
    layout = None if game.round is None else game.round.layout
    return View(
        status=game.status,
        seeded=game.seeded,
        commitment=commitment(game.secret),
        rules=game.rules,
        turn_seconds=game.turn_seconds,
        round=None if layout is None else _round(layout),
        turn=_turn(game),
        went_out=None if layout is None else layout.out,
        stock_count=None if layout is None else len(layout.stock),
        pile=() if layout is None else layout.pile,
        seats=_seats(game, layout),
        you=None if seat is None else _own(game, seat),
        result=game.result,
    )


def _round(layout: Layout) -> RoundView:
    return RoundView(layout.number, layout.size, layout.wild, layout.dealer)


def _turn(game: Game) -> TurnView | None:
    state = game.round
    if state is None or isinstance(state, Finished) or game.abandoned:
        return None
    layout = state.layout
    return TurnView(layout.seat, phase_due(state), layout.is_final, layout.turn, game.deadline)


def _seats(game: Game, layout: Layout | None) -> tuple[SeatView, ...]:
    nothing = ((),) * len(game.seats)
    hands, shown = (layout.hands, layout.shown) if layout is not None else (nothing, nothing)
    positions = _POSITIONS[len(game.seats)]
    views = [
        # By place: naming twelve members for each seat would take longer than all the rest.
        SeatView(
            *(number, positions[number], seat.kind, seat.name, seat.level, seat.joined, seat.away),
            *(len(hands[number]), game.totals[number], None, None, shown[number]),
        )
        for number, seat in enumerate(game.seats)
    ]
    if layout is not None and layout.out is not None and game.status is Status.PLAYING:
        hand = layout.hands[layout.out]
        melds = _arranged(hand, layout.wild, layout.aces).melds
        views[layout.out] = views[layout.out]._replace(hand=hand, melds=melds)
    return tuple(views)


def position(seat: int, seats: int) -> str | None:
    """Where a seat sits, as seen by seat 0; None at tables of more than four."""
    return _POSITIONS[seats][seat]


@lru_cache(maxsize=_HANDS)
def _arranged(hand: tuple[Card, ...], wild: Rank, aces: AceMode) -> Arrangement:
    """The arrangement of a hand: one that is out is in many views, and advice often repeats."""
    return arrange(hand, wild, aces)


@lru_cache(maxsize=_HANDS)
def _after_upcard(hand: tuple[Card, ...], upcard: Card, wild: Rank, aces: AceMode) -> int:
    """The least points after taking the upcard and the best discard."""
    return kernel(wild, aces).least_after_discard(packed((*hand, upcard)))


def _own(game: Game, seat: int) -> OwnView:
    state = game.round
    drawn = state.drawn if isinstance(state, Discarding) and state.layout.seat == seat else None
    hand = None if state is None else state.layout.hands[seat]
    return OwnView(seat, hand, drawn, *legal_moves(game, seat))


def advise(seen: View) -> Advice:
    """What the viewer's hand is worth; the view must be a seat's."""
    own = _own_of(seen)
    if own.hand is None or seen.round is None:
        return Advice(None, Arrangement((), (), 0), ())
    wild, aces = seen.round.wild, seen.rules.aces
    if not own.discards:
        after_upcard = _after_upcard(own.hand, seen.pile[-1], wild, aces) if own.draws else None
        return Advice(None, _arranged(own.hand, wild, aces), (), after_upcard)
    after = points_after_discard(own.hand, wild, aces)
    card = preferred(after, wild, aces)
    goes_out = tuple(card for card, points in after.items() if points == 0)
    return Advice(card, _arranged(without(own.hand, card), wild, aces), goes_out)


def _own_of(seen: View) -> OwnView:
    if seen.you is None:
        raise ValueError("a spectator has no hand")
    return seen.you


def redacted(event: Event, at: str, seat: int | None) -> JsonObject:
    """An event as a seat, or a spectator (None), may read it while the game is played.

    `at` is when it happened (RFC 3339).
    """
    return _readable(event, at, to_drawer=_reads_drawn_card(event.body, seat))


def revealed(event: Event, at: str) -> JsonObject:
    """An event with every card shown, as all may read it once the game is over."""
    return _readable(event, at, to_drawer=True)


def _readable(event: Event, at: str, *, to_drawer: bool) -> JsonObject:
    body = event.body
    return {
        "seq": event.seq,
        "at": at,
        "type": body.type,
        "round": event.round,
        **to_json(body, to_drawer=to_drawer),
    }


def _reads_drawn_card(body: Body, seat: int | None) -> bool:
    """Whether a seat drew the card itself, or all saw it taken from the pile."""
    return isinstance(body, CardDrawn) and (body.source is not Source.STOCK or body.seat == seat)
