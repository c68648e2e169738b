"""The expert player: one turn ahead over every card it cannot place.

It discards what leaves the fewest points to be expected after its next turn, and takes the upcard
if that leaves fewer than the stock does on average.
"""

from __future__ import annotations

from engine.cards import Card
from engine.players import foresight
from engine.players.endgame import POINTS
from engine.players.medium import greedy_discard
from engine.players.position import Position
from engine.round import Source
from engine.rules import TURN_SOLVES
from engine.shuffle import Stream
from engine.view import View


class ExpertPlayer:
    """Full one-turn expectation over the unseen cards.

    `worth` says for each number of points what it is worth: by default just that.
    """

    def __init__(self, worth: list[int] = POINTS) -> None:
        self._worth = worth

    def choose_draw(self, seen: View, chance: Stream, budget: int = TURN_SOLVES) -> Source:
        """The upcard if it is worth more than the stock, else the stock."""
        return foresight.draw_of(Position.of(seen), self._worth)

    def choose_discard(self, seen: View, chance: Stream, budget: int = TURN_SOLVES) -> Card:
        """The discard that promises the most; out at once where the hand goes out."""
        position = Position.of(seen)
        settled = foresight.settled(position, chance)
        if settled is not None:
            return settled
        return foresight.best_discard(position, self._worth, budget) or greedy_discard(position)
