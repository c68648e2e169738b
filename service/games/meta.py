"""What the service stores beside the state of play: times, token hashes and invite hashes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace

import orjson

from engine.game import Game
from service.errors import CorruptGameError
from service.games.tokens import seat_of, token_hash
from service.store.models import Stored

_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """Seconds that a game is stored after its last change, by whether a human has moved in it."""

    played: int
    unplayed: int

    def of(self, *, played: bool) -> int:
        """The lifetime of a game, in seconds."""
        return self.played if played else self.unplayed


@dataclass(frozen=True, slots=True)
class Meta:
    """What the service knows of a game beside the state of play.

    Times are in ms since 1970. By seat: the hash of the token, None where no human holds the seat,
    and the hash of the invite, used or not. `played`: whether a human has moved. `deadline` and
    `away` repeat the game's, so that overdue turns show without reading the game.
    """

    created_at: int
    updated_at: int
    expires_at: int
    tokens: tuple[str | None, ...]
    invites: tuple[str | None, ...]
    played: bool = False
    deadline: int | None = None
    away: tuple[int, ...] = ()

    @classmethod
    def parse(cls, stored: Stored) -> Meta:
        """The meta of a stored game; raises CorruptGameError."""
        try:
            fields = orjson.loads(stored.meta)
            lists = {name: tuple(fields[name]) for name in ("tokens", "invites", "away")}
            meta = cls(**{**fields, **lists})
        except (ValueError, TypeError, KeyError) as error:
            reason = type(error).__name__  # its text may quote a token's hash
            raise CorruptGameError(f"the game's meta cannot be read: {reason}") from None
        if not meta._is_valid():
            raise CorruptGameError("the game's meta has a value of the wrong type or range")
        return meta

    def dump(self) -> bytes:
        """The meta as JSON."""
        return orjson.dumps(asdict(self))

    def _is_valid(self) -> bool:
        """Whether every field has its type and range."""
        seats = range(len(self.tokens))
        times = [self.created_at, self.updated_at, self.expires_at]
        if self.deadline is not None:
            times.append(self.deadline)
        return (
            _are_times(times)
            and _are_hashes((*self.tokens, *self.invites))
            and len(self.tokens) == len(self.invites)
            and _is_flag(self.played)
            and all(type(seat) is int and seat in seats for seat in self.away)
        )

    def fits(self, game: Game) -> bool:
        """Whether exactly the seats that humans hold in the game have a token."""
        holders = tuple(seat for seat, token in enumerate(self.tokens) if token is not None)
        return len(self.tokens) == len(game.seats) and holders == game.humans

    def stamped(self, game: Game, now: int, lifetimes: Lifetimes) -> Meta:
        """The meta after a change to `game` at `now` (ms since 1970)."""
        return replace(
            self,
            updated_at=now,
            expires_at=now + lifetimes.of(played=self.played) * 1000,
            deadline=game.deadline,
            away=tuple(number for number, seat in enumerate(game.seats) if seat.away),
        )

    def is_overdue(self, seat: int, now: int) -> bool:
        """Whether turns have to be applied before a call of this seat's holder is decided."""
        return seat in self.away or (self.deadline is not None and now >= self.deadline)

    def with_token(self, seat: int, token: str | None) -> Meta:
        """The meta with another token for a seat; None voids it."""
        hashed = None if token is None else token_hash(token)
        return replace(self, tokens=(*self.tokens[:seat], hashed, *self.tokens[seat + 1 :]))

    def token_seat(self, token: str) -> int | None:
        """The seat that a token belongs to; None if it is no token of this game."""
        return seat_of(token, self.tokens)

    def invited_seat(self, invite: str) -> int | None:
        """The seat that an invite, used or not, belongs to; None if it is none of this game."""
        return seat_of(invite, self.invites)


def _are_times(values: Iterable[object]) -> bool:
    return all(type(value) is int and value >= 0 for value in values)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _are_hashes(values: Iterable[object]) -> bool:
    return all(
        value is None or (isinstance(value, str) and _HASH.fullmatch(value)) for value in values
    )
