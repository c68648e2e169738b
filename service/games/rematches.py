"""Rematches: the game that a finished one has reserved is made from what is stored with that.

    reserve (one commit in the old game) -> make (one commit in the new game, once)

The two games are in different slots of a cluster, so no script can write both. The reservation
holds all that the new game follows from. So whoever finds the new game missing makes the same one:
the caller itself, its repeated request, another call for a rematch, or a view of the old game,
which shows the new id. A mark beside the new game outlives it, so that a game that was deleted is
not made again.
"""

from __future__ import annotations

from collections.abc import Callable

from engine import table
from engine.game import Game, Step
from engine.options import GameOptions
from engine.seats import AiSeat, HumanSeat, Seat
from service.games.loaded import CallerT_co, LoadedGame, NextVersion, SeatHolder
from service.games.repository import GameRepository
from service.games.stored.meta import Meta, Reservation
from service.store.models import RecordKey, StoredGame

MADE = RecordKey("rematch")
"""The mark: it is there if the game has been made, even if it has been deleted since."""
COMPLETION_SECONDS = 86_400
"""For how long after its reservation a missing game is made; fixed, as the mark must outlive it."""
_CLOCK_DIFFERENCE = 3_600
"""Seconds by which the clocks of two servers may differ."""

_MakeVersion = Callable[[LoadedGame[SeatHolder], Step, Meta, int], NextVersion[SeatHolder]]
"""The version that a step makes of a game, with its new meta, at a time (ms since 1970)."""


def first_version(
    old: LoadedGame[CallerT_co], next_version: _MakeVersion
) -> NextVersion[SeatHolder] | None:
    """The first version of the game that a finished one has reserved, for the seat that asked.

    None without a reservation. `next_version`: the repository's. Raises CorruptGameError.
    """
    reserved = old.meta.rematch
    if reserved is None:
        return None
    game = old.game()
    step = table.open_game(reserved.secret, _options(game, reserved.seat), reserved.at)
    unmade = LoadedGame(
        reserved.game_id,
        StoredGame(0, b"", b""),
        _meta(old, reserved),
        SeatHolder(reserved.seat),
    )
    return next_version(unmade, step, unmade.meta, reserved.at)


def make(first: NextVersion[SeatHolder], repository: GameRepository) -> None:
    """Commit the first version, unless that was done before; raises StorageError."""
    repository.commit(first, MADE, b"made", COMPLETION_SECONDS + _CLOCK_DIFFERENCE)


def complete(
    old: LoadedGame[CallerT_co], repository: GameRepository, now: int
) -> NextVersion[SeatHolder] | None:
    """Make the game that a finished one has reserved, if it is missing; what was made, or None.

    Raises StorageError, CorruptGameError.
    """
    reserved = old.meta.rematch
    if reserved is None or not is_missing(reserved, repository, now):
        return None
    first = first_version(old, repository.next_version)
    if first is not None:
        make(first, repository)
    return first


def is_missing(reserved: Reservation, repository: GameRepository, now: int) -> bool:
    """Whether a reserved game has not been made at `now` (ms since 1970); raises StorageError.

    A day after the reservation it is not missed any more.
    """
    if now >= reserved.at + COMPLETION_SECONDS * 1000:
        return False
    return not repository.has_record(reserved.game_id, MADE)


def _options(game: Game, caller: int) -> GameOptions:
    """The same table and options; the deal goes on to the next seat."""
    return GameOptions(
        tuple(_seat(seat, number == caller) for number, seat in enumerate(game.seats)),
        game.rules,
        game.turn_seconds,
        game.turn_solves,
        first_dealer=(game.first_dealer + 1) % len(game.seats),
    )


def _seat(seat: Seat, is_callers: bool) -> Seat:
    match seat:
        case HumanSeat(name=name):
            return HumanSeat(name, joined=is_callers)
        case AiSeat():
            return seat


def _meta(old: LoadedGame[CallerT_co], reserved: Reservation) -> Meta:
    """The meta of the new game: the tokens of the old one are its invites."""
    tokens = tuple(
        reserved.token if seat == reserved.seat else None for seat in range(len(old.meta.tokens))
    )
    at = reserved.at
    return Meta(at, at, at, tokens, old.meta.tokens, rematch_of=old.game_id)
