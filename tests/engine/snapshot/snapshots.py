"""Stored games of format 2 to load, and the means to damage one.

`format_2.json` has snapshots that the first release wrote, by what they are of.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

STORED: dict[str, str] = json.loads(Path(__file__).with_name("format_2.json").read_text())
DRAW = "a draw is due"
DRAWN = "a card from the stock was drawn"
TAKEN = "the first card of the pile was taken"
FINAL = "a final turn"
BOUNDED = "a turn with a deadline"
AWAY = "a seat is away"
REFILLED = "the stock was refilled"
WAITING = "two humans of four have joined"
ABANDONED_WAITING = "all humans left before the deal"
ABANDONED = "all humans left in a round"
FINISHED = "a finished game"
STALLED = "the last round stalled"


def plain(name: str) -> Any:
    """A stored game as JSON says it."""
    return json.loads(STORED[name])


def written(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def changed(name: str, changes: Mapping[str, object]) -> bytes:
    """A stored game with other values at some places, such as `seats/0/1`."""
    value = plain(name)
    for path, new in changes.items():
        *steps, last = (int(step) if step.isdigit() else step for step in path.split("/"))
        place = value
        for step in steps:
            place = place[step]
        place[last] = new
    return written(value)
