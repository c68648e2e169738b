"""The table: one human move and every AI turn after it, as one pure and bounded call.

Each function returns the game with a human to move again (or waiting, or over) and all events
in order. The bound: a round ends after at most 61 turns a seat, so a call plays at most what is
left of eleven such rounds, or of fewer where the game plays fewer.

Time enters as an argument, `now` in ms since 1970. Where turns are bounded, a human whose time
has run out is away: an AI player moves for it at once, turn after turn, until it is back.
`apply_overdue_turns` plays the turns whose time has run out, before a call is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TypeVar

from engine import game as games
from engine import membership
from engine.cards import Card
from engine.game import Game, Status, Step
from engine.options import GameOptions
from engine.players import LEVELS, STAND_IN_LEVEL
from engine.players.observer import observed
from engine.round import Discarding, Source
from engine.rules import LAST_TURN, ROUNDS
from engine.seats import AiSeat, Level, is_away
from engine.solver.arrangement import best_discard
from engine.solver.hands import limited
from engine.solver.kernel import BudgetExceededError
from engine.view import view

_MOST_TURNS = ROUNDS * (LAST_TURN + 1)
_MARGIN = 1_000
"""Hands that the cheapest choice of any level stays far below."""

_Choice = TypeVar("_Choice", Source, Card)


def open_game(secret: bytes, options: GameOptions, now: int = 0) -> Step:
    """A new game, AI turns before the first human turn played unless humans have yet to join."""
    return _with_automatic_turns(games.open_game(secret, options), now)


def join(game: Game, seat: int, name: str, now: int = 0) -> Step:
    """The game after a human took its seat, begun if it was the last; raises SeatTakenError."""
    return _with_automatic_turns(membership.join(game, seat, name), now)


def leave(game: Game, seat: int, now: int = 0) -> Step:
    """The game after a human left; an AI player plays the seat on. Raises GameFinishedError."""
    return _with_automatic_turns(membership.leave(game, seat, STAND_IN_LEVEL), now, game)


def draw(game: Game, seat: int, source: Source, now: int = 0) -> Step:
    """The game after a human draws; raises a MoveError where that is refused."""
    return _with_automatic_turns(games.draw(game, seat, source), now, game)


def discard(game: Game, seat: int, card: Card, go_out: bool = True, now: int = 0) -> Step:
    """The game after a human discards and the others have played on.

    Raises a MoveError where the discard is refused.
    """
    return _with_automatic_turns(games.discard(game, seat, card, go_out), now, game)


def apply_overdue_turns(game: Game, seat: int | None, now: int) -> Step | None:
    """The game after its overdue turns, for a caller who holds `seat` or none; None if none is due.

    A turn whose time has run out is played by an AI player, its seat then away. A caller that
    was away is back from its next turn on; when the game is over there is none.
    """
    overdue = _overdue_seat(game, now)
    step = Step(game, ())
    if overdue is not None:
        step = step.followed_by(membership.mark_away(game, overdue))
        step = step.followed_by(_automatic_turn(step.game))
    if seat is not None and _may_return(step.game, seat):
        step = step.followed_by(membership.mark_returned(step.game, seat))
    return _with_automatic_turns(step, now, game) if step.events else None


def _may_return(game: Game, seat: int) -> bool:
    """Whether the seat's human is away and the game goes on: its end is its last event."""
    return game.status is not Status.FINISHED and is_away(game.seats[seat])


def _overdue_seat(game: Game, now: int) -> int | None:
    """The seat of the human whose time has run out."""
    if game.status is not Status.PLAYING or game.deadline is None or now < game.deadline:
        return None
    return game.layout.seat


def _with_automatic_turns(step: Step, now: int, before: Game | None = None) -> Step:
    """The step with all turns that wait for no human, and the next human's time running."""
    for _ in range(_MOST_TURNS * len(step.game.seats)):
        if not _is_automatic(step.game):
            return replace(step, game=_with_deadline(step.game, before, now))
        step = step.followed_by(_automatic_turn(step.game))
    raise AssertionError("every round ends by its last turn")


def _is_automatic(game: Game) -> bool:
    """Whether the turn is an AI player's, or that of a human who is away."""
    if game.status is not Status.PLAYING:
        return False
    seat = game.seats[game.layout.seat]
    return isinstance(seat, AiSeat) or seat.away


def _with_deadline(game: Game, before: Game | None, now: int) -> Game:
    """The game with a deadline for the turn that a human is in; a turn begun keeps its own."""
    if game.turn_seconds is None or game.status is not Status.PLAYING:
        return replace(game, deadline=None) if game.deadline is not None else game
    if before is not None and before.deadline is not None and _same_turn(game, before):
        return game
    return replace(game, deadline=now + game.turn_seconds * 1000)


def _same_turn(game: Game, before: Game) -> bool:
    return (game.layout.number, game.layout.turns) == (before.layout.number, before.layout.turns)


def _automatic_turn(game: Game) -> Step:
    """The game after an AI player has made what is left of the turn.

    A player whose draw was at fault is not asked again in that turn.
    """
    if isinstance(game.round, Discarding):
        return _move(game, _chosen_discard, _fallback_discard)
    step = _move(game, _chosen_draw, _fallback_draw)
    if step.faults:
        return step.followed_by(_fallback_discard(step.game))
    return step.followed_by(_move(step.game, _chosen_discard, _fallback_discard))


def _move(game: Game, chosen: Callable[[Game], Step], fallback: Callable[[Game], Step]) -> Step:
    """A player's move; the fallback where the player fails or is wrong."""
    try:
        return chosen(game)
    except (Exception, BudgetExceededError) as error:  # noqa: BLE001 - the game goes on whatever
        layout = game.layout
        place = f"seat {layout.seat}, round {layout.number}, turn {layout.turn}"
        fault = f"{place}: {type(error).__name__}"
        return replace(fallback(game), faults=(fault,))


def _level(game: Game) -> Level:
    seat = game.seats[game.layout.seat]
    return seat.level if isinstance(seat, AiSeat) else STAND_IN_LEVEL


def _chosen_draw(game: Game) -> Step:
    level, seen, budget = _level(game), view(game, game.layout.seat), game.turn_solves
    with observed(level), _bounded(budget):
        source = LEVELS[level].choose_draw(seen, games.turn_randomness(game), budget)
    return games.draw(game, game.layout.seat, _of_type(source, Source))


def _chosen_discard(game: Game) -> Step:
    level, seen, budget = _level(game), view(game, game.layout.seat), game.turn_solves
    with observed(level), _bounded(budget):
        card = LEVELS[level].choose_discard(seen, games.turn_randomness(game), budget)
    return games.discard(game, game.layout.seat, _of_type(card, Card))


def _bounded(budget: int) -> AbstractContextManager[None]:
    """Stops a player that asks the solver for ever: players keep to their budget by themselves."""
    return limited(2 * budget + _MARGIN)


def _of_type(choice: object, kind: type[_Choice]) -> _Choice:
    """The choice, if it is of its kind and not only equal to one that is."""
    if type(choice) is not kind:
        raise TypeError(f"a {kind.__name__} was asked for")
    return choice


def _fallback_draw(game: Game) -> Step:
    return games.draw(game, game.layout.seat, Source.STOCK)


def _fallback_discard(game: Game) -> Step:
    layout = game.layout
    card, _ = best_discard(layout.hand, layout.wild, layout.aces)
    return games.discard(game, layout.seat, card)
