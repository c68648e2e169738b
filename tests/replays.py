"""Replays of games that are played in this process, as getReplay answers them.

Each game follows from a number: its options, who sits there, every move, and who comes, goes and
lets time run out.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from engine import table
from engine.cards import Card
from engine.events import Event
from engine.game import Game, Status, Step
from engine.options import GameOptions
from engine.round import Drawing, Source
from engine.rules import AceMode, Rules
from engine.seats import HumanSeat, Seat, has_joined
from engine.shuffle import commitment
from engine.solver.hands import points_after_discard, preferred
from engine.view import revealed
from service.games.answers.bodies import actions_body, replay_seats, rules_body, timestamp
from tests.builders import ai, humans
from tests.playout import Playout

Replay = dict[str, Any]
QUICK_LEVELS = ("easy", "medium")
TURN_SECONDS = 10


def replay_of(game: Game, events: Sequence[Event]) -> Replay:
    """The replay of a game that is over."""
    return {
        "secret": game.secret.hex(),
        "commitment": commitment(game.secret),
        "rules": rules_body(game.rules),
        "seats": replay_seats(game.seats),
        "first_dealer": game.first_dealer,
        "actions": actions_body(events),
        "events": [revealed(event, timestamp(event.seq)) for event in events],
    }


@cache
def finished(number: int) -> Replay:
    """A game that is played to its end; do not change it."""
    return _Play.of(number).to_the_end()


@cache
def abandoned(number: int) -> Replay:
    """A game whose humans have all left; do not change it."""
    return _Play.of(number, leaving=0.2).until_all_have_left()


@dataclass
class _Play:
    """A game in which the moves of all humans are chosen here.

    `skill`: the share of discards that are the best one. `declaring`: the share of discards that
    go out if they can. `leaving`: the share of moves before which a human leaves.
    """

    rng: random.Random
    game: Game
    events: list[Event]
    skill: float
    declaring: float
    leaving: float
    now: int = 0

    @classmethod
    def of(cls, number: int, leaving: float = 0.002) -> _Play:
        """The game of a number, all humans seated."""
        rng = random.Random(number)
        seats = _seats(rng)
        rules = Rules(rng.choice([0, 2, 4]), rng.choice(list(AceMode)), rng.random() < 0.5)
        seconds = rng.choice([None, TURN_SECONDS])
        options = GameOptions(seats, rules, turn_seconds=seconds, turn_solves=0)
        step = table.open_game(hashlib.sha256(b"replay %d" % number).digest(), options)
        skill, declaring = rng.choice([1.0, 0.97, 0.9, 0.3]), rng.choice([1.0, 0.9, 0.0])
        play = cls(rng, step.game, list(step.events), skill, declaring, leaving)
        awaited = [seat for seat, held in enumerate(seats) if not has_joined(held)]
        for seat in rng.sample(awaited, len(awaited)):
            play.apply(table.join(play.game, seat, f"Guest {seat}"))
        return play

    def apply(self, step: Step) -> None:
        self.game = step.game
        self.events += step.events

    def to_the_end(self) -> Replay:
        """The replay of the game, one human at least staying to its end."""
        while self.game.status is not Status.FINISHED:
            if len(self.game.humans) > 1 and self.rng.random() < self.leaving:
                self.leave()
            else:
                self.move()
        return replay_of(self.game, self.events)

    def until_all_have_left(self) -> Replay:
        """The replay of the game up to the leaving of its last human."""
        while self.game.status is not Status.FINISHED:
            self.leave() if self.rng.random() < self.leaving else self.move()
        return replay_of(self.game, self.events)

    def leave(self) -> None:
        """One human leaves, at its turn or another's."""
        self.apply(table.leave(self.game, self.rng.choice(self.game.humans), self.now))

    def move(self) -> None:
        """A human's time runs out or somebody returns, or else the human to move moves."""
        if self.game.turn_seconds is not None and self.rng.random() < 0.1:
            self.let_time_pass()
        elif isinstance(self.game.round, Drawing):
            source = Source.DISCARD if self.rng.random() < 0.3 else Source.STOCK
            self.apply(table.draw(self.game, self.game.layout.seat, source, self.now))
        else:
            go_out = self.rng.random() < self.declaring
            step = table.discard(self.game, self.game.layout.seat, self._card(), go_out, self.now)
            self.apply(step)

    def let_time_pass(self) -> None:
        """Some seat's holder, or nobody's, calls after a while."""
        self.now += self.rng.choice([0, TURN_SECONDS * 1000])
        caller = self.rng.choice([None, *self.game.humans])
        step = table.apply_overdue_turns(self.game, caller, self.now)
        if step is not None:
            self.apply(step)

    def _card(self) -> Card:
        layout = self.game.layout
        if self.rng.random() >= self.skill:
            return self.rng.choice(layout.hand)
        least = points_after_discard(layout.hand, layout.wild, layout.aces)
        return preferred(least, layout.wild, layout.aces)


def _seats(rng: random.Random) -> tuple[Seat, ...]:
    """Two to six seats: a human's, then as many more as it happens, at some tables all humans'."""
    humans = rng.choice([0.3, 0.3, 0.3, 1.0])
    others: list[Seat] = [
        HumanSeat(f"P{seat}", joined=False)
        if rng.random() < humans
        else ai(rng.choice(QUICK_LEVELS), f"Bot {seat}")
        for seat in range(1, rng.randint(2, 6))
    ]
    return (HumanSeat("Ann"), *others)


@cache
def stalled(number: int) -> Replay:
    """A game whose rounds nobody ends, and whose stock is refilled; do not change it."""
    rules = Rules((0, 2, 4)[number % 3], list(AceMode)[number // 3 % 3])
    secret = hashlib.sha256(b"stalled %d" % number).digest()
    seats = humans(2 + number % 5)
    playout = Playout(secret, rules, seats, random.Random(number), skill=0.0, no_declare=1.0)
    *_, last = playout.states()
    return replay_of(last, playout.events)
