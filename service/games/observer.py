"""Who is told what happens to games: it may count, and must not wait or fail."""

from __future__ import annotations

from typing import Protocol


class GameObserver(Protocol):
    """Is told in the thread in which it happens."""

    def identified(self, game_id: str, seat: int | None) -> None:
        """A caller was found to be in a game: in a seat, or a spectator."""

    def moved(self) -> None:
        """A draw or a discard of a caller was committed."""

    def committed(self, *, is_created: bool, is_finished: bool) -> None:
        """A version of a game was committed: its first one, or the one in which it ends."""

    def watched(self, kind: str, change: int) -> None:
        """So many more streams or waiting calls are open, or fewer where it is negative."""
