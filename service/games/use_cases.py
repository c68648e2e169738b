"""The use cases of a game: create it, look at it, move in it, end it.

`ledger.py` finds games and judges who calls; what is asked of a game is decided here.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import orjson

from engine import table
from engine.cards import Card
from engine.errors import GameNotFinishedError
from engine.events import Event, Record, record
from engine.game import Game, Status, Step, require_turn, words
from engine.players.hints import hint
from engine.round import Source
from engine.rules import TURN_SOLVES, Rules
from engine.seats import Seat, SeatKind
from engine.shuffle import SECRET_BYTES, commitment
from engine.view import opened, view, visible
from service import strict_json
from service.errors import (
    CorruptGameError,
    HintsDisabledError,
    KeyReusedError,
    NotPermittedError,
    StaleVersionError,
)
from service.games import bodies, tokens
from service.games.bodies import Answer
from service.games.new_seats import CREATOR
from service.games.records import Meta, read_record, record_key
from service.games.repository import Change, Found, Ledger, seat_holder
from service.games.tokens import Idempotency
from service.store.models import Stored


@dataclass(frozen=True, slots=True)
class NewGame:
    """What a game is created with.

    `seed` is the secret itself, None for a random one. `turn_seconds` bounds the turns of
    humans, None for no bound. `turn_solves` is the budget of an AI player's choice.
    """

    rules: Rules
    seats: tuple[Seat, ...]
    seed: bytes | None = None
    turn_seconds: int | None = None
    turn_solves: int = TURN_SOLVES


@dataclass(frozen=True, slots=True)
class Move:
    """Who asks for a move, in which game, and on what conditions."""

    game_id: str
    token: str | None
    idempotency: Idempotency
    if_match: str | None = None


class Games:
    """The use cases over one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def create(self, new: NewGame, idempotency: Idempotency) -> Answer:
        """A new game: its first round dealt, unless it waits for humans to join."""
        game_id = tokens.game_id(idempotency.key)
        name = record_key("create", idempotency)
        if idempotency.key is not None:
            kept = self._ledger.kept(game_id, name)
            if kept is not None:
                return read_record(kept, idempotency)
        found, change = self._created(game_id, new, idempotency.key)
        answer = self._ledger.commit(found, change, name, idempotency)
        if answer is None:
            raise KeyReusedError("the key has made a game before")
        return answer

    def show(self, game_id: str, token: str | None, if_none_match: str | None) -> Answer:
        """The game as the caller sees it, or 304 where the caller has that view already."""
        found = self._ledger.find(game_id, token)
        tag = bodies.etag(found.version, found.seat)
        if _matches(if_none_match, tag, weak=True):
            return Answer(304, etag=tag)
        seen = view(found.game(), found.seat)
        stamp = found.meta.stamp(game_id, found.version)
        return Answer(200, strict_json.write(bodies.game_body(seen, stamp)), tag)

    def draw(self, move: Move, source: Source) -> Answer:
        """The game after the caller's draw."""
        return self._move(move, lambda game, seat, now: table.draw(game, seat, source, now))

    def discard(self, move: Move, card: Card, go_out: bool) -> Answer:
        """The game after the caller's discard and all turns up to the next human one."""
        return self._move(
            move, lambda game, seat, now: table.discard(game, seat, card, go_out, now)
        )

    def scores(self, game_id: str, token: str | None) -> Answer:
        """The rounds that are over, and the totals."""
        game = self._ledger.find(game_id, token).game()
        texts = self._ledger.store.events_at(game_id, game.scored)
        scored = [opened(told) for told in self._whole(texts, len(game.scored), game_id)]
        body = bodies.scores_body(scored, game.totals, game.result)
        return Answer(200, strict_json.write(body))

    def hint(self, game_id: str, token: str | None) -> Answer:
        """What the strongest player would do in the caller's place."""
        found = self._ledger.find(game_id, token, needs_token=True)
        game, seat = found.game(), found.seat
        assert seat is not None, "a hint is for a seat"
        if not game.rules.hints:
            raise HintsDisabledError("this game was created without hints")
        require_turn(game, seat)
        advice = hint(view(game, seat), words(game), game.turn_solves)
        return Answer(200, strict_json.write(bodies.hint_body(advice)))

    def events(self, game_id: str, token: str | None, after: int, limit: int) -> Answer:
        """Up to `limit` events after the given seq, as the caller may read them."""
        found = self._ledger.find(game_id, token)
        last = found.game().seq
        wanted = max(0, min(limit, last - after))
        texts = self._ledger.store.events(game_id, after, wanted)
        told = [visible(each, found.seat) for each in self._whole(texts, wanted, game_id)]
        more = after + len(told) < last
        return Answer(200, strict_json.write({"events": told, "last_seq": last, "more": more}))

    def replay(self, game_id: str, token: str | None) -> Answer:
        """Everything about a finished game; raises GameNotFinishedError before."""
        game = self._ledger.find(game_id, token).game()
        if game.status is not Status.FINISHED:
            raise GameNotFinishedError("the game is still played")
        texts = self._ledger.store.events(game_id, 0, game.seq)
        events = self._whole(texts, game.seq, game_id)
        body = {
            "secret": game.secret.hex(),
            "commitment": commitment(game.secret),
            "rules": bodies.rules_body(game.rules),
            "seats": bodies.replay_seats(game.seats),
            "first_dealer": game.first_dealer,
            "actions": bodies.actions_body(events),
            "events": list(map(opened, events)),
        }
        return Answer(200, strict_json.write(body))

    def delete(self, game_id: str, token: str | None) -> Answer:
        """End a game and forget it; only its creator may, and not while others play it."""
        found = self._ledger.find(game_id, token, needs_token=True)
        if found.seat != CREATOR:
            raise NotPermittedError("only the creator may delete a game")
        game = found.game()
        if game.status is Status.PLAYING and set(game.humans) - {CREATOR}:
            raise NotPermittedError("other humans are playing this game")
        self._ledger.store.delete(game_id)
        return Answer(204)

    def check(self, game_id: str, token: str | None, *, needs_token: bool) -> None:
        """Return if there is such a game and the token is one of its seats', else raise."""
        self._ledger.find(game_id, token, needs_token=needs_token)

    def _whole(self, texts: Sequence[bytes], wanted: int, game_id: str) -> list[Record]:
        """Events read from the log, if all are there; else the game was deleted meanwhile."""
        if len(texts) < wanted:
            self._ledger.find(game_id, None)
            raise CorruptGameError(f"game {game_id} lacks events")
        return [orjson.loads(text) for text in texts]

    def _created(self, game_id: str, new: NewGame, key: str | None) -> tuple[Found, Change]:
        salt = secrets.token_bytes(tokens.SALT_BYTES)
        token = tokens.seat_token(key, salt, CREATOR)
        codes = {seat: tokens.invite_code(key, salt, seat) for seat in _to_join(new.seats)}
        secret = secrets.token_bytes(SECRET_BYTES) if new.seed is None else new.seed
        now = self._ledger.now()
        step = table.open_game(
            secret,
            new.rules,
            new.seats,
            seeded=new.seed is not None,
            turn_seconds=new.turn_seconds,
            turn_solves=new.turn_solves,
            now=now,
        )
        meta = _new_meta(new.seats, codes, now).with_token(CREATOR, token)
        meta = meta.after(step.game, now, self._ledger.lifetime(played=False))
        found = Found(game_id, Stored(0, b"", b""), meta, CREATOR)
        return found, Change(step, meta, created(found, meta, step, token, codes), salt)

    def _move(self, move: Move, play: Callable[[Game, int, int], Step]) -> Answer:
        """The answer to a move that `play` makes of game, seat and time."""

        def judge(found: Found) -> Change:
            seat = found.seat
            assert seat is not None, "a move needs a token"
            if not _matches(move.if_match, bodies.etag(found.version, seat), absent=True):
                raise StaleVersionError(found.version)
            now = self._ledger.now()
            step = play(found.game(), seat, now)
            lifetime = self._ledger.lifetime(played=True)
            meta = replace(found.meta, played=True).after(step.game, now, lifetime)
            return Change(step, meta, _moved(found, meta, step))

        identify = seat_holder(move.token, needs_token=True)
        owner = tokens.token_hash(move.token or "")
        return self._ledger.change(move.game_id, owner, move.idempotency, identify, judge)


def _to_join(seats: tuple[Seat, ...]) -> list[int]:
    return [
        number
        for number, seat in enumerate(seats)
        if seat.kind is SeatKind.HUMAN and not seat.joined
    ]


def _new_meta(seats: tuple[Seat, ...], codes: dict[int, str], now: int) -> Meta:
    invites = tuple(
        tokens.token_hash(codes[number]) if number in codes else None
        for number in range(len(seats))
    )
    return Meta(now, now, now, (None,) * len(seats), invites)


def _matches(tags: str | None, tag: str, *, weak: bool = False, absent: bool = False) -> bool:
    """Whether a list of entity tags names this one; `absent` is the answer to no list."""
    if tags is None:
        return absent
    named = [part.strip() for part in tags.split(",")]
    return "*" in named or tag in named or (weak and f"W/{tag}" in named)


def created(
    found: Found, meta: Meta, step: Step, token: str, codes: dict[int, str] | None
) -> Answer:
    """The answer that gives a seat to its human; the creator's has the invites of the others."""
    assert found.seat is not None, "a human takes a seat"
    body: Record = {"seat": found.seat, "token": token}
    if codes is not None:
        body["invites"] = [{"seat": seat, "code": code} for seat, code in codes.items()]
    body["game"] = _game_body(found, meta, step.game)
    body["events"] = _events_body(step.events, meta, found.seat)
    tag = bodies.etag(found.version + 1, found.seat)
    location = f"/v1/games/{found.game_id}" if codes is not None else None
    return Answer(201, strict_json.write(body), tag, location)


def _moved(found: Found, meta: Meta, step: Step) -> Answer:
    body = {
        "game": _game_body(found, meta, step.game),
        "events": _events_body(step.events, meta, found.seat),
    }
    return Answer(200, strict_json.write(body), bodies.etag(found.version + 1, found.seat))


def _game_body(found: Found, meta: Meta, game: Game) -> Record:
    return bodies.game_body(view(game, found.seat), meta.stamp(found.game_id, found.version + 1))


def _events_body(events: tuple[Event, ...], meta: Meta, seat: int | None) -> list[Record]:
    at = bodies.timestamp(meta.updated_at)
    return [visible(record(event, at), seat) for event in events]
