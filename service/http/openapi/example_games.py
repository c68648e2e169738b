"""Games that are played for the examples, as the service plays them.

A change is decided, and its answer written, by the code that does so for a caller; only nothing is
stored. What would be random is fixed, so that every copy of the description is the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import orjson

from engine.fields import JsonObject
from engine.game import Game, Status
from engine.round import Source
from engine.view import advise, view
from service.config import Config
from service.games import rematches, tokens
from service.games.answers import bodies
from service.games.answers.responses import respond
from service.games.change import Change
from service.games.changes import Create, Discard, Draw, Join, Rematch
from service.games.idempotency import Idempotency
from service.games.loaded import NextVersion
from service.games.new_games import options_of
from service.games.repository import next_version
from service.games.stored.event_log import LoggedEvent
from service.games.stored.meta import Lifetimes, Meta
from service.http.schemas.options import GameRequest

BEGAN = 1_767_261_600_000
"""When each game is created, in ms since 1970."""
BETWEEN = 6_789
"""How long each caller takes, in ms."""
_next_version = partial(
    next_version,
    lifetimes=Lifetimes(Config().game_ttl_seconds, Config().unplayed_ttl_seconds),
)


def key_of(name: str) -> str:
    """The idempotency key of the requests that make the game, and give its seats."""
    return f"an-example-and-no-secret-{name}"


def id_of(name: str) -> str:
    """The id of the game with a name."""
    return tokens.game_id(key_of(name))


def rematch_id_of(name: str, following: str) -> str:
    """The id of the game with the name `following`, which is a rematch."""
    return tokens.rematch_id(id_of(name), key_of(following))


def secret_of(name: str) -> bytes:
    """The secret of the game with a name; also the salt of its tokens."""
    return hashlib.sha256(f"example {name}".encode()).digest()


@dataclass(frozen=True, slots=True)
class ExampleGame:
    """A game after some change: what the caller was answered, and all that happened so far.

    `tokens` are those of the humans, by seat.
    """

    name: str
    made: NextVersion[Any]
    answer: JsonObject
    log: tuple[LoggedEvent, ...]
    tokens: Mapping[int, str]

    @classmethod
    def created(cls, name: str, request: Mapping[str, object]) -> Self:
        """The new game that a request for createGame makes."""
        options = options_of(GameRequest().load(request))
        change = Create(options, Idempotency(key_of(name), b""), secret_of(name), secret_of(name))
        return cls._after(name, change, None, BEGAN)

    @property
    def state(self) -> Game:
        """The state of play."""
        return self.made.step.game

    @property
    def mover(self) -> int:
        """The seat to move."""
        return self.state.layout.seat

    @property
    def meta(self) -> Meta:
        """What is known of the game beside the state of play."""
        return self.made.meta

    @property
    def game_id(self) -> str:
        """The game's id."""
        return self.made.before.game_id

    def seen(self, seat: int | None) -> JsonObject:
        """The game as a seat or a spectator sees it."""
        game_id, version = self.game_id, self.made.stored.version
        return bodies.game_body(view(self.state, seat), game_id, version, self.meta)

    def drawn(self, source: Source) -> Self:
        """The game after the seat to move has drawn."""
        return self._followed_by(
            Draw(game_id=self.game_id, token=self._token, idempotency=_NO_KEY, source=source)
        )

    def discarded(self) -> Self:
        """The game after the seat to move has discarded what is best."""
        card = advise(view(self.state, self.mover)).discard
        assert card is not None, "a discard is due"
        return self._followed_by(
            Discard(game_id=self.game_id, token=self._token, idempotency=_NO_KEY, card=card)
        )

    def turns(self) -> Iterator[Self]:
        """The game after each draw from the stock and each discard, to its end."""
        game = self
        while game.state.status is Status.PLAYING:
            game = game.drawn(Source.STOCK)
            yield game
            game = game.discarded()
            yield game

    def joined(self, invite: str, name: str | None, *, is_token: bool = False) -> Self:
        """The game after a human has joined."""
        return self._followed_by(
            Join(
                game_id=self.game_id,
                invite=invite,
                name=name,
                idempotency=Idempotency(key_of(self.name), b""),
                is_token=is_token,
                salt=secret_of(self.name),
            )
        )

    def rematch(self, seat: int, name: str) -> Self:
        """The game that follows this finished one, as the holder of a seat asks for it."""
        asked = Rematch(
            game_id=self.game_id,
            token=self.tokens[seat],
            idempotency=Idempotency(key_of(name), b""),
            secret=secret_of(name),
            salt=secret_of(name),
        )
        reserved = self._followed_by(asked)
        made = rematches.first_version(reserved.made.loaded, _next_version)
        assert made is not None, "the game was reserved"
        tokens = {seat: reserved.tokens[seat]}
        return replace(reserved, name=name, made=made, log=made.events, tokens=tokens)

    def invite(self, seat: int) -> str:
        """The invite to a seat of this game, which the last change has created."""
        return tokens.invite_code(key_of(self.name), secret_of(self.name), seat)

    @property
    def _token(self) -> str:
        return self.tokens[self.mover]

    def _followed_by(self, change: Change[Any]) -> Self:
        return self._after(self.name, change, self, self.meta.updated_at + BETWEEN)

    @classmethod
    def _after(cls, name: str, change: Change[Any], before: Self | None, now: int) -> Self:
        current = change.identify(None if before is None else before.made.stored)
        decision = change.decide(current, now)
        made = _next_version(current, decision.step, decision.meta, now)
        rematch = rematches.first_version(made.loaded, _next_version)
        answer = orjson.loads(respond(decision.reply, rematch or made).body)
        log = () if before is None else before.log
        tokens = {} if before is None else before.tokens
        seated = {answer["seat"]: answer["token"]} if "token" in answer else {}
        return cls(name, made, answer, (*log, *made.events), {**tokens, **seated})


_NO_KEY = Idempotency(None, b"")
