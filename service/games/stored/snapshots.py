"""Snapshots of games, of which the newest few are remembered with their games.

A snapshot is checked from end to end when it is loaded, which is a large part of a move's cost.
The worker that answers a seat's next request has often written the snapshot itself, or loaded it
just before. A game is a frozen value and follows from its snapshot alone, so it can be given again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from engine import snapshot
from engine.game import Game

_REMEMBERED = 512
"""Games: some 5 MB."""


class Snapshots:
    """Writes and loads snapshots; safe to share between threads."""

    def __init__(self, remembered: int = _REMEMBERED) -> None:
        """Remember so many games."""
        self._most = remembered
        self._games: OrderedDict[bytes, Game] = OrderedDict()
        self._lock = threading.Lock()

    def dump(self, game: Game, write_format: int) -> bytes:
        """The snapshot of a game in a format."""
        written = snapshot.dump(game, write_format)
        self._remember(written, game)
        return written

    def load(self, stored: bytes) -> Game:
        """The game of a snapshot; raises SnapshotError."""
        with self._lock:
            game = self._games.get(stored)
            if game is not None:
                self._games.move_to_end(stored)
                return game
        game = snapshot.load(stored)
        self._remember(stored, game)
        return game

    def _remember(self, stored: bytes, game: Game) -> None:
        with self._lock:
            self._games[stored] = game
            self._games.move_to_end(stored)
            if len(self._games) > self._most:
                self._games.popitem(last=False)


SNAPSHOTS = Snapshots()
"""Those of this process."""
