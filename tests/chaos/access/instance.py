"""One instance of the service over its own store, whose answers can be compared or changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from flask import Response, request

from engine.game import Game
from engine.snapshot import load
from service.app import create_app
from service.config import Config
from service.games.stored.meta import Meta
from service.store.game_store import GameStore
from tests.chaos.access import calls
from tests.chaos.access.calls import Call
from tests.clock import Clock
from tests.sinks import Sink, Sinks

Leak = Callable[[Response, Game], None]
"""Changes an answer by what the game hides: the comparison has to detect it."""
Answer = tuple[int, tuple[tuple[str, str], ...], bytes]

_EXCERPT = 40
_CONNECTIONS = 8
"""Beside the one for the calls, those of the threads that see to watchers."""


class Instance:
    """One instance of the service with its own store; `leak` changes its answers."""

    def __init__(self, url: str, clock: Clock, leak: Leak | None) -> None:
        self.store = GameStore.from_url(url, connections=_CONNECTIONS)
        config = Config(redis_url=url, data_dir=Path("unused"), log_level="CRITICAL")
        app = create_app(config, self.store, clock)
        app.extensions["watchers"]._jitter = lambda: 1.0  # no comment while a game is compared
        if leak is not None:
            app.after_request(lambda response: self._with_leak(response, leak))
        self.client = app.test_client(use_cookies=False)

    def _with_leak(self, response: Response, leak: Leak) -> Response:
        game_id = (request.view_args or {}).get("game_id", "")
        if self.store.read(game_id)[0] is not None:
            leak(response, self.game(game_id))
        return response

    def game(self, game_id: str) -> Game:
        """The game as it is stored."""
        stored, _ = self.store.read(game_id)
        assert stored is not None, "the game has been put there"
        return load(stored.state)

    def is_overdue(self, game_id: str, now: int) -> bool:
        """Whether a turn's time is over at `now` (ms since 1970)."""
        stored, _ = self.store.read(game_id)
        assert stored is not None, "the game has been put there"
        deadline = Meta.parse(stored).deadline
        return deadline is not None and deadline <= now

    def answer(self, game_id: str, token: str | None, call: Call) -> Answer:
        """The status, headers and body of the answer to a call.

        Of a body that goes on: what it begins with, and what it would be completed by.
        """
        sinks = Sinks()
        status, headers, body = self._sent(game_id, token, call, sinks)
        for sink in sinks.opened:
            body += sink.received + sink.farewell
            sink.on_close()
        return status, headers, body

    def watch(self, game_id: str, token: str | None) -> Sink:
        """The body of a stream of a game, which goes on."""
        sinks = Sinks()
        self._sent(game_id, token, calls.stream(), sinks)
        return sinks.last

    def _sent(self, game_id: str, token: str | None, call: Call, sinks: Sinks) -> Answer:
        auth = None if token is None else f"Bearer {token}"
        with call.but(X_Request_Id="fixed").open(self.client, game_id, auth, sinks) as got:
            return got.status_code, tuple(got.headers), got.get_data()


def difference(first: Answer, second: Answer) -> str:
    """The texts around the first place where two answers differ."""
    one, other = (f"{status} {headers} {body!r}" for status, headers, body in (first, second))
    shared = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    near = slice(max(0, shared - _EXCERPT), shared + _EXCERPT)
    return f"{one[near]!r} against {other[near]!r}"
