"""Positions of games, and a way to store them as the service itself would have stored them.

    positions -> with_other_hidden_cards (for a viewer) -> store_position

A position is a state in which the service waits: a human is to move, or humans have yet to join.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from unittest import mock

from engine import game as games
from engine.cards import Card
from engine.events import CardDiscarded, CardDrawn, Event
from engine.game import Game, Status
from engine.options import GameOptions
from engine.players import LEVELS
from engine.round import Discarding, Layout, Source
from engine.rules import ROUNDS, AceMode, Rounds, Rules
from engine.seats import AiSeat, HumanSeat, Seat, SeatKind, is_away
from engine.shuffle import Stream, pack
from engine.snapshot import dump
from service.games import tokens
from service.games.stored import event_log
from service.games.stored.meta import Meta
from service.store.game_store import GameStore
from service.store.models import Commit, Nonce, StoredGame
from tests.playout import Playout

NOW = 1_800_000_000_000
TURN_SECONDS = 60
FIXED_STOCK_CARDS = 24
"""Cards on top of the stock that stay equal with `ai_hands_equal`: more than a few turns draw."""
_SOLVES = (0, 200, 1000)
_LEAST_LIFETIME = 3600
# The share of states that become positions; larger for final turns, since they are rare. Every
# state with a short stock is one.
_SHARE, _FINAL_SHARE, _SHORT_STOCK = 0.03, 0.12, 3


@dataclass(frozen=True)
class Position:
    """A game in which the service waits for a human, and all its events."""

    game: Game
    events: tuple[Event, ...]


def positions() -> Iterator[Position]:
    """Positions of games with every number of seats and every option, some before the deal."""
    for number in count():
        yield from _states(number)
        yield _waiting(number)


def _rng(number: int) -> random.Random:
    return random.Random(f"position {number}")


def _states(number: int) -> Iterator[Position]:
    rng = _rng(number)
    playout = Playout(
        _secret(number), _rules(rng), _table(rng), rng, skill=rng.choice((0.6, 0.9, 1))
    )
    bound = rng.choice((None, TURN_SECONDS))
    solves = rng.choice(_SOLVES)
    for state in playout.states():
        if _waits_for_a_human(state) and rng.random() < _likelihood(state):
            timed = NOW + TURN_SECONDS * 1000 if bound else None
            game = replace(state, turn_seconds=bound, turn_solves=solves, deadline=timed)
            yield Position(game, tuple(playout.events))


def _waits_for_a_human(game: Game) -> bool:
    """Whether the service would wait in this state: a human is to move."""
    return game.status is Status.PLAYING and game.layout.seat in game.humans


def _likelihood(game: Game) -> float:
    if len(game.layout.stock) <= _SHORT_STOCK:
        return 1
    return _FINAL_SHARE if game.layout.is_final else _SHARE


def _waiting(number: int) -> Position:
    rng = _rng(number)
    humans = [HumanSeat(f"P{seat}", joined=seat < 2) for seat in range(4)]
    seats = tuple(humans[: rng.randint(3, 4)]) + (_ai(rng, 4),) * rng.randint(0, 1)
    step = games.open_game(_secret(number), GameOptions(seats, _rules(rng)))
    return Position(step.game, step.events)


def _secret(number: int) -> bytes:
    return hashlib.sha256(b"position %d" % number).digest()


def _rules(rng: random.Random) -> Rules:
    hints = rng.random() < 0.9
    return Rules(rng.choice((0, 2, 4)), rng.choice(list(AceMode)), hints, _rounds(rng))


def _rounds(rng: random.Random) -> Rounds:
    """All rounds, or any stretch of them."""
    if rng.random() < 0.7:
        return Rounds()
    return Rounds(*sorted(rng.randint(1, ROUNDS) for _ in range(2)))


def _table(rng: random.Random) -> tuple[Seat, ...]:
    """Two to six seats: the first is human, others may be."""
    return tuple(
        HumanSeat(f"P{seat}") if seat == 0 or rng.random() < 0.4 else _ai(rng, seat)
        for seat in range(rng.randint(2, 6))
    )


def _ai(rng: random.Random, seat: int) -> Seat:
    return AiSeat(f"B{seat}", rng.choice(list(LEVELS)))


def with_other_hidden_cards(
    position: Position, viewer: int | None, rng: random.Random, *, ai_hands_equal: bool
) -> Position:
    """The position with new cards wherever a viewer (None: a spectator) may not see them.

    With `ai_hands_equal` the hands of AI seats and the top of the stock stay: until another seat
    reveals a card, every AI turn must then be equal, too.
    """
    game = replace(position.game, secret=rng.randbytes(32))
    if game.round is None:
        dealer = (game.first_dealer + rng.randint(1, len(game.seats) - 1)) % len(game.seats)
        game = replace(game, first_dealer=dealer)
    else:
        state = game.round
        fixed_hands = _fixed_cards(game, viewer, ai_hands_equal=ai_hands_equal)
        fixed = state.layout.stock[-FIXED_STOCK_CARDS:] if ai_hands_equal else ()
        layout = _with_hidden_cards_dealt_again(state.layout, fixed_hands, fixed, rng)
        state = replace(state, layout=layout)
        if isinstance(state, Discarding):
            state = replace(state, drawn=_drawn(position, state, fixed_hands, rng))
        game = replace(game, round=state)
    events = tuple(_with_other_hidden_fields(event, viewer, rng) for event in position.events)
    return Position(game, events)


def _fixed_cards(game: Game, viewer: int | None, *, ai_hands_equal: bool) -> list[tuple[Card, ...]]:
    """By seat, the cards of its hand that stay."""
    layout = game.layout
    return [
        hand
        if seat in (viewer, layout.out) or (ai_hands_equal and game.seats[seat].kind is SeatKind.AI)
        else layout.shown[seat]
        for seat, hand in enumerate(layout.hands)
    ]


def _with_hidden_cards_dealt_again(
    layout: Layout,
    fixed_hands: list[tuple[Card, ...]],
    fixed: tuple[Card, ...],
    rng: random.Random,
) -> Layout:
    hidden = list(pack(layout.rules.jokers))
    for card in (*(card for hand in fixed_hands for card in hand), *layout.pile, *fixed):
        hidden.remove(card)
    rng.shuffle(hidden)
    hands = tuple(
        tuple(sorted((*stays, *(hidden.pop() for _ in range(len(hand) - len(stays))))))
        for stays, hand in zip(fixed_hands, layout.hands, strict=True)
    )
    return replace(layout, hands=hands, stock=(*hidden, *fixed))


def _drawn(
    position: Position, state: Discarding, fixed_hands: list[tuple[Card, ...]], rng: random.Random
) -> Card:
    """The card just drawn: another one only where the viewer has not seen it."""
    seat = state.layout.seat
    last = position.events[-1].body
    assert isinstance(last, CardDrawn), "a draw comes before its discard"
    if last.source is Source.DISCARD or fixed_hands[seat] == state.layout.hands[seat]:
        return state.drawn
    hidden = list(state.layout.hands[seat])
    for card in fixed_hands[seat]:
        hidden.remove(card)
    return rng.choice(hidden)


def _with_other_hidden_fields(event: Event, viewer: int | None, rng: random.Random) -> Event:
    """The event with other values in the fields that the viewer may not see."""
    match event.body:
        case CardDrawn(seat=seat, source=Source.STOCK) as body if seat != viewer:
            return replace(event, body=replace(body, card=Card(rng.randrange(52))))
        case CardDiscarded(seat=seat) as body if seat != viewer:
            return replace(event, body=replace(body, go_out=rng.random() < 0.5))
        case _:
            return event


def token(seat: int) -> str:
    """The token of a seat."""
    return f"token-of-seat-{seat}-{'t' * 29}"


def invite(seat: int) -> str:
    """The invite to a seat."""
    return f"invite-to-seat-{seat}-{'i' * 28}"


def store_position(store: GameStore, game_id: str, position: Position, version: int = 1) -> None:
    """Store a position under a new id."""
    game = position.game
    store.commit(
        Commit(
            game_id=game_id,
            expected=0,
            stored=StoredGame(version, dump(game), _meta(game).dump()),
            events=[event_log.pack(event_log.LoggedEvent(event, NOW)) for event in position.events],
            logged=0,
            key=Nonce(b"put"),
            record=b"",
            record_ttl=1,
            game_ttl=_LEAST_LIFETIME,
        )
    )


def _meta(game: Game) -> Meta:
    """The metadata of a game whose seats have the tokens and invites of this module."""
    invited = [seat and each.kind is SeatKind.HUMAN for seat, each in enumerate(game.seats)]
    return Meta(
        created_at=NOW,
        updated_at=NOW,
        expires_at=NOW + _LEAST_LIFETIME * 1000,
        tokens=tuple(
            tokens.token_hash(token(seat)) if seat in game.humans else None
            for seat in range(len(game.seats))
        ),
        invites=tuple(
            tokens.token_hash(invite(seat)) if is_invited else None
            for seat, is_invited in enumerate(invited)
        ),
        played=game.round is not None,
        deadline=game.deadline,
        away=tuple(seat for seat, each in enumerate(game.seats) if is_away(each)),
    )


@contextmanager
def fixed_randomness() -> Iterator[None]:
    """Replace what depends on the secret or on new randomness besides the cards by fixed values."""

    def ai_randomness(_: bytes, number: int, seat: int, turn: int) -> Stream:
        return Stream(b"fixed", f"ai/{number}/{seat}/{turn}")

    def new_token(_key: str | None, _salt: bytes, seat: int) -> str:
        return token(seat)

    with ExitStack() as stack:
        for patch in (
            mock.patch("engine.view.commitment", return_value="c" * 64),
            mock.patch("engine.shuffle.choice_stream", ai_randomness),
            mock.patch("service.games.tokens.seat_token", new_token),
        ):
            stack.enter_context(patch)
        yield
