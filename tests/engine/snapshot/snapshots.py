"""Stored games of each format to load, and the means to damage one.

`format_2.json` has snapshots that the first release wrote, by what they are of; `format_3.json` has
the same games as this release writes them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.cards import parse_cards
from engine.errors import CardCodeError

_FOLDER = Path(__file__).parent
STORED: dict[str, str] = json.loads((_FOLDER / "format_2.json").read_text())
STORED_3: dict[str, str] = json.loads((_FOLDER / "format_3.json").read_text())
_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz*"
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


def changed(name: str, changes: Mapping[str, object]) -> Any:
    """A stored game with other values at some places, such as `seats/0/1`."""
    value = plain(name)
    for path, new in changes.items():
        *steps, last = (int(step) if step.isdigit() else step for step in path.split("/"))
        place = value
        for step in steps:
            place = place[step]
        place[last] = new
    return value


def as_format_3(value: Any) -> Any:
    """A value of format 2 as format 3 has it; what is damaged in it stays so."""
    if not isinstance(value, dict) or repr(value.get("format")) != "2":
        return value
    state = value.get("round")
    if not isinstance(state, dict):
        return {**value, "format": 3}
    piles = {"hands", "stock", "pile", "shown", "drawn"} & state.keys()
    return {
        **value,
        "format": 3,
        "round": {**state, **{name: _in_characters(state[name]) for name in piles}},
    }


def _in_characters(cards: Any) -> Any:
    if isinstance(cards, list):
        return list(map(_in_characters, cards))
    if not isinstance(cards, str):
        return cards
    try:
        return "".join(_CHARACTERS[card] for card in parse_cards(cards))
    except CardCodeError:
        return cards
