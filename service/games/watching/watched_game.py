"""A game that is watched in this worker, and what is to be done about it."""

from __future__ import annotations

from service.games.watching.watcher import Sink, Watcher


class WatchedGame:
    """The watchers of one game, each with its sink; changed only under the lock of `Watchers`.

    `deadline`: when the time of the turn runs out (ms since 1970), None if never. `has_news`:
    whether it is to be read again; `is_read`: whether a thread does that, or is about to.
    `retry_at`: when a read that failed is tried again (monotonic, in s).
    """

    def __init__(self, game_id: str) -> None:
        self.game_id = game_id
        self.watchers: dict[Watcher, Sink] = {}
        self.deadline: int | None = None
        self.has_news = False
        self.is_read = False
        self.retry_at: float | None = None

    @property
    def has_seats(self) -> bool:
        """Whether the holder of a seat watches: overdue turns are then applied."""
        return any(watcher.seat is not None for watcher in self.watchers)

    def is_due(self, monotonic: float, wall: int) -> bool:
        """Whether it is to be read by the time alone; `wall` is in ms since 1970."""
        if self.retry_at is not None:
            return monotonic >= self.retry_at
        return self.deadline is not None and wall >= self.deadline and self.has_seats
