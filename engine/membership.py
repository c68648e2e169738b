"""Who sits at the table: humans join, leave, are away and return.

A seat that its human left is an AI player's for good; a seat that is away stays its human's.
"""

from __future__ import annotations

from dataclasses import replace

from engine.errors import GameFinishedError, SeatTakenError
from engine.events import GameAbandoned, SeatAway, SeatJoined, SeatLeft, SeatReturned
from engine.game import Game, Status, Step, deal_if_complete, with_events
from engine.seats import AiSeat, HumanSeat, Level, Seat, has_joined


def join(game: Game, seat: int, name: str) -> Step:
    """The game after a human took its seat, the first round dealt if it was the last to come.

    Raises SeatTakenError, or GameFinishedError.
    """
    if game.status is Status.FINISHED:
        raise GameFinishedError("the game is over")
    if has_joined(game.seats[seat]):
        raise SeatTakenError(f"seat {seat} has been joined")
    seated = _with_seat(game, seat, HumanSeat(name))
    return deal_if_complete(with_events(seated, [SeatJoined(seat, name)]))


def leave(game: Game, seat: int, level: Level) -> Step:
    """The game after a human left for good and an AI player of a level has taken the seat.

    The last human's leaving ends the game. Raises GameFinishedError. The seat must be that of a
    human who has come.
    """
    if game.status is Status.FINISHED:
        raise GameFinishedError("the game is over")
    assert seat in game.humans, "only a human can leave"
    left = _with_seat(game, seat, AiSeat(game.seats[seat].name, level))
    if left.humans:
        return with_events(left, [SeatLeft(seat)])
    over = replace(left, abandoned=True, deadline=None)
    return with_events(over, [SeatLeft(seat), GameAbandoned(game.secret)])


def mark_away(game: Game, seat: int) -> Step:
    """The game after a human's time has run out."""
    away = _with_seat(game, seat, HumanSeat(game.seats[seat].name, away=True))
    return with_events(away, [SeatAway(seat)])


def mark_returned(game: Game, seat: int) -> Step:
    """The game after a human that was away has come back."""
    back = _with_seat(game, seat, HumanSeat(game.seats[seat].name))
    return with_events(back, [SeatReturned(seat)])


def _with_seat(game: Game, number: int, seat: Seat) -> Game:
    return replace(game, seats=(*game.seats[:number], seat, *game.seats[number + 1 :]))
