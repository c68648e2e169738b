"""The levels of durability that a store may promise."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Durability(StrEnum):
    """What an answered change has survived; `docs/operations.md` says what each promises."""

    LOCAL = "local"
    REPLICATED = "replicated"
    ACKNOWLEDGED = "acknowledged"


@dataclass(frozen=True, slots=True)
class DurabilityLevel:
    """A promised durability, and how many replicas every master has."""

    durability: Durability = Durability.LOCAL
    replicas: int = 1

    @property
    def is_guarded(self) -> bool:
        """Whether a server must refuse changes when replicas are missing."""
        return self.durability is not Durability.LOCAL

    @property
    def is_confirmed(self) -> bool:
        """Whether every replica must confirm each change."""
        return self.durability is Durability.ACKNOWLEDGED
