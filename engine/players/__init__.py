"""The AI players: one module a level, each choosing by the view of its own seat alone.

A choice is a function of three things: the view, the budget, and the turn's random stream. The
view is exactly what a human in the seat would see. The budget is how many hands may be solved for
one choice; a player that would need more makes the cheaper choice of its level.
"""

from __future__ import annotations

from typing import Protocol

from engine.cards import Card
from engine.players.easy import EasyPlayer
from engine.players.expert import ExpertPlayer
from engine.players.hard import HardPlayer
from engine.players.medium import MediumPlayer
from engine.round import Source
from engine.rules import TURN_SOLVES
from engine.shuffle import Stream
from engine.view import View


class Player(Protocol):
    """Chooses the two moves of a turn."""

    def choose_draw(self, seen: View, random: Stream, budget: int = TURN_SOLVES) -> Source:
        """Where to draw from; the view is the seat's own, a draw due."""

    def choose_discard(self, seen: View, random: Stream, budget: int = TURN_SOLVES) -> Card:
        """Which card to discard; the view is the seat's own, a discard due."""


LEVELS: dict[str, Player] = {
    "easy": EasyPlayer(),
    "medium": MediumPlayer(),
    "hard": HardPlayer(),
    "expert": ExpertPlayer(),
}
"""The levels that exist, by name, the weakest first."""

DEFAULT_LEVEL = "medium"
STRONGEST_LEVEL = "expert"
STAND_IN_LEVEL = "hard"
"""The level that plays for a human who is away or has left."""
