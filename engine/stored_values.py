"""Values of a stored game as JSON has them, each checked for its type and its range.

What is not as it should be raises SnapshotError, in words that quote none of it.
"""

from __future__ import annotations

from typing import Any

from engine.errors import SnapshotError

Plain = dict[str, Any]
_MANY = 10**9
"""No count in a game reaches this; what it can really be follows from the rest of the game."""


def unique_members(pairs: list[tuple[str, Any]]) -> Plain:
    """The object of these members, none of which may be there twice."""
    plain = dict(pairs)
    if len(plain) != len(pairs):
        raise SnapshotError("a member of the stored game is there twice")
    return plain


def members(value: object, names: set[str]) -> Plain:
    """An object with exactly these members."""
    if not isinstance(value, dict) or value.keys() != names:
        raise SnapshotError("the stored game lacks a member, or has one too many")
    return value


def items(value: object, count: int | None = None) -> list[Any]:
    """A list, of so many items where that is given."""
    if not isinstance(value, list) or count not in (None, len(value)):
        raise SnapshotError("a list of the stored game is none, or is too long or too short")
    return value


def whole(value: object, *, least: int = 0, most: int = _MANY) -> int:
    """A whole number of a range, both ends included."""
    # Neither a truth value nor 1.0, which are equal to whole numbers.
    if type(value) is not int or not least <= value <= most:
        raise SnapshotError("a number of the stored game is none, or is out of its range")
    return value


def whole_or_none(value: object, most: int = _MANY) -> int | None:
    """A whole number from 0, or null."""
    return None if value is None else whole(value, most=most)


def wholes(value: object, count: int | None = None) -> tuple[int, ...]:
    """A list of whole numbers from 0, so many where that is given."""
    return tuple(map(whole, items(value, count)))


def flag(value: object) -> bool:
    """A truth value."""
    if not isinstance(value, bool):
        raise SnapshotError("a flag of the stored game is neither true nor false")
    return value


def text(value: object) -> str:
    """A text."""
    if not isinstance(value, str):
        raise SnapshotError("a text of the stored game is none")
    return value
