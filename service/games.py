"""The use cases: create a game, look at it, move in it, end it.

Each call is judged in one order: is there such a game, is the token one of its seats', has this
very request been answered before, is the version the one expected, and then what the engine
says. A move is computed in memory and written by one commit; when another move was quicker,
the whole judgement starts again on the newer game.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

import orjson

from engine import table
from engine.cards import Card
from engine.errors import GameNotFinishedError, SnapshotError
from engine.events import Event, Record, record
from engine.game import Game, Seat, Status, Step
from engine.round import Source
from engine.rules import Rules
from engine.shuffle import SECRET_BYTES, commitment
from engine.snapshot import dump, load
from engine.view import opened, view, visible
from service import answers, jsontext, tokens
from service.answers import Answer
from service.config import Config
from service.errors import (
    ConflictError,
    CorruptGameError,
    GameNotFoundError,
    InvalidTokenError,
    KeyReusedError,
    NotPermittedError,
    StaleVersionError,
    TokenRequiredError,
)
from service.records import RECORD_TTL_SECONDS, Meta, read_record, record_key, write_record
from service.store import Commit, Done, Kept, RecordKey, Stale, Store, Stored
from service.tokens import Idempotency

ATTEMPTS = 8
"""How often a move is judged anew when others are quicker."""
CREATOR = 0


@dataclass(frozen=True, slots=True)
class NewGame:
    """What a game is created with; `seed` is the secret itself, None for a random one."""

    rules: Rules
    seats: tuple[Seat, ...]
    seed: bytes | None


@dataclass(frozen=True, slots=True)
class Move:
    """Who asks for a move, in which game, and on what conditions."""

    game_id: str
    token: str | None
    idempotency: Idempotency
    if_match: str | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    """A game as it was read; `seat` is the caller's, None for a spectator."""

    game_id: str
    stored: Stored
    meta: Meta
    seat: int | None

    @property
    def version(self) -> int:
        return self.stored.version

    def game(self) -> Game:
        try:
            return load(self.stored.state)
        except SnapshotError as error:
            raise CorruptGameError(f"game {self.game_id}: {error}") from error


_GAME_ID = re.compile(tokens.ID_PATTERN)


def _clock() -> int:
    return time.time_ns() // 1_000_000


class Games:
    """All use cases over one store; `clock` gives ms since 1970."""

    def __init__(self, store: Store, config: Config, clock: Callable[[], int] = _clock) -> None:
        """Keep the store and the lifetimes of games."""
        self._store = store
        self._lifetime = config.game_ttl_seconds
        self._unplayed = min(config.unplayed_ttl_seconds, config.game_ttl_seconds)
        self._clock = clock

    def create(self, new: NewGame, idempotency: Idempotency) -> Answer:
        """A new game with its first round dealt and the AI turns before the first human one."""
        game_id = tokens.game_id(idempotency.key)
        name = record_key("create", idempotency)
        _, kept = self._read(game_id, name)
        if kept is not None and idempotency.key is not None:
            return read_record(kept, idempotency)
        salt = secrets.token_bytes(tokens.SALT_BYTES)
        token = tokens.seat_token(idempotency.key, salt, CREATOR)
        secret = secrets.token_bytes(SECRET_BYTES) if new.seed is None else new.seed
        step = table.open_game(secret, new.rules, new.seats, seeded=new.seed is not None)
        now = self._clock()
        found = _Found(game_id, Stored(0, b"", b""), self._new_meta(new.seats, token, now), CREATOR)
        answer = _created(found, step, token)
        written = write_record(answer, idempotency, salt)
        match self._commit(found, step, found.meta, name, written):
            case Done():
                return answer
            case Kept(record=kept):
                return answer if idempotency.key is None else read_record(kept, idempotency)
            case Stale():
                raise KeyReusedError("the key has made a game before")

    def show(self, game_id: str, token: str | None, if_none_match: str | None) -> Answer:
        """The game as the caller sees it, or 304 where the caller has that view already."""
        found = self._find(game_id, token)
        tag = answers.etag(found.version, found.seat)
        if _matches(if_none_match, tag, weak=True):
            return Answer(304, etag=tag)
        seen = view(found.game(), found.seat)
        stamp = found.meta.stamp(game_id, found.version)
        return Answer(200, jsontext.write(answers.game_body(seen, stamp)), tag)

    def draw(self, move: Move, source: Source) -> Answer:
        """The game after the caller's draw."""
        return self._move(move, lambda game, seat: table.draw(game, seat, source))

    def discard(self, move: Move, card: Card, go_out: bool) -> Answer:
        """The game after the caller's discard and all AI turns up to the next human one."""
        return self._move(move, lambda game, seat: table.discard(game, seat, card, go_out))

    def scores(self, game_id: str, token: str | None) -> Answer:
        """The rounds that are over, and the totals."""
        game = self._find(game_id, token).game()
        scored = [opened(_parsed(text)) for text in self._store.events_at(game_id, game.scored)]
        body = answers.scores_body(scored, game.totals, game.result)
        return Answer(200, jsontext.write(body))

    def events(self, game_id: str, token: str | None, after: int, limit: int) -> Answer:
        """Up to `limit` events after the given seq, as the caller may read them."""
        found = self._find(game_id, token)
        last = found.game().seq
        texts = self._store.events(game_id, after, max(0, min(limit, last - after)))
        told = [visible(_parsed(text), found.seat) for text in texts]
        more = after + len(told) < last
        return Answer(200, jsontext.write({"events": told, "last_seq": last, "more": more}))

    def replay(self, game_id: str, token: str | None) -> Answer:
        """Everything about a finished game; raises GameNotFinishedError before."""
        game = self._find(game_id, token).game()
        if game.status is not Status.FINISHED:
            raise GameNotFinishedError("the game is still played")
        events = [_parsed(text) for text in self._store.events(game_id, 0, game.seq)]
        body = {
            "secret": game.secret.hex(),
            "commitment": commitment(game.secret),
            "rules": answers.rules_body(game.rules),
            "seats": answers.replay_seats(game.seats),
            "first_dealer": game.first_dealer,
            "actions": answers.actions_body(events),
            "events": list(map(opened, events)),
        }
        return Answer(200, jsontext.write(body))

    def delete(self, game_id: str, token: str | None) -> Answer:
        """End a game and forget it; only its creator may."""
        if self._find(game_id, token, needs_token=True).seat != CREATOR:
            raise NotPermittedError("only the creator may delete a game")
        self._store.delete(game_id)
        return Answer(204)

    def check(self, game_id: str, token: str | None, *, needs_token: bool) -> None:
        """Return if there is such a game and the token is one of its seats', else raise."""
        self._find(game_id, token, needs_token=needs_token)

    def _find(self, game_id: str, token: str | None, *, needs_token: bool = False) -> _Found:
        stored, _ = self._read(game_id)
        return _found(game_id, stored, token, needs_token=needs_token)

    def _read(
        self, game_id: str, name: RecordKey | None = None
    ) -> tuple[Stored | None, bytes | None]:
        """What the store has under an id; nothing for a text that no id can be."""
        return self._store.read(game_id, name) if _GAME_ID.fullmatch(game_id) else (None, None)

    def _move(self, move: Move, play: Callable[[Game, int], Step]) -> Answer:
        owner = tokens.token_hash(move.token or "")
        name = record_key(owner, move.idempotency)
        for _ in range(ATTEMPTS):
            stored, kept = self._read(move.game_id, name)
            found = _found(move.game_id, stored, move.token, needs_token=True)
            if kept is not None and move.idempotency.key is not None:
                return read_record(kept, move.idempotency)
            answer = self._try_move(move, found, name, play)
            if answer is not None:
                return answer
        raise ConflictError("other moves were quicker again and again")

    def _try_move(
        self, move: Move, found: _Found, name: RecordKey, play: Callable[[Game, int], Step]
    ) -> Answer | None:
        """The answer to a move judged on the game as found; None if that is out of date."""
        seat = found.seat
        assert seat is not None, "a move needs a token"
        if not _matches(move.if_match, answers.etag(found.version, seat), absent=True):
            raise StaleVersionError(found.version)
        step = play(found.game(), seat)
        meta = found.meta.moved(self._clock(), self._lifetime)
        answer = _moved(found, meta, step)
        written = write_record(answer, move.idempotency)
        match self._commit(found, step, meta, name, written):
            case Done():
                return answer
            case Kept(record=kept):
                keyed = move.idempotency.key is not None
                return read_record(kept, move.idempotency) if keyed else answer
            case Stale():
                return None

    def _new_meta(self, seats: tuple[Seat, ...], token: str, now: int) -> Meta:
        hashes = tuple(
            tokens.token_hash(token) if number == CREATOR else None for number in range(len(seats))
        )
        return Meta(now, now, now + self._unplayed * 1000, hashes, played=False)

    def _commit(
        self, found: _Found, step: Step, meta: Meta, name: RecordKey, written: bytes
    ) -> Done | Kept | Stale:
        at = answers.timestamp(meta.updated_at)
        return self._store.commit(
            Commit(
                game_id=found.game_id,
                expected=found.version,
                stored=Stored(found.version + 1, dump(step.game), meta.write()),
                events=[jsontext.write(record(event, at)) for event in step.events],
                logged=step.game.seq - len(step.events),
                record_key=name,
                record=written,
                record_ttl=RECORD_TTL_SECONDS,
                game_ttl=self._lifetime if meta.played else self._unplayed,
            )
        )


def _found(game_id: str, stored: Stored | None, token: str | None, *, needs_token: bool) -> _Found:
    if stored is None:
        raise GameNotFoundError("no game has this id, or it has expired")
    meta = Meta.read(stored)
    if token is None:
        if needs_token:
            raise TokenRequiredError("this call needs the token of a seat")
        return _Found(game_id, stored, meta, None)
    seat = tokens.seat_of(token, meta.tokens)
    if seat is None:
        raise InvalidTokenError("the token is of no seat of this game")
    return _Found(game_id, stored, meta, seat)


def _parsed(text: bytes) -> Record:
    told: Record = orjson.loads(text)
    return told


def _matches(tags: str | None, tag: str, *, weak: bool = False, absent: bool = False) -> bool:
    """Whether a list of entity tags names this one; `absent` is the answer to no list."""
    if tags is None:
        return absent
    named = [part.strip() for part in tags.split(",")]
    return "*" in named or tag in named or (weak and f"W/{tag}" in named)


def _created(found: _Found, step: Step, token: str) -> Answer:
    body = {
        "seat": CREATOR,
        "token": token,
        "invites": [],
        "game": _game_body(found, found.meta, step.game),
        "events": _events_body(step.events, found.meta, CREATOR),
    }
    tag = answers.etag(found.version + 1, CREATOR)
    return Answer(201, jsontext.write(body), tag, location=f"/v1/games/{found.game_id}")


def _moved(found: _Found, meta: Meta, step: Step) -> Answer:
    body = {
        "game": _game_body(found, meta, step.game),
        "events": _events_body(step.events, meta, found.seat),
    }
    return Answer(200, jsontext.write(body), answers.etag(found.version + 1, found.seat))


def _game_body(found: _Found, meta: Meta, game: Game) -> Record:
    return answers.game_body(view(game, found.seat), meta.stamp(found.game_id, found.version + 1))


def _events_body(events: tuple[Event, ...], meta: Meta, seat: int | None) -> list[Record]:
    at = answers.timestamp(meta.updated_at)
    return [visible(record(event, at), seat) for event in events]
