"""How many may watch: 4 for each seat, and so many spectators of a game; in one worker.

The web server has a limit of its own for all of them together.
"""

from __future__ import annotations

import threading
from collections import Counter

SEAT_PLACES = 4
SPECTATOR_PLACES = 1_000


class Places:
    """The places that watchers have taken; safe to share between threads."""

    def __init__(self) -> None:
        self._taken: Counter[tuple[str, int | None]] = Counter()
        self._lock = threading.Lock()

    def take(self, game_id: str, seat: int | None) -> bool:
        """Take a place of a seat, or of a game's spectators (None), if there is one."""
        most = SPECTATOR_PLACES if seat is None else SEAT_PLACES
        with self._lock:
            if self._taken[game_id, seat] >= most:
                return False
            self._taken[game_id, seat] += 1
        return True

    def free(self, game_id: str, seat: int | None) -> None:
        """Give a place back."""
        with self._lock:
            self._taken[game_id, seat] -= 1
            if not self._taken[game_id, seat]:
                del self._taken[game_id, seat]
