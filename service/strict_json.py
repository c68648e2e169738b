"""How answers and stored values are written as JSON."""

from __future__ import annotations

import orjson


def write(value: object) -> bytes:
    """A plain value as compact JSON."""
    return orjson.dumps(value)
