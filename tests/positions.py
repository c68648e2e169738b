"""Positions from games between all levels, and what each level chooses in them.

As a program it prints a digest of all choices, so that two forms of the engine can be compared:
`python -m tests.positions COUNT`.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from copy import copy
from itertools import islice, tee

from engine import form
from engine import game as games
from engine.game import Game, Status
from engine.options import GameOptions
from engine.players import LEVELS
from engine.round import Drawing
from engine.rules import TURN_SOLVES, AceMode, Rules
from engine.shuffle import Stream, choice_stream
from engine.view import view
from tests.builders import ai

BUDGETS = (TURN_SOLVES, 1000, 200, 0)
MODEST = 1000  # too small for the expert's comparison of draws, half a second in the source form


def positions() -> Iterator[Game]:
    """Games in which an AI seat is to move, at tables of every size and with every option.

    They are played once in a process: in the source form each takes a long time.
    """
    return copy(_POSITIONS)


def _played() -> Iterator[Game]:
    number = 0
    while True:
        secret = hashlib.sha256(b"position %d" % number).digest()
        rules = Rules((0, 2, 4)[number % 3], list(AceMode)[number // 3 % 3])
        names = list(LEVELS)
        seats = tuple(ai(names[(number + seat) % len(names)]) for seat in range(2 + number % 5))
        game = games.open_game(secret, GameOptions(seats, rules)).game
        while game.status is Status.PLAYING:
            if number % 7 == game.layout.turns % 7:
                yield game
            game = moved(game)
        number += 1


(_POSITIONS,) = tee(_played(), 1)


def moved(game: Game) -> Game:
    """The game after the move that its AI player makes."""
    seat = game.layout.seat
    player = LEVELS[str(game.seats[seat].level)]
    seen, random = view(game, seat), turn_stream(game)
    if isinstance(game.round, Drawing):
        return games.draw(game, seat, player.choose_draw(seen, random, MODEST)).game
    return games.discard(game, seat, player.choose_discard(seen, random, MODEST)).game


def turn_stream(game: Game) -> Stream:
    layout = game.layout
    return choice_stream(game.secret, layout.number, layout.seat, layout.turn)


def choice(game: Game, level: str, random: Stream, budget: int = MODEST) -> str:
    """What a level chooses for the seat to move."""
    seen, player = view(game, game.layout.seat), LEVELS[level]
    if isinstance(game.round, Drawing):
        return player.choose_draw(seen, random, budget).value
    return str(player.choose_discard(seen, random, budget))


def digest(count: int) -> str:
    """One text for all choices of all levels, with rich and poor budgets, in `count` positions."""
    choices = hashlib.sha256()
    for number, game in enumerate(islice(positions(), count)):
        for level in LEVELS:
            budget = BUDGETS[number % len(BUDGETS)]
            choices.update(f"{level} {choice(game, level, turn_stream(game), budget)}\n".encode())
    return choices.hexdigest()


if __name__ == "__main__":
    print(form, digest(int(sys.argv[1])))
