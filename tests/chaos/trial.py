"""A trial: it tries to break one promise of the service and reports every violation.

Each module below this folder that tries promises lists its trials in `TRIALS`; their sizes are
the full ones. `python -m tests.chaos` runs all of them and prints one table; the tests beside the
modules run the same functions with smaller sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """What a trial did, as one line of counts, and a text for each violation that it saw."""

    summary: str
    violations: Sequence[str] = ()


@dataclass(frozen=True)
class Trial:
    """A promise as one sentence, the method in a few words, and the function that tries it."""

    promise: str
    method: str
    run: Callable[[], Outcome]
