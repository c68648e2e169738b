"""The levels of durability that a store may promise."""

from __future__ import annotations

from enum import StrEnum


class Durability(StrEnum):
    """What an answered change has survived; `docs/operations.md` says what each promises."""

    LOCAL = "local"
    REPLICATED = "replicated"
    ACKNOWLEDGED = "acknowledged"
