"""The AI players: one module a level, each choosing by the view of its own seat alone.

A player is deterministic given the view and the words of its `Stream`: it sees exactly what a
human in its seat would see, and no other source of chance.
"""

from __future__ import annotations

from typing import Protocol

from engine.cards import Card
from engine.players.medium import MediumPlayer
from engine.round import Source
from engine.shuffle import Stream
from engine.view import View


class Player(Protocol):
    """Chooses the two moves of a turn."""

    def choose_draw(self, seen: View, chance: Stream) -> Source:
        """Where to draw from; the view is the seat's own, a draw due."""

    def choose_discard(self, seen: View, chance: Stream) -> Card:
        """Which card to discard; the view is the seat's own, a discard due."""


LEVELS: dict[str, Player] = {"medium": MediumPlayer()}
"""The levels that exist, by name."""

DEFAULT_LEVEL = "medium"
STAND_IN_LEVEL = "medium"
"""The level that plays for a human who is away or has left."""
