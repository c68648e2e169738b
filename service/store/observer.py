"""Who is told of the calls to the storage: it may count, and must not wait or fail."""

from __future__ import annotations

from typing import Protocol


class StoreObserver(Protocol):
    """Is told in the thread that calls."""

    def called(self, kind: str, seconds: float) -> None:
        """A call of a kind (`read`, `write`, `probe`, `count`) has ended, well or not."""

    def retried(self, condition: str) -> None:
        """An attempt has failed by a condition (`failures.py`) and is repeated."""

    def failed(self, condition: str) -> None:
        """A call has failed by a condition."""
