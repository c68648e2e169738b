"""A clock whose time changes only when a test sets it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Clock:
    """Milliseconds since 1970; a test sets `now`."""

    now: int = 1_800_000_000_000

    def __call__(self) -> int:
        return self.now
