"""A game as it is now, for all who watch it: what each may see of it is written once."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from engine.game import Game, Status
from engine.view import redacted, view
from service.games.answers import bodies
from service.games.loaded import CallerT_co, LoadedGame
from service.games.repository import GameRepository
from service.games.stored.event_log import LoggedEvent

_ONE_READ = 1_000
"""The most events that are read of the store in one go."""


class CurrentGame:
    """A loaded game with the events that its watchers do not have yet, read once for all of them.

    Raises CorruptGameError, and GameNotFoundError and StorageError where it reads events.
    """

    def __init__(self, loaded: LoadedGame[CallerT_co], repository: GameRepository) -> None:
        self.game_id = loaded.game_id
        self.version = loaded.version
        self.meta = loaded.meta
        self.game: Game = loaded.game()
        self._repository = repository
        self._events: list[LoggedEvent] = []
        self._written: dict[tuple[int, int | None], bytes] = {}

    @property
    def seq(self) -> int:
        """The seq of the last event."""
        return self.game.seq

    @property
    def is_over(self) -> bool:
        """Whether no event can follow."""
        return self.game.status is Status.FINISHED

    def view(self, seat: int | None) -> bytes:
        """The body of getGame for a seat, or a spectator (None)."""
        seen = view(self.game, seat)
        return orjson.dumps(bodies.game_body(seen, self.game_id, self.version, self.meta))

    def written_events(self, after: int, seat: int | None) -> list[tuple[LoggedEvent, bytes]]:
        """Each event with a seq above `after`, and as a seat or a spectator (None) reads it."""
        return [(each, self._as_read_by(seat, each)) for each in self._events_after(after)]

    def _as_read_by(self, seat: int | None, logged: LoggedEvent) -> bytes:
        place = (logged.event.seq, seat)
        text = self._written.get(place)
        if text is None:
            body = redacted(logged.event, bodies.timestamp(logged.at), seat)
            text = self._written[place] = orjson.dumps(body)
        return text

    def _events_after(self, after: int) -> Sequence[LoggedEvent]:
        first = self.seq - len(self._events)
        if after < first:
            earlier: list[LoggedEvent] = []
            while after < first:
                part = self._repository.events(
                    self.game_id, self.game, after, min(_ONE_READ, first - after)
                )
                earlier += part
                after += len(part)
            self._events = earlier + self._events
            return self._events
        return self._events[after - first :]
