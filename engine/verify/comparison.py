"""JSON values, compared and quoted."""

from __future__ import annotations

import json
from collections.abc import Mapping

_QUOTED = 80
"""Characters of a value that a message quotes."""


def first_difference(what: str, expected: object, found: object) -> str | None:
    """The first difference of two JSON values in words; None where they are the same."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return _first_of_members(what, expected, found)
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        return _first_of_members(what, dict(enumerate(expected)), dict(enumerate(found)))
    if type(expected) is type(found) and expected == found:  # in Python, 1 and true are equal
        return None
    return f"{what} should be {quoted(expected)}, but is {quoted(found)}"


def _first_of_members(
    what: str, expected: Mapping[object, object], found: Mapping[object, object]
) -> str | None:
    for name in {**expected, **found}:
        if name not in found:
            return f"{what} lacks {name}"
        if name not in expected:
            return f"{what} has {quoted(name)}, which does not belong there"
        difference = first_difference(f"{what}, {name}", expected[name], found[name])
        if difference is not None:
            return difference
    return None


def quoted(value: object) -> str:
    """A value as JSON, cut where it is long."""
    text = json.dumps(value, separators=(",", ":"))
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}..."
