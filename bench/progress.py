"""A progress bar on stderr: drawn in place on a terminal, a line for each tenth elsewhere."""

from __future__ import annotations

import sys
from time import monotonic

_WIDTH = 30
_PAUSE = 0.2


class Progress:
    """How many of a number of steps are done; silent on request."""

    def __init__(self, title: str, steps: int, silent: bool = False) -> None:
        self._title = title
        self._steps = steps
        self._silent = silent
        self._done = 0
        self._start = self._drawn = monotonic()

    def step(self, steps: int = 1) -> None:
        """Count one step more, or several."""
        self._done += steps
        if self._silent:
            return
        if not sys.stderr.isatty():
            if self._tenth(self._done) > self._tenth(self._done - steps):
                print(self._line(), file=sys.stderr, flush=True)
        elif self._done == self._steps or monotonic() - self._drawn > _PAUSE:
            self._drawn = monotonic()
            end = "\n" if self._done == self._steps else ""
            print(f"\r{self._line()}\033[K", end=end, file=sys.stderr, flush=True)

    def _tenth(self, done: int) -> int:
        return 10 * done // self._steps

    def _line(self) -> str:
        filled = _WIDTH * self._done // self._steps
        bar = "#" * filled + "." * (_WIDTH - filled)
        spent = monotonic() - self._start
        left = spent / self._done * (self._steps - self._done)
        return f"{self._title} [{bar}] {self._done}/{self._steps}, {spent:.0f} s, {left:.0f} s left"
