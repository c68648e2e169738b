"""What a proof of a promise is, and what it found.

Each module of this folder has functions that try to break one promise as often as they are told,
with whole numbers as their defaults, and lists them in `PROOFS`. `python -m tests.chaos` runs them
all and prints one table; the tests beside it run each with small numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """What was done, in numbers and words, and each breach of the promise that was seen."""

    done: str
    breaches: Sequence[str] = ()


@dataclass(frozen=True)
class Proof:
    """A promise, how it is tried, and the trial with whole numbers."""

    promise: str
    test: str
    run: Callable[[], Outcome]
