"""How many may watch: 4 for each seat, and so many spectators of a game in one worker.

The web server has a limit of its own for all of them together. The workers of one web server share
the places of the seats: for each place that is taken a byte of a file is locked, at a position that
follows from game, seat and number. The system frees the locks of a worker that dies. (POSIX.1-2017,
fcntl: such a lock belongs to a process.)
"""

from __future__ import annotations

import fcntl
import hashlib
import threading
from collections import Counter

SEAT_PLACES = 4
SPECTATOR_PLACES = 1_000


class Places:
    """The places that watchers have taken; safe to share between threads."""

    def __init__(self) -> None:
        self._spectators: Counter[str] = Counter()
        self._seats: dict[tuple[str, int], set[int]] = {}
        self._file: int | None = None
        self._lock = threading.Lock()

    def share(self, file: int) -> None:
        """Share the seats' places with all processes that have this file open."""
        self._file = file

    def take(self, game_id: str, seat: int | None) -> bool:
        """Take a place of a seat, or of a game's spectators (None), if there is one."""
        with self._lock:
            if seat is not None:
                return self._take_seat(game_id, seat)
            if self._spectators[game_id] >= SPECTATOR_PLACES:
                return False
            self._spectators[game_id] += 1
            return True

    def free(self, game_id: str, seat: int | None) -> None:
        """Give a place back."""
        with self._lock:
            if seat is not None:
                self._free_seat(game_id, seat)
                return
            self._spectators[game_id] -= 1
            if not self._spectators[game_id]:
                del self._spectators[game_id]

    def _take_seat(self, game_id: str, seat: int) -> bool:
        taken = self._seats.setdefault((game_id, seat), set())
        for number in range(SEAT_PLACES):
            if number not in taken and self._locks(game_id, seat, number):
                taken.add(number)
                return True
        if not taken:
            del self._seats[game_id, seat]
        return False

    def _free_seat(self, game_id: str, seat: int) -> None:
        taken = self._seats[game_id, seat]
        number = taken.pop()
        if not taken:
            del self._seats[game_id, seat]
        if self._file is not None:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _position(game_id, seat, number))

    def _locks(self, game_id: str, seat: int, number: int) -> bool:
        """Whether no other process has the place, which this one then has."""
        if self._file is None:
            return True
        position = _position(game_id, seat, number)
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, position)
        except (BlockingIOError, PermissionError):  # EAGAIN or EACCES, as the system likes
            return False
        except OSError:  # the system has no room for locks: then each process counts for itself
            return True
        return True


def _position(game_id: str, seat: int, number: int) -> int:
    place = f"{game_id}/{seat}/{number}".encode()
    return int.from_bytes(hashlib.blake2b(place, digest_size=7).digest())
