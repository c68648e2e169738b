"""The changes that callers ask for: create a game, draw, discard, join, leave, play again.

Each is a value: what was asked, by whom, on what condition. `transactions.py` runs them all alike;
what a change makes of a game is decided here, by the engine's `table`.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from msgspec.structs import replace

from engine import table
from engine.cards import Card
from engine.errors import GameNotFinishedError
from engine.game import Status, Step
from engine.options import GameOptions
from engine.round import Source
from engine.seats import Seat, has_joined
from engine.shuffle import SECRET_BYTES
from service.errors import KeyReusedError, RematchMadeError
from service.games import tokens
from service.games.answers.entity_tags import require_match
from service.games.answers.responses import Left, Moved, Seated
from service.games.change import Change, Decision
from service.games.idempotency import Idempotency, move_key, old_move_key, record_key
from service.games.loaded import Invitee, LoadedGame, SeatHolder, as_invitee, as_seat_holder
from service.games.new_seats import CREATOR
from service.games.stored.meta import Meta, Reservation
from service.store.models import MoveKey, RecordKey, StoredGame


@dataclass(frozen=True, slots=True, kw_only=True)
class _SeatChange(Change[SeatHolder]):
    """A change by the holder of a seat; the idempotency key belongs to the seat's token."""

    game_id: str
    token: str | None
    idempotency: Idempotency

    @property
    def old_key(self) -> RecordKey | None:
        return old_move_key(self.token or "", self.idempotency)

    def key(self, now: int) -> RecordKey | MoveKey | None:
        return move_key(self.token or "", self.idempotency, now)

    def identify(self, stored: StoredGame | None) -> LoadedGame[SeatHolder]:
        return as_seat_holder(self.game_id, stored, self.token)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw(_SeatChange):
    """A draw; `if_match` names the version that the caller has seen, None for any."""

    source: Source
    if_match: str | None = None

    def decide(self, current: LoadedGame[SeatHolder], now: int) -> Decision:
        """The game after the draw."""
        require_match(self.if_match, current.version)
        step = table.draw(current.game(), current.caller.seat, self.source, now)
        return _move_decision(current, step)


@dataclass(frozen=True, slots=True, kw_only=True)
class Discard(_SeatChange):
    """A discard, after which all turns up to the next human one are played."""

    card: Card
    go_out: bool = True
    if_match: str | None = None

    def decide(self, current: LoadedGame[SeatHolder], now: int) -> Decision:
        """The game after the discard and the turns that follow it."""
        require_match(self.if_match, current.version)
        step = table.discard(current.game(), current.caller.seat, self.card, self.go_out, now)
        return _move_decision(current, step)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave(_SeatChange):
    """Leaving a seat for good: an AI player plays it on, and the token is void."""

    voids_token = True

    def decide(self, current: LoadedGame[SeatHolder], now: int) -> Decision:
        """The game after the caller has left it."""
        seat = current.caller.seat
        step = table.leave(current.game(), seat, now)
        return Decision(step, current.meta.with_token(seat, None), Left())


@dataclass(frozen=True, slots=True, kw_only=True)
class Rematch(_SeatChange):
    """Playing again: the finished game reserves a new one, in which the caller has its seat.

    `secret` is the new game's; the caller's new token is derived from `salt`.
    """

    shows_rematch = True
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(SECRET_BYTES))
    salt: bytes = field(default_factory=tokens.new_salt)

    def key(self, now: int) -> RecordKey | None:
        """The key belongs to the operation; the fingerprint of the request says whose it is."""
        return record_key("rematch", self.idempotency)

    def decide(self, current: LoadedGame[SeatHolder], now: int) -> Decision:
        """The finished game with its reservation; the answer shows the new game."""
        game, seat = current.game(), current.caller.seat
        if game.status is not Status.FINISHED:
            raise GameNotFinishedError("the game is still played")
        if current.meta.rematch is not None:
            raise RematchMadeError(current.meta.rematch.game_id, current.version)
        key = self.idempotency.key
        token = tokens.seat_token(key, self.salt, seat)
        reserved = Reservation(
            tokens.rematch_id(self.game_id, key), self.secret, seat, tokens.token_hash(token), now
        )
        meta = replace(current.meta, rematch=reserved)
        return Decision(Step(game, ()), meta, Seated(token, self.salt, {}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Join(Change[Invitee]):
    """Taking a seat with its invite, under `name` or, without one, the seat's own name.

    `is_token`: whether the invite is a seat's token of the game that this one follows. The
    caller's token is derived from `salt`.
    """

    game_id: str
    invite: str
    name: str | None
    idempotency: Idempotency
    is_token: bool = False
    salt: bytes = field(default_factory=tokens.new_salt)

    def key(self, now: int) -> RecordKey | None:
        """The key belongs to the invite: whoever joins has no token yet."""
        return record_key(f"join:{tokens.token_hash(self.invite).hex()}", self.idempotency)

    def identify(self, stored: StoredGame | None) -> LoadedGame[Invitee]:
        """The game for the holder of the invite."""
        return as_invitee(self.game_id, stored, self.invite, is_token=self.is_token)

    def decide(self, current: LoadedGame[Invitee], now: int) -> Decision:
        """The game with the seat taken, begun if it was the last free one."""
        game, seat = current.game(), current.caller.seat
        step = table.join(game, seat, self.name or game.seats[seat].name, now)
        token = tokens.seat_token(self.idempotency.key, self.salt, seat)
        return Decision(step, current.meta.with_token(seat, token), Seated(token, self.salt))


@dataclass(frozen=True, slots=True)
class Create(Change[SeatHolder]):
    """Making a new game; with an idempotency key the game's id is derived from the key.

    `seed` is the game's secret, None for a random one. Token and invites are derived from `salt`.
    """

    options: GameOptions
    idempotency: Idempotency
    seed: bytes | None = None
    salt: bytes = field(default_factory=tokens.new_salt)
    game_id: str = field(init=False)

    def __post_init__(self) -> None:
        """Fix the new game's id, so that it stays the same however often this is decided."""
        object.__setattr__(self, "game_id", tokens.game_id(self.idempotency.key))

    @property
    def has_random_id(self) -> bool:
        """Whether the id is random."""
        return self.idempotency.key is None

    def key(self, now: int) -> RecordKey | None:
        """The key belongs to the operation: it alone says whose game it is."""
        return record_key("create", self.idempotency)

    def identify(self, stored: StoredGame | None) -> LoadedGame[SeatHolder]:
        """The game that is not there yet, for its creator."""
        seats = (None,) * len(self.options.seats)
        blank = StoredGame(0, b"", b"") if stored is None else stored
        return LoadedGame(self.game_id, blank, Meta(0, 0, 0, seats, seats), SeatHolder(CREATOR))

    def decide(self, current: LoadedGame[SeatHolder], now: int) -> Decision:
        """The new game: its first round dealt, unless it waits for humans to join."""
        if current.version:  # its record has expired before the game
            raise KeyReusedError("the key has made a game before")
        key, salt = self.idempotency.key, self.salt
        token = tokens.seat_token(key, salt, CREATOR)
        codes = {seat: tokens.invite_code(key, salt, seat) for seat in _to_join(self.options.seats)}
        meta = _new_meta(self.options.seats, codes, now).with_token(CREATOR, token)
        secret = secrets.token_bytes(SECRET_BYTES) if self.seed is None else self.seed
        step = table.open_game(secret, self.options, now)
        return Decision(step, meta, Seated(token, salt, codes))


def _move_decision(current: LoadedGame[SeatHolder], step: Step) -> Decision:
    return Decision(step, replace(current.meta, played=True), Moved())


def _to_join(seats: tuple[Seat, ...]) -> list[int]:
    return [number for number, seat in enumerate(seats) if not has_joined(seat)]


def _new_meta(seats: tuple[Seat, ...], codes: dict[int, str], now: int) -> Meta:
    invites = tuple(
        tokens.token_hash(codes[number]) if number in codes else None
        for number in range(len(seats))
    )
    return Meta(now, now, now, (None,) * len(seats), invites)
