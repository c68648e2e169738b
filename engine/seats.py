"""The places at a table and who plays them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class SeatKind(Enum):
    """Who plays a seat."""

    HUMAN = "human"
    AI = "ai"


@dataclass(frozen=True, slots=True)
class Seat:
    """One place at the table.

    `level` names an AI player's strength and is None for a human. `joined`: whether its human
    has come. `away`: whether that human let its time run out and is not back yet.
    """

    kind: SeatKind
    name: str
    level: str | None = None
    joined: bool = True
    away: bool = False
