"""Whole games with random moves; the caller gets every state and can check it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from engine import game as games
from engine.cards import Card
from engine.events import Event
from engine.game import Game, Status, Step
from engine.round import Discarding, Drawing, Source
from engine.rules import Rules
from engine.seats import Seat
from engine.solver.hands import points_after_discard, preferred


@dataclass
class Playout:
    """A game in which this class chooses the moves of every seat.

    `skill` is the share of discards that are the best one instead of a random one: rounds are
    shorter with more of it. `no_declare` is the share of discards that do not declare.
    """

    secret: bytes
    rules: Rules
    seats: tuple[Seat, ...]
    rng: random.Random
    skill: float
    no_declare: float = 0.1
    events: list[Event] = field(default_factory=list)

    def states(self) -> Iterator[Game]:
        """Every state of the game from the first deal to the end."""
        step = games.open_game(self.secret, self.rules, self.seats)
        self.events += step.events
        yield step.game
        while step.game.status is not Status.FINISHED:
            step = self._moved(step.game)
            self.events += step.events
            yield step.game

    def _moved(self, game: Game) -> Step:
        seat = game.layout.seat
        if isinstance(game.round, Drawing):
            return games.draw(game, seat, self.rng.choice(list(Source)))
        assert isinstance(game.round, Discarding)
        return games.discard(game, seat, self._card(game), self.rng.random() >= self.no_declare)

    def _card(self, game: Game) -> Card:
        layout = game.layout
        if self.rng.random() >= self.skill:
            return self.rng.choice(layout.hand)
        least = points_after_discard(layout.hand, layout.wild, layout.aces)
        return preferred(least, layout.wild, layout.aces)
