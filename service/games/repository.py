"""Where games are loaded from and committed to: the only module here that uses the store."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence

from engine.events import GameAbandoned, GameFinished, RoundScored
from engine.game import Game, Step
from engine.snapshot import DEFAULT_FORMAT
from service.errors import CorruptGameError, GameNotFoundError
from service.games import tokens
from service.games.idempotency import RECORD_TTL_SECONDS
from service.games.loaded import CallerT_co, LoadedGame, NextVersion
from service.games.observer import GameObserver
from service.games.stored.event_log import LoggedEvent, pack, unpack
from service.games.stored.meta import Lifetimes, Meta
from service.games.stored.snapshots import SNAPSHOTS
from service.store.capacity import Capacity
from service.store.game_store import GameStore
from service.store.keys import game_key
from service.store.models import (
    Commit,
    Committed,
    Deleted,
    MoveKey,
    Nonce,
    Outcome,
    Record,
    RecordKey,
    StoredGame,
)

_GAME_ID = re.compile(tokens.ID_PATTERN)
_NONCE_BYTES = 12


def next_version(
    before: LoadedGame[CallerT_co],
    step: Step,
    meta: Meta,
    now: int,
    lifetimes: Lifetimes,
    write_format: int = DEFAULT_FORMAT,
) -> NextVersion[CallerT_co]:
    """The version that a step makes of a loaded game at `now` (ms since 1970).

    The one place that stamps times and lifetimes, and that writes a game, in one of the formats.
    """
    stamped = meta.stamped(step.game, now, lifetimes)
    state = SNAPSHOTS.dump(step.game, write_format)
    stored = StoredGame(before.version + 1, state, stamped.dump())
    events = tuple(LoggedEvent(event, now) for event in step.events)
    return NextVersion(before, step, stored, stamped, events)


class GameRepository:
    """The games of one store; safe to share between threads."""

    def __init__(
        self,
        store: GameStore,
        lifetimes: Lifetimes,
        observer: GameObserver | None = None,
        capacity: Capacity | None = None,
        write_format: int = DEFAULT_FORMAT,
    ) -> None:
        self._store = store
        self._lifetimes = lifetimes
        self._observer = observer
        self._capacity = capacity
        self._write_format = write_format

    def load(
        self, game_id: str, key: RecordKey | MoveKey | None = None
    ) -> tuple[StoredGame | None, Record]:
        """A stored game, and what is stored under an idempotency key; None where there is none.

        A text that cannot be an id names no game. Raises StorageError, CorruptGameError.
        """
        if _GAME_ID.fullmatch(game_id) is None:
            return None, None
        return self._store.read(game_id, key)

    def has_record(self, game_id: str, key: RecordKey) -> bool:
        """Whether there is a record; raises StorageError."""
        return self._store.has_record(game_id, key)

    def next_version(
        self, before: LoadedGame[CallerT_co], step: Step, meta: Meta, now: int
    ) -> NextVersion[CallerT_co]:
        """The version that a step makes of a loaded game at `now` (ms since 1970)."""
        return next_version(before, step, meta, now, self._lifetimes, self._write_format)

    def require_room(self, following: NextVersion[CallerT_co]) -> None:
        """Return if there is room for the game that a version makes or reserves, if it does.

        Raises CapacityReachedError.
        """
        before, reserved = following.before, following.meta.rematch
        if self._capacity is None:
            return
        if before.version == 0:
            self._capacity.require_room(game_key(before.game_id))
        elif reserved is not None and before.meta.rematch is None:
            self._capacity.require_room(game_key(reserved.game_id))

    def commit(
        self,
        following: NextVersion[CallerT_co],
        key: RecordKey | MoveKey | None = None,
        record: bytes = b"",
        record_ttl: int = RECORD_TTL_SECONDS,
    ) -> Outcome:
        """Write a version, and under a client's key the record of its request, or say why not.

        `record_ttl`: the record's lifetime in seconds. Raises StorageUnavailableError if nothing
        was written, OutcomeUnknownError, CorruptGameError.
        """
        outcome = self._store.commit(
            Commit(
                game_id=following.before.game_id,
                expected=following.before.version,
                stored=following.stored,
                events=list(map(pack, following.events)),
                logged=following.step.game.seq - len(following.events),
                key=key or Nonce(secrets.token_bytes(_NONCE_BYTES)),
                record=record,
                record_ttl=record_ttl,
                game_ttl=self._lifetimes.of(played=following.meta.played),
            )
        )
        if self._observer is not None and isinstance(outcome, Committed):
            self._observer.committed(
                is_created=following.before.version == 0, is_finished=_has_ended(following.step)
            )
        return outcome

    def note_caller(self, loaded: LoadedGame[CallerT_co]) -> None:
        """Tell the observer which game and seat a caller was found to be in."""
        if self._observer is not None:
            self._observer.identified(loaded.game_id, loaded.caller.seat)

    def count_move(self) -> None:
        """Tell the observer that a draw or a discard of a caller was committed."""
        if self._observer is not None:
            self._observer.moved()

    def events(self, game_id: str, game: Game, after: int, limit: int) -> list[LoggedEvent]:
        """At most `limit` logged events of a game with a seq above `after`, in order.

        Raises GameNotFoundError if the game is gone by now, CorruptGameError if events are
        missing or damaged, StorageError.
        """
        seqs = range(after + 1, 1 + min(after + limit, game.seq))
        return self._events(self._store.events(game_id, after, len(seqs)), seqs, game_id, game)

    def scored_rounds(self, game_id: str, game: Game) -> list[LoggedEvent]:
        """The round_scored events of a game, in order; raises like `events`."""
        entries = self._store.events_at(game_id, game.scored)
        rounds = self._events(entries, game.scored, game_id, game)
        if not all(isinstance(each.event.body, RoundScored) for each in rounds):
            raise CorruptGameError("the log has another event where a round was scored", game_id)
        return rounds

    def review(self, game_id: str, seat: int) -> bytes | None:
        """What was kept as the review of a seat; raises StorageError."""
        return self._store.review(game_id, seat)

    def keep_review(self, loaded: LoadedGame[CallerT_co], seat: int, review: bytes) -> None:
        """Keep the review of a seat with the loaded game, unless that has changed since.

        Raises StorageError.
        """
        self._store.keep_review(loaded.game_id, loaded.version, seat, review)

    def delete(self, loaded: LoadedGame[CallerT_co]) -> bool:
        """Delete a game and its log, unless it has changed since it was loaded; whether it was.

        Raises StorageError.
        """
        return isinstance(self._store.delete(loaded.game_id, loaded.version), Deleted)

    def _events(
        self, entries: Sequence[bytes], seqs: Sequence[int], game_id: str, game: Game
    ) -> list[LoggedEvent]:
        """The events with these seqs, if all are there; otherwise the game is gone by now."""
        if len(entries) < len(seqs):
            if self.load(game_id)[0] is None:
                raise GameNotFoundError("no game has this id, or it has expired")
            raise CorruptGameError("the log lacks events", game_id)
        aces = game.rules.aces
        return [unpack(entry, seq, aces) for entry, seq in zip(entries, seqs, strict=True)]


def _has_ended(step: Step) -> bool:
    """Whether a game ends in a step: its end is its last event."""
    return bool(step.events) and isinstance(step.events[-1].body, GameFinished | GameAbandoned)
