"""The table: one human move and every AI turn after it, as one pure and bounded call.

Each function returns the game with a human to move again (or over) and all events in order.
The bound: a round ends after at most 61 turns a seat, so a call plays at most what is left of
eleven such rounds.
"""

from __future__ import annotations

from engine import game as games
from engine.cards import Card
from engine.events import Event
from engine.game import Game, Seat, SeatKind, Step
from engine.players import LEVELS
from engine.round import Discarding, Drawing, Finished, Source
from engine.rules import LAST_TURN, ROUNDS, Rules
from engine.shuffle import choice_stream
from engine.view import view

_MOST_TURNS = ROUNDS * (LAST_TURN + 1)


def open_game(
    secret: bytes, rules: Rules, seats: tuple[Seat, ...], *, seeded: bool = False
) -> Step:
    """A new game, AI turns before the first human turn played."""
    return _with_ai_turns(games.open_game(secret, rules, seats, seeded=seeded))


def draw(game: Game, seat: int, source: Source) -> Step:
    """The game after a human draws; raises a MoveError where that is refused."""
    return _with_ai_turns(games.draw(game, seat, source))


def discard(game: Game, seat: int, card: Card, go_out: bool = True) -> Step:
    """The game after a human discards and the AI seats have played on.

    Raises a MoveError where the discard is refused.
    """
    return _with_ai_turns(games.discard(game, seat, card, go_out))


def _with_ai_turns(step: Step) -> Step:
    game, events = step.game, list(step.events)
    for _ in range(_MOST_TURNS * len(game.seats)):
        if not _ai_to_move(game):
            return Step(game, tuple(events))
        step = _ai_turn(game)
        game = step.game
        events += step.events
    raise AssertionError("every round ends by its last turn")


def _ai_to_move(game: Game) -> bool:
    state = game.round
    return not isinstance(state, Finished) and game.seats[state.layout.seat].kind is SeatKind.AI


def _ai_turn(game: Game) -> Step:
    """The game after the AI seat to move has drawn and discarded."""
    layout = game.layout
    seat = layout.seat
    player = LEVELS[str(game.seats[seat].level)]
    chance = choice_stream(game.secret, layout.number, seat, layout.turn)
    events: list[Event] = []
    if isinstance(game.round, Drawing):
        step = games.draw(game, seat, player.choose_draw(view(game, seat), chance))
        game = step.game
        events += step.events
    assert isinstance(game.round, Discarding), "a draw is followed by a discard"
    step = games.discard(game, seat, player.choose_discard(view(game, seat), chance))
    return Step(step.game, (*events, *step.events))
