"""The choices of every level in 2,000 positions, recorded so that later code can be compared.

`tests/data/choices.jsonl.gz` has one game a line: how it was dealt, every turn that was played, and
some of its positions. A position is the beginning of a turn. It has the number of turns before it,
a budget, and for each level the turn that the level would play there. A turn is written as `S` or
`D` for a draw from the stock or the discard pile, then the code of the discard, then `-` if the
seat does not go out even where it can: `S9H`, `DJK-`. `python -m tests.choices --write` makes the
file anew: do that only where a change of the choices is meant.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import game as games
from engine.cards import Card
from engine.game import Game, Status
from engine.players import LEVELS
from engine.round import Source
from engine.rules import JOKER_CHOICES, MAX_SEATS, MIN_SEATS, AceMode, Rules
from tests.builders import ai
from tests.positions import BUDGETS, MODEST, choice, turn_stream

FILE = Path(__file__).parent / "data" / "choices.jsonl.gz"
POSITIONS = 2000
SHARE = 0.1  # of the turns of a game become positions
LONG_GAME = 12  # every such game has long rounds, for the anti-stall rule
LONG_ROUND = 20  # so many turns of each seat in which nobody goes out there
SOURCES = {"S": Source.STOCK, "D": Source.DISCARD}


@dataclass(frozen=True)
class RecordedPosition:
    """A game at the beginning of a turn, and the turn that each level plays with a budget."""

    game: Game
    budget: int
    turns: dict[str, str]


def recorded_games() -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(FILE.read_bytes()).splitlines()]


def recorded_positions(record: dict[str, Any]) -> Iterator[RecordedPosition]:
    """The positions of a recorded game, played again from its deal."""
    game = dealt(record["secret"], record["jokers"], record["aces"], record["seats"])
    positions = {each["after"]: each for each in record["positions"]}
    for number, turn in enumerate(record["turns"]):
        if number in positions:
            yield RecordedPosition(game, positions[number]["budget"], positions[number]["turns"])
        game = played(game, turn)


def chosen_turn(game: Game, level: str, budget: int) -> str:
    """The turn that a level plays, its draw and its discard each chosen with the whole budget."""
    source = Source(choice(game, level, turn_stream(game), budget))
    letter = next(letter for letter, each in SOURCES.items() if each is source)
    drawn = games.draw(game, game.layout.seat, source).game
    return letter + choice(drawn, level, turn_stream(drawn), budget)


def dealt(secret: str, jokers: int, aces: str, seats: int) -> Game:
    rules = Rules(jokers, AceMode(aces))
    return games.open_game(bytes.fromhex(secret), rules, (ai(),) * seats).game


def played(game: Game, turn: str) -> Game:
    seat = game.layout.seat
    drawn = games.draw(game, seat, SOURCES[turn[0]]).game
    goes_out = not turn.endswith("-")
    return games.discard(drawn, seat, Card.parse(turn[1:3]), goes_out).game


def recorded(number: int, most: int) -> dict[str, Any]:
    """The record of a new game with at most so many positions."""
    rng = random.Random(number)
    deal = {
        "secret": hashlib.sha256(b"choices %d" % number).hexdigest(),
        "jokers": JOKER_CHOICES[number % 3],
        "aces": list(AceMode)[number // 3 % 3].value,
        "seats": MIN_SEATS + number % (MAX_SEATS - MIN_SEATS + 1),
    }
    game = dealt(**deal)
    turns: list[str] = []
    positions: list[dict[str, Any]] = []
    while game.status is Status.PLAYING:
        if rng.random() < SHARE and len(positions) < most:
            budget = BUDGETS[rng.randrange(len(BUDGETS))]
            chosen = {level: chosen_turn(game, level, budget) for level in LEVELS}
            positions.append({"after": len(turns), "budget": budget, "turns": chosen})
        careless = number % LONG_GAME == 1 and game.layout.turn <= LONG_ROUND
        turns.append(careless_turn(game, rng) if careless else levels_turn(game, number))
        game = played(game, turns[-1])
    return {**deal, "turns": turns, "positions": positions}


def levels_turn(game: Game, number: int) -> str:
    """The turn of the level that has the seat: every level has seats in turn."""
    levels = list(LEVELS)
    return chosen_turn(game, levels[(number + game.layout.seat) % len(levels)], MODEST)


def careless_turn(game: Game, rng: random.Random) -> str:
    """Any card drawn and any card of the hand discarded, and no going out."""
    letter = rng.choice(list(SOURCES))
    drawn = games.draw(game, game.layout.seat, SOURCES[letter]).game
    return f"{letter}{rng.choice(drawn.layout.hand)}-"


def write() -> None:
    lines: list[str] = []
    missing = POSITIONS
    while missing:
        record = recorded(len(lines), missing)
        missing -= len(record["positions"])
        lines.append(json.dumps(record, separators=(",", ":")))
    FILE.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    write()
