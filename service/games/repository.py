"""Games as they are kept: found for a caller, brought up to date, changed by one commit.

Each call is judged in one order: is there such a game, is the caller one of its seats, has this
very request been answered before, and then what the use case says. A change is computed in
memory and written by one commit; when another was quicker, the whole judgement starts again on
the newer game.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from engine import table
from engine.errors import SnapshotError
from engine.events import record
from engine.game import Game, Step
from engine.snapshot import dump, load
from service import strict_json
from service.config import Config
from service.errors import (
    ConflictError,
    CorruptGameError,
    GameNotFoundError,
    InvalidTokenError,
    TokenRequiredError,
)
from service.games import bodies, tokens
from service.games.bodies import Answer
from service.games.records import RECORD_TTL_SECONDS, Meta, read_record, record_key, write_record
from service.games.tokens import Idempotency
from service.store.game_store import Store
from service.store.models import Commit, Done, Kept, RecordKey, Stale, Stored

ATTEMPTS = 8
"""How often a change is judged anew when others are quicker."""
_LOG = logging.getLogger("service.players")
_GAME_ID = re.compile(tokens.ID_PATTERN)


@dataclass(frozen=True, slots=True)
class Found:
    """A game as it was read; `seat` is the caller's, None for a spectator."""

    game_id: str
    stored: Stored
    meta: Meta
    seat: int | None

    @property
    def version(self) -> int:
        """The version that was read; 0 for a game that is only being made."""
        return self.stored.version

    def game(self) -> Game:
        """The game itself; raises CorruptGameError."""
        try:
            return load(self.stored.state)
        except SnapshotError as error:
            raise CorruptGameError(f"game {self.game_id}: {error}") from error


@dataclass(frozen=True, slots=True)
class Change:
    """What a use case makes of a game: the step, the meta beside it, the answer.

    With a `salt` the answer shows a token that its record leaves out.
    """

    step: Step
    meta: Meta
    answer: Answer
    salt: bytes | None = None


Identify = Callable[[str, Stored], Found]
"""Finds out who the caller is in a stored game, or raises."""


def clock() -> int:
    """The time in ms since 1970."""
    return time.time_ns() // 1_000_000


class Ledger:
    """Reads and changes the games of one store; `now` gives ms since 1970."""

    def __init__(self, store: Store, config: Config, now: Callable[[], int] = clock) -> None:
        self.store = store
        self.now = now
        self._lifetime = config.game_ttl_seconds
        self._unplayed = min(config.unplayed_ttl_seconds, config.game_ttl_seconds)

    def lifetime(self, *, played: bool) -> int:
        """Seconds that a game is kept after its last change."""
        return self._lifetime if played else self._unplayed

    def find(self, game_id: str, token: str | None, *, needs_token: bool = False) -> Found:
        """A game for whoever holds a token, brought up to date for them."""
        identify = seat_holder(token, needs_token=needs_token)
        for _ in range(ATTEMPTS):
            stored, _ = self._read(game_id)
            found = self._attended(_identified(game_id, stored, identify))
            if found is not None:
                return found
        raise ConflictError("other calls were quicker again and again")

    def change(
        self,
        game_id: str,
        owner: str,
        idempotency: Idempotency,
        identify: Identify,
        judge: Callable[[Found], Change],
        *,
        attends: bool = True,
    ) -> Answer:
        """The answer to a change that `judge` makes of the game, or the one it had before.

        `owner` is whom the idempotency key belongs to within the game. `attends`: whether the
        caller has shown to hold the seat, so that the game is brought up to date first.
        """
        name = record_key(owner, idempotency)
        for _ in range(ATTEMPTS):
            stored, kept = self._read(game_id, None if idempotency.key is None else name)
            found = _identified(game_id, stored, identify)
            if kept is not None:
                return read_record(kept, idempotency)
            current = self._attended(found) if attends else found
            if current is not None:
                answer = self.commit(current, judge(current), name, idempotency)
                if answer is not None:
                    return answer
        raise ConflictError("other calls were quicker again and again")

    def commit(
        self, found: Found, change: Change, name: RecordKey, idempotency: Idempotency
    ) -> Answer | None:
        """The answer of a change once it is written; None if the game has changed meanwhile."""
        written = write_record(change.answer, idempotency, change.salt)
        stored = _stored_after(found, change.step, change.meta)
        match self._write(found, change.step, change.meta, stored, name, written):
            case Done():
                return change.answer
            case Kept(record=kept):
                return change.answer if idempotency.key is None else read_record(kept, idempotency)
            case Stale():
                return None

    def kept(self, game_id: str, name: RecordKey) -> bytes | None:
        """The record under a name, whatever became of the game."""
        return self._read(game_id, name)[1]

    def _read(
        self, game_id: str, name: RecordKey | None = None
    ) -> tuple[Stored | None, bytes | None]:
        """What the store has under an id; nothing for a text that no id can be."""
        return self.store.read(game_id, name) if _GAME_ID.fullmatch(game_id) else (None, None)

    def _attended(self, found: Found) -> Found | None:
        """The game brought up to date for its caller, by a commit of its own where that is due.

        None if the game has changed meanwhile. Spectators bring nothing about.
        """
        now = self.now()
        if found.seat is None or not found.meta.is_due(found.seat, now):
            return found
        step = table.attend(found.game(), found.seat, now)
        if step is None:
            return found
        meta = found.meta.after(step.game, now, self.lifetime(played=found.meta.played))
        nothing = Idempotency(None, "")
        stored = _stored_after(found, step, meta)
        outcome = self._write(found, step, meta, stored, record_key("", nothing), b"{}")
        return (
            None if isinstance(outcome, Stale) else Found(found.game_id, stored, meta, found.seat)
        )

    def _write(
        self,
        found: Found,
        step: Step,
        meta: Meta,
        stored: Stored,
        name: RecordKey,
        written: bytes,
    ) -> Done | Kept | Stale:
        at = bodies.timestamp(meta.updated_at)
        outcome = self.store.commit(
            Commit(
                game_id=found.game_id,
                expected=found.version,
                stored=stored,
                events=[strict_json.write(record(event, at)) for event in step.events],
                logged=step.game.seq - len(step.events),
                record_key=name,
                record=written,
                record_ttl=RECORD_TTL_SECONDS,
                game_ttl=self.lifetime(played=meta.played),
            )
        )
        if not isinstance(outcome, Stale):  # else these turns are played anew
            for fault in step.faults:
                _LOG.error("an AI player failed in game %s, %s", found.game_id, fault)
        return outcome


def _stored_after(found: Found, step: Step, meta: Meta) -> Stored:
    """The game as it is kept once a step is written."""
    return Stored(found.version + 1, dump(step.game), meta.write())


def seat_holder(token: str | None, *, needs_token: bool) -> Identify:
    """Identifies a caller by a seat's token; without one it is a spectator."""

    def identify(game_id: str, stored: Stored) -> Found:
        meta = Meta.read(stored)
        if token is None:
            if needs_token:
                raise TokenRequiredError("this call needs the token of a seat")
            return Found(game_id, stored, meta, None)
        seat = tokens.seat_of(token, meta.tokens)
        if seat is None:
            raise InvalidTokenError("the token is of no seat of this game")
        return Found(game_id, stored, meta, seat)

    return identify


def _identified(game_id: str, stored: Stored | None, identify: Identify) -> Found:
    if stored is None:
        raise GameNotFoundError("no game has this id, or it has expired")
    return identify(game_id, stored)
