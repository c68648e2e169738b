"""The options of a new game, from what its creator asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.options import GameOptions
from engine.rules import TURN_SOLVES, AceMode, Rounds, Rules
from service.games.new_seats import seats_of


def options_of(asked: Mapping[str, Any], turn_solves: int = TURN_SOLVES) -> GameOptions:
    """The options that a request's values name; raises InvalidRequestError."""
    seeded = asked["seed"] is not None
    rounds = Rounds(**asked["rounds"])
    return GameOptions(
        seats_of(asked["seats"], seeded=seeded),
        Rules(asked["jokers"], AceMode(asked["aces"]), asked["hints"], rounds),
        turn_seconds=asked["turn_seconds"],
        turn_solves=turn_solves,
        seeded=seeded,
    )
