"""What the service stores beside the state of play: times, token hashes and invite hashes.

It is stored as MessagePack, an array of the fields. Earlier versions of the service stored JSON,
which is still read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec.structs import astuple, replace

from engine.game import Game
from engine.seats import is_away
from engine.shuffle import SECRET_BYTES
from engine.snapshot import LAST_MOMENT
from service.errors import CorruptGameError
from service.games.tokens import HASH_BYTES, ID_PATTERN, seat_of, token_hash
from service.store.models import StoredGame

_Time = Annotated[int, msgspec.Meta(ge=0, le=LAST_MOMENT)]
"""ms since 1970, up to the end of the year 9999."""
_Seat = Annotated[int, msgspec.Meta(ge=0)]
_Hash = Annotated[bytes, msgspec.Meta(min_length=HASH_BYTES, max_length=HASH_BYTES)]
_Secret = Annotated[bytes, msgspec.Meta(min_length=SECRET_BYTES, max_length=SECRET_BYTES)]
_GameId = Annotated[str, msgspec.Meta(pattern=rf"\A{ID_PATTERN}\Z")]
_HexHash = Annotated[str, msgspec.Meta(pattern=rf"\A[0-9a-f]{{{2 * HASH_BYTES}}}\Z")]
_OBJECT = b"{"


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """Seconds that a game is stored after its last change, by whether a human has moved in it."""

    played: int
    unplayed: int

    def of(self, *, played: bool) -> int:
        """The lifetime of a game, in seconds."""
        return self.played if played else self.unplayed


class Reservation(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A rematch that a finished game has reserved: all that its first version is made of.

    `game_id` and `secret` are the new game's; `seat` is that of whoever asked for it, `token` the
    hash of the new token for it; `at` is the time of it in ms since 1970.
    """

    game_id: _GameId
    secret: _Secret
    seat: _Seat
    token: _Hash
    at: _Time


class Meta(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What the service knows of a game beside the state of play.

    Times are in ms since 1970. By seat: the hash of the token, None where no human holds the seat,
    and the hash of the invite, used or not. `played`: whether a human has moved. `deadline` and
    `away` repeat the game's, so that overdue turns show without reading the game. `old_records`:
    whether an earlier version of the service began the game, and stored records in its own way.
    `rematch`: what a finished game has reserved. `rematch_of`: the game that this one follows, the
    tokens of which are then the invites of this one.
    """

    created_at: _Time
    updated_at: _Time
    expires_at: _Time
    tokens: tuple[_Hash | None, ...]
    invites: tuple[_Hash | None, ...]
    played: bool = False
    deadline: _Time | None = None
    away: tuple[_Seat, ...] = ()
    old_records: bool = False
    rematch: Reservation | None = None
    rematch_of: _GameId | None = None

    def __post_init__(self) -> None:
        """Check what the types cannot say; raises ValueError."""
        seats = len(self.tokens)
        if len(self.invites) != seats or (self.away and max(self.away) >= seats):
            raise ValueError("the fields name different seats")
        if self.rematch is not None and self.rematch.seat >= seats:
            raise ValueError("a seat that is not there has asked for a rematch")

    @classmethod
    def parse(cls, stored: StoredGame) -> Meta:
        """The meta of a stored game; raises CorruptGameError."""
        text = stored.meta
        try:
            return _parse_old(text) if text.startswith(_OBJECT) else _decode(text)
        except ValueError as error:
            reason = type(error).__name__  # its text may quote a token's hash
            raise CorruptGameError(f"the game's meta cannot be read: {reason}") from None

    def dump(self) -> bytes:
        """The meta as it is stored."""
        if self.rematch is None and self.rematch_of is None:
            return _encode(astuple(self)[:-2])  # as versions without rematches read it
        return _encode(self)

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
            away=tuple(number for number, seat in enumerate(game.seats) if is_away(seat)),
        )

    def is_overdue(self, seat: int | None, now: int) -> bool:
        """Whether turns have to be applied before a call of this seat's holder is decided.

        None: whether they have to be applied where no seat calls.
        """
        return seat in self.away or (self.deadline is not None and now >= self.deadline)

    def with_token(self, seat: int, token: str | None) -> Meta:
        """The meta with another token for a seat; None voids it."""
        hashed = None if token is None else token_hash(token)
        return replace(self, tokens=(*self.tokens[:seat], hashed, *self.tokens[seat + 1 :]))

    def token_seat(self, token: str) -> int | None:
        """The seat that a token belongs to; None if it is no token of this game."""
        return seat_of(token, self.tokens)

    def invited_seat(self, invite: str, *, is_token: bool) -> int | None:
        """The seat that an invite, used or not, belongs to; None if it is none of this game.

        `is_token`: whether it is a token of the game before, which only a rematch takes.
        """
        takes_tokens = self.rematch_of is not None
        return seat_of(invite, self.invites) if is_token is takes_tokens else None


class _OldMeta(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of a meta in JSON, hashes in hex."""

    created_at: _Time
    updated_at: _Time
    expires_at: _Time
    tokens: tuple[_HexHash | None, ...]
    invites: tuple[_HexHash | None, ...]
    played: bool = False
    deadline: _Time | None = None
    away: tuple[_Seat, ...] = ()


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Meta).decode
_decode_old = msgspec.json.Decoder(_OldMeta).decode


def _parse_old(text: bytes) -> Meta:
    old = _decode_old(text)
    return Meta(
        created_at=old.created_at,
        updated_at=old.updated_at,
        expires_at=old.expires_at,
        tokens=_hashes(old.tokens),
        invites=_hashes(old.invites),
        played=old.played,
        deadline=old.deadline,
        away=old.away,
        old_records=True,
    )


def _hashes(texts: tuple[str | None, ...]) -> tuple[bytes | None, ...]:
    return tuple(None if text is None else bytes.fromhex(text) for text in texts)
