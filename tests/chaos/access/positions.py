"""Games in any position, put into a store as the service itself would have left them.

    positions -> Position -> other_world (what a viewer may not know, dealt anew) -> put

A position is a game at rest: a human is to move, or humans have yet to join.
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
from engine.events import CardDiscarded, CardDrawn, Event, record
from engine.game import Game, Status
from engine.players import LEVELS
from engine.round import Discarding, Layout, Source
from engine.rules import AceMode, Rules
from engine.seats import Seat, SeatKind
from engine.shuffle import Stream, pack
from engine.snapshot import dump
from service import strict_json
from service.games import bodies, tokens
from service.games.meta import Meta
from service.store.game_store import Store
from service.store.models import Commit, RecordKey, Stored
from tests.playout import Playout

NOW = 1_800_000_000_000
TURN_SECONDS = 60
HELD = 24
"""Cards on top of the stock that a deep difference leaves alone: more than a few turns draw."""
_SOLVES = (0, 200, 1000)
_LEAST_LIFETIME = 3600
# How likely a state is taken: final turns come seldom, an empty stock hardly ever.
_CHANCE, _FINAL_CHANCE, _SHORT_STOCK = 0.03, 0.12, 3


@dataclass(frozen=True)
class Position:
    """A game at rest, with all that has happened in it."""

    game: Game
    events: tuple[Event, ...]


def positions() -> Iterator[Position]:
    """Games of every table and option: many states of each, and one that still waits."""
    for number in count():
        yield from _states(number)
        yield _waiting(number)


def _chance(number: int) -> random.Random:
    return random.Random(f"stage {number}")


def _states(number: int) -> Iterator[Position]:
    chance = _chance(number)
    playout = Playout(
        _secret(number), _rules(chance), _table(chance), chance, skill=chance.choice((0.6, 0.9, 1))
    )
    bound = chance.choice((None, TURN_SECONDS))
    solves = chance.choice(_SOLVES)
    for state in playout.states():
        if _rests(state) and chance.random() < _likelihood(state):
            timed = NOW + TURN_SECONDS * 1000 if bound else None
            game = replace(state, turn_seconds=bound, turn_solves=solves, deadline=timed)
            yield Position(game, tuple(playout.events))


def _rests(game: Game) -> bool:
    """Whether the service would wait here: a human is to move."""
    return game.status is Status.PLAYING and game.layout.seat in game.humans


def _likelihood(game: Game) -> float:
    if len(game.layout.stock) <= _SHORT_STOCK:
        return 1
    return _FINAL_CHANCE if game.layout.is_final else _CHANCE


def _waiting(number: int) -> Position:
    chance = _chance(number)
    humans = [Seat(SeatKind.HUMAN, f"P{seat}", joined=seat < 2) for seat in range(4)]
    seats = tuple(humans[: chance.randint(3, 4)]) + (_ai(chance, 4),) * chance.randint(0, 1)
    step = games.open_game(_secret(number), _rules(chance), seats)
    return Position(step.game, step.events)


def _secret(number: int) -> bytes:
    return hashlib.sha256(b"stage %d" % number).digest()


def _rules(chance: random.Random) -> Rules:
    hints = chance.random() < 0.9
    return Rules(chance.choice((0, 2, 4)), chance.choice(list(AceMode)), hints)


def _table(chance: random.Random) -> tuple[Seat, ...]:
    """Two to six seats, the first human, some more as well."""
    return tuple(
        Seat(SeatKind.HUMAN, f"P{seat}")
        if seat == 0 or chance.random() < 0.4
        else _ai(chance, seat)
        for seat in range(chance.randint(2, 6))
    )


def _ai(chance: random.Random, seat: int) -> Seat:
    return Seat(SeatKind.AI, f"B{seat}", chance.choice(list(LEVELS)))


def other_world(
    position: Position, viewer: int | None, chance: random.Random, *, deep: bool
) -> Position:
    """The position with all dealt anew that a viewer (None: a spectator) may not know.

    A `deep` difference leaves the hands of AI seats and the top of the stock as they are: until
    others lay something open, every AI turn must then come out the same, too.
    """
    game = replace(position.game, secret=chance.randbytes(32))
    if game.round is None:
        dealer = (game.first_dealer + chance.randint(1, len(game.seats) - 1)) % len(game.seats)
        game = replace(game, first_dealer=dealer)
    else:
        state = game.round
        kept = _kept(game, viewer, deep=deep)
        held = state.layout.stock[-HELD:] if deep else ()
        layout = _redealt(state.layout, kept, held, chance)
        state = replace(state, layout=layout)
        if isinstance(state, Discarding):
            state = replace(state, drawn=_drawn(position, state, kept, chance))
        game = replace(game, round=state)
    events = tuple(_retold(event, viewer, chance) for event in position.events)
    return Position(game, events)


def _kept(game: Game, viewer: int | None, *, deep: bool) -> list[tuple[Card, ...]]:
    """By seat, the cards that stay in its hand."""
    layout = game.layout
    return [
        hand
        if seat in (viewer, layout.out) or (deep and game.seats[seat].kind is SeatKind.AI)
        else layout.shown[seat]
        for seat, hand in enumerate(layout.hands)
    ]


def _redealt(
    layout: Layout,
    kept: list[tuple[Card, ...]],
    held: tuple[Card, ...],
    chance: random.Random,
) -> Layout:
    hidden = list(pack(layout.rules.jokers))
    for card in (*(card for hand in kept for card in hand), *layout.pile, *held):
        hidden.remove(card)
    chance.shuffle(hidden)
    hands = tuple(
        tuple(sorted((*stays, *(hidden.pop() for _ in range(len(hand) - len(stays))))))
        for stays, hand in zip(kept, layout.hands, strict=True)
    )
    return replace(layout, hands=hands, stock=(*hidden, *held))


def _drawn(
    position: Position, state: Discarding, kept: list[tuple[Card, ...]], chance: random.Random
) -> Card:
    """The card just drawn: another one only where nobody but another seat has seen it."""
    seat = state.layout.seat
    told = position.events[-1].body
    assert isinstance(told, CardDrawn), "a draw comes before its discard"
    if told.source is Source.DISCARD or kept[seat] == state.layout.hands[seat]:
        return state.drawn
    hidden = list(state.layout.hands[seat])
    for card in kept[seat]:
        hidden.remove(card)
    return chance.choice(hidden)


def _retold(event: Event, viewer: int | None, chance: random.Random) -> Event:
    """An event with what only others know of it changed."""
    match event.body:
        case CardDrawn(seat=seat, source=Source.STOCK) as body if seat != viewer:
            return replace(event, body=replace(body, card=Card(chance.randrange(52))))
        case CardDiscarded(seat=seat) as body if seat != viewer:
            return replace(event, body=replace(body, go_out=chance.random() < 0.5))
        case _:
            return event


def token(seat: int) -> str:
    """The token of a seat."""
    return f"token-of-seat-{seat}-{'t' * 29}"


def invite(seat: int) -> str:
    """The invite to a seat."""
    return f"invite-to-seat-{seat}-{'i' * 28}"


def put(store: Store, game_id: str, position: Position, version: int = 1) -> None:
    """Keep a position under a new id."""
    game, at = position.game, bodies.timestamp(NOW)
    away = tuple(seat for seat, each in enumerate(game.seats) if each.away)
    meta = Meta(
        created_at=NOW,
        updated_at=NOW,
        expires_at=NOW + _LEAST_LIFETIME * 1000,
        tokens=tuple(
            tokens.token_hash(token(seat)) if seat in game.humans else None
            for seat in range(len(game.seats))
        ),
        invites=tuple(
            tokens.token_hash(invite(seat)) if seat and each.kind is SeatKind.HUMAN else None
            for seat, each in enumerate(game.seats)
        ),
        played=game.round is not None,
        deadline=game.deadline,
        away=away,
    )
    store.commit(
        Commit(
            game_id=game_id,
            expected=0,
            stored=Stored(version, dump(game), meta.dump()),
            events=[strict_json.write(record(event, at)) for event in position.events],
            logged=0,
            record_key=RecordKey("put", "put"),
            record=b"{}",
            record_ttl=1,
            game_ttl=_LEAST_LIFETIME,
        )
    )


@contextmanager
def held() -> Iterator[None]:
    """Hold the same what the secret or fresh randomness decides besides the cards."""

    def words(_: bytes, number: int, seat: int, turn: int) -> Stream:
        return Stream(b"held", f"ai/{number}/{seat}/{turn}")

    def fresh(_key: str | None, _salt: bytes, seat: int) -> str:
        return token(seat)

    with ExitStack() as stack:
        for patch in (
            mock.patch("engine.view.commitment", return_value="c" * 64),
            mock.patch("engine.shuffle.choice_stream", words),
            mock.patch("service.games.tokens.seat_token", fresh),
        ):
            stack.enter_context(patch)
        yield
