"""Stored games of each format to load, and the means to damage one.

`format_2.json` has snapshots that the first release wrote, by what they are of; `format_3.json` and
`format_4.json` have the same games in the formats that this release writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.cards import parse_cards
from engine.errors import CardCodeError

_FOLDER = Path(__file__).parent
STORED: dict[str, str] = json.loads((_FOLDER / "format_2.json").read_text())
STORED_3: dict[str, str] = json.loads((_FOLDER / "format_3.json").read_text())
STORED_4: dict[str, str] = json.loads((_FOLDER / "format_4.json").read_text())
WRITTEN = {3: STORED_3, 4: STORED_4}
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


def plain(name: str, stored: Mapping[str, str] = STORED) -> Any:
    """A stored game as JSON says it."""
    return json.loads(stored[name])


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


def forms(value: Any) -> Iterator[Any]:
    """A value of format 2, and what it is in each later format that can say it."""
    yield value
    later = as_format_3(value)
    yield later
    seats = later.get("seats") if isinstance(later, dict) else None
    if later is not value and isinstance(seats, list) and all(map(_is_sayable, seats)):
        yield {**later, "format": 4, "seats": list(map(_short, seats))}


def _is_sayable(seat: Any) -> bool:
    """Whether a seat has five members, of which its kind decides those that format 4 has not."""
    match seat:
        case ["human", _, None, _, _] | ["ai", _, _, True, False]:
            return True
        case _:
            return False


def _short(seat: list[Any]) -> list[Any]:
    kind, name, level, *flags = seat
    return [kind, name, *flags] if kind == "human" else [kind, name, level]


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
