"""One change of a game, from the request to its answer; and the loading of a game to read it.

    load the game -> apply overdue turns -> decide -> commit -> answer

A change is decided in memory and committed whole or not at all. Where another change was committed
in between, everything starts again on the newer game.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.errors import MoveError
from engine.game import Status
from service.errors import (
    ConflictError,
    KeyExpiredError,
    NotPermittedError,
    OutcomeUnknownError,
    RefusedMoveError,
    StorageUnavailableError,
)
from service.games import rematches
from service.games.answers.responses import GameResponse, Moved, Reply, respond
from service.games.change import Change, ChangerT, Decision
from service.games.idempotency import Idempotency
from service.games.loaded import (
    CallerT_co,
    LoadedGame,
    NextVersion,
    SeatHolder,
    Viewer,
    as_seat_holder,
    as_viewer,
)
from service.games.new_seats import CREATOR
from service.games.overdue_turns import log_faults, with_overdue_turns
from service.games.repository import GameRepository
from service.games.stored.meta import Meta
from service.games.stored.records import dump_record, recorded_response
from service.store.models import (
    AlreadyCommitted,
    Committed,
    KeyExpired,
    MoveKey,
    Record,
    RecordKey,
    Stale,
    StoredGame,
)

ATTEMPTS = 8
"""How often a change is decided while other changes are committed first."""

Identify = Callable[[str, StoredGame | None, str | None], LoadedGame[CallerT_co]]


class Transactions:
    """Changes and loads the games of one repository; `clock` gives ms since 1970."""

    def __init__(self, repository: GameRepository, clock: Callable[[], int]) -> None:
        self._repository = repository
        self._clock = clock

    def run(self, change: Change[ChangerT]) -> GameResponse:
        """Make a change and return its answer, or the first answer to the same request.

        Raises what the request is refused for, ConflictError, StorageError, CorruptGameError.
        """
        version = 0
        for _ in range(ATTEMPTS):
            now = self._clock()
            key = change.key(now)
            stored, record = self._load(change, key)
            replay = self._replayed(change, stored, record)
            if replay is not None:
                return replay
            loaded = change.identify(stored)
            self._repository.note_caller(loaded)
            version = loaded.version
            if change.shows_rematch:
                self.complete_rematch(loaded)
            current = self._with_overdue_turns(loaded, now)
            if current is None:
                continue
            decision = _decided(change, current, now)
            following = self._repository.next_version(current, decision.step, decision.meta, now)
            self._repository.require_room(following)
            response = self._commit(following, decision.reply, key, change.idempotency)
            if response is not None:
                return response
        raise ConflictError(version)

    def read(self, game_id: str, token: str | None) -> LoadedGame[Viewer]:
        """A game for a seat's holder or, without a token, for a spectator.

        Overdue turns are applied for a seat's holder. Raises what the caller is refused for,
        ConflictError, StorageError, CorruptGameError.
        """
        return self._read(as_viewer, game_id, token)

    def read_as_seat_holder(self, game_id: str, token: str | None) -> LoadedGame[SeatHolder]:
        """A game for the holder of a seat; otherwise like `read`."""
        return self._read(as_seat_holder, game_id, token)

    def read_for_watchers(
        self, game_id: str, settles: Callable[[Meta], bool]
    ) -> LoadedGame[Viewer]:
        """A game for all who watch it. Raises like `read`.

        `settles` says of the game's meta whether overdue turns are applied.
        """
        for _ in range(ATTEMPTS):
            loaded = as_viewer(game_id, self._repository.load(game_id)[0], None)
            if not settles(loaded.meta):
                return loaded
            current = with_overdue_turns(loaded, None, self._repository, self._clock())
            if current is not None:
                return current
        raise ConflictError(loaded.version)

    def delete(self, game_id: str, token: str | None) -> GameResponse:
        """Delete a game; only its creator may, and not while other humans play it.

        Raises like `read_as_seat_holder`, and NotPermittedError.
        """
        version = 0
        for _ in range(ATTEMPTS):
            loaded = self.read_as_seat_holder(game_id, token)
            _require_deletable(loaded)
            if self._repository.delete(loaded):
                return GameResponse(204)
            version = loaded.version
        raise ConflictError(version)

    def complete_rematch(self, old: LoadedGame[CallerT_co]) -> None:
        """Make the game that a finished one has reserved, if whoever reserved it did not.

        Raises StorageError, CorruptGameError.
        """
        made = rematches.complete(old, self._repository, self._clock())
        if made is not None:
            log_faults(made)

    def _load(
        self, change: Change[ChangerT], key: RecordKey | MoveKey | None
    ) -> tuple[StoredGame | None, Record]:
        if change.has_random_id:
            return None, None
        stored, record = self._repository.load(change.game_id, key)
        is_new = isinstance(key, MoveKey) and record is None
        if is_new and stored is not None and Meta.parse(stored).old_records:
            record = self._repository.load(change.game_id, change.old_key)[1]
        return stored, record

    def _replayed(
        self, change: Change[ChangerT], stored: StoredGame | None, record: Record
    ) -> GameResponse | None:
        """The first answer to the same request, if there is one and the caller has access to it.

        Whoever gave up the seat by this very request has a void token: the record is proof enough.
        Raises KeyExpiredError if the answer is stored no longer.
        """
        if record is None:
            return None
        if stored is None or not change.voids_token:
            loaded = change.identify(stored)
            self._repository.note_caller(loaded)
            if change.shows_rematch:
                self.complete_rematch(loaded)
            stored = loaded.stored
        if isinstance(record, KeyExpired):
            raise KeyExpiredError(stored.version)
        return recorded_response(record, change.idempotency)

    def _read(
        self, identify: Identify[CallerT_co], game_id: str, token: str | None
    ) -> LoadedGame[CallerT_co]:
        version = 0
        for _ in range(ATTEMPTS):
            loaded = identify(game_id, self._repository.load(game_id)[0], token)
            self._repository.note_caller(loaded)
            version = loaded.version
            current = self._with_overdue_turns(loaded, self._clock())
            if current is not None:
                return current
        raise ConflictError(version)

    def _with_overdue_turns(
        self, loaded: LoadedGame[CallerT_co], now: int
    ) -> LoadedGame[CallerT_co] | None:
        """The game with its overdue turns applied, which only the holder of a seat causes."""
        caller = loaded.caller
        if not isinstance(caller, SeatHolder):
            return loaded
        return with_overdue_turns(loaded, caller.seat, self._repository, now)

    def _commit(
        self,
        following: NextVersion[ChangerT],
        reply: Reply,
        key: RecordKey | MoveKey | None,
        idempotency: Idempotency,
    ) -> GameResponse | None:
        """Commit a version and return the answer to its request.

        None if the game has changed meanwhile. Where the request turns out to have been committed
        before, the answer is the first one; None if that is stored no longer.
        """
        rematch = rematches.first_version(following.loaded, self._repository.next_version)
        response = respond(reply, rematch or following)
        record = dump_record(response, idempotency, reply.salt)
        outcome = self._repository.commit(following, key, record)
        match outcome:
            case Stale() | KeyExpired():
                return None  # AI turns are played again: faults are logged only after a commit
            case AlreadyCommitted(record=first) if key is not None:
                log_faults(following)
                # What an equal request has reserved may differ, and has to be read.
                return None if rematch is not None else recorded_response(first, idempotency)
            case Committed() | AlreadyCommitted():
                log_faults(following)
                if isinstance(reply, Moved):
                    self._repository.count_move()
                if rematch is not None:
                    self._make_reserved(rematch)
                return response

    def _make_reserved(self, rematch: NextVersion[SeatHolder]) -> None:
        """Make a rematch just after it was reserved, which no failure undoes."""
        try:
            rematches.make(rematch, self._repository)
        except StorageUnavailableError as error:
            raise OutcomeUnknownError(str(error), error.retry_after) from error
        log_faults(rematch)


def _decided(change: Change[ChangerT], current: LoadedGame[ChangerT], now: int) -> Decision:
    try:
        return change.decide(current, now)
    except MoveError as error:
        raise RefusedMoveError(error, current.version) from error


def _require_deletable(loaded: LoadedGame[SeatHolder]) -> None:
    if loaded.caller.seat != CREATOR:
        raise NotPermittedError("only the creator may delete a game")
    game = loaded.game()
    if game.status is Status.PLAYING and set(game.humans) - {CREATOR}:
        raise NotPermittedError("other humans are playing this game")
