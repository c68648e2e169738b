"""A game as it was loaded for a caller, and the version that follows it.

Who calls is a type: the holder of a seat, somebody with an invite, or a spectator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from engine.errors import SnapshotError
from engine.game import Game, Step
from service.errors import (
    CorruptGameError,
    GameNotFoundError,
    InvalidTokenError,
    TokenRequiredError,
    UnknownInviteError,
)
from service.games.stored.event_log import LoggedEvent
from service.games.stored.meta import Meta
from service.games.stored.snapshots import SNAPSHOTS
from service.store.models import StoredGame


@dataclass(frozen=True, slots=True)
class SeatHolder:
    """The human who holds a seat, as the seat's token shows."""

    seat: int


@dataclass(frozen=True, slots=True)
class Invitee:
    """Somebody with the invite to a seat, which does not show that they hold the seat."""

    seat: int


@dataclass(frozen=True, slots=True)
class Spectator:
    """Somebody without a token, who sees what everybody may see."""

    seat: ClassVar[None] = None


Viewer = SeatHolder | Spectator
CallerT_co = TypeVar("CallerT_co", bound=SeatHolder | Invitee | Spectator, covariant=True)


@dataclass(frozen=True, slots=True)
class LoadedGame(Generic[CallerT_co]):
    """A stored game, or one that is only being made (version 0), for one caller."""

    game_id: str
    stored: StoredGame
    meta: Meta
    caller: CallerT_co

    @property
    def version(self) -> int:
        """The version that was loaded; 0 for a game that is only being made."""
        return self.stored.version

    def game(self) -> Game:
        """The state of play; raises CorruptGameError."""
        try:
            game = SNAPSHOTS.load(self.stored.state)
        except SnapshotError as error:
            raise CorruptGameError(str(error), self.game_id) from error
        if not self.meta.fits(game):
            raise CorruptGameError("the tokens do not fit the seats", self.game_id)
        return game


@dataclass(frozen=True, slots=True)
class NextVersion(Generic[CallerT_co]):
    """The version of a game that follows the loaded one, complete but not yet committed.

    `events`: the events of the step, the secret parts included.
    """

    before: LoadedGame[CallerT_co]
    step: Step
    stored: StoredGame
    meta: Meta
    events: tuple[LoggedEvent, ...]

    @property
    def loaded(self) -> LoadedGame[CallerT_co]:
        """The committed version, as if it had been loaded for the same caller."""
        return LoadedGame(self.before.game_id, self.stored, self.meta, self.before.caller)


def as_viewer(game_id: str, stored: StoredGame | None, token: str | None) -> LoadedGame[Viewer]:
    """The game for a seat's holder, or for a spectator where there is no token.

    Raises GameNotFoundError, InvalidTokenError, CorruptGameError.
    """
    if token is not None:
        return as_seat_holder(game_id, stored, token)
    stored, meta = _required(stored)
    return LoadedGame(game_id, stored, meta, Spectator())


def as_seat_holder(
    game_id: str, stored: StoredGame | None, token: str | None
) -> LoadedGame[SeatHolder]:
    """The game for the holder of a seat.

    Raises GameNotFoundError, TokenRequiredError, InvalidTokenError, CorruptGameError.
    """
    stored, meta = _required(stored)
    if token is None:
        raise TokenRequiredError("this call needs the token of a seat")
    seat = meta.token_seat(token)
    if seat is None:
        raise InvalidTokenError("the token is of no seat of this game")
    return LoadedGame(game_id, stored, meta, SeatHolder(seat))


def as_invitee(
    game_id: str, stored: StoredGame | None, invite: str, *, is_token: bool
) -> LoadedGame[Invitee]:
    """The game for somebody with an invite, used or not.

    `is_token`: whether the invite is a seat's token of the game that this one follows. Raises
    GameNotFoundError, UnknownInviteError, CorruptGameError.
    """
    stored, meta = _required(stored)
    seat = meta.invited_seat(invite, is_token=is_token)
    if seat is None:
        what, where = ("token", "the game before") if is_token else ("invite", "this game")
        raise UnknownInviteError(f"the {what} is of no seat of {where}")
    return LoadedGame(game_id, stored, meta, Invitee(seat))


def _required(stored: StoredGame | None) -> tuple[StoredGame, Meta]:
    if stored is None:
        raise GameNotFoundError("no game has this id, or it has expired")
    return stored, Meta.parse(stored)
