"""Requests as values, without the game's id and the caller's token."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from engine.cards import CARDS
from engine.game import Game
from engine.round import Drawing
from tests.chaos.access import positions

JSON = "application/json"
Headers = tuple[tuple[str, str], ...]
GAME = "/v1/games/{game_id}"


@dataclass(frozen=True)
class Call:
    """One request; `{game_id}` in its path is replaced when it is sent."""

    path: str = GAME
    method: str = "GET"
    body: bytes | None = None
    headers: Headers = ()

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.body!r:.60}"

    def but(self, **headers: str) -> Call:
        """The call with more headers; `If_Match` stands for `If-Match`."""
        return replace(self, headers=(*self.headers, *_named(headers)))

    def open(
        self, client: FlaskClient, game_id: str, authorization: str | None = None
    ) -> TestResponse:
        """Send the call, with an Authorization header or none."""
        auth = () if authorization is None else (("Authorization", authorization),)
        return client.open(
            self.path.replace("{game_id}", game_id),
            method=self.method,
            data=self.body,
            headers=[*self.headers, *auth],
        )


def get(path: str = "", **headers: str) -> Call:
    """A GET on a game."""
    return Call(GAME + path, headers=_named(headers))


def post(path: str, body: object, **headers: str) -> Call:
    """A POST on a game; a body that is bytes is sent as it is, any other as JSON."""
    return post_to(GAME + path, body, **headers)


def post_to(path: str, body: object, **headers: str) -> Call:
    """A POST on a path, with a JSON body."""
    written = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Call(path, "POST", written, (("Content-Type", JSON), *_named(headers)))


def _named(headers: dict[str, str]) -> Headers:
    return tuple((name.replace("_", "-"), value) for name, value in headers.items())


DELETE = Call(method="DELETE")
DRAW = post("/draw", {"source": "stock"})
LEAVE = post("/leave", b"")


def every_operation() -> Iterator[Call]:
    """Every operation on a game, each with a valid request."""
    yield from (get(path) for path in ("", "/scores", "/hint", "/events", "/replay"))
    yield from (DRAW, post("/discard", {"card": "8H"}), LEAVE, DELETE)


def short_reads(after: int) -> Iterator[Call]:
    """The reads whose answers change with the game, from the event after `after` on."""
    yield get()
    yield get(f"/events?after={after}&limit=1000")
    yield get("/scores")
    yield get("/hint")


def all_reads_and_refusals(
    version: int, viewer: str, last: int, cards: Iterable[str]
) -> Iterator[Call]:
    """Every read, and requests that are refused in every state of a game.

    `viewer` is the seat as entity tags name it; the `cards` are for discards that are invalid.
    """
    tag = f'"{version}.{viewer}.1"'
    yield from short_reads(0)
    yield from (get(If_None_Match=tags) for tags in (tag, "*", '"1.0.0"'))
    yield Call(method="HEAD")
    yield get("/replay")
    yield from (get(f"/events?after={after}&limit=3") for after in (max(0, last - 2), last + 5))
    yield from (get(f"/events?{query}") for query in ("limit=0", "after=x", "before=1"))
    yield get(Accept="text/html")
    yield get(Host="evil.example")
    yield get("/stock")
    yield Call(method="PUT")
    yield from _refused_moves(cards)
    yield post("/seats", {"invite": "of no seat"})
    yield post("/seats", {"name": "Bo"})
    yield LEAVE.but(Idempotency_Key="two words")


def _refused_moves(cards: Iterable[str]) -> Iterator[Call]:
    yield post("/draw", {"source": "pile"})
    yield post("/draw", b'{"source":')
    yield post("/draw", b" " * 20_000)
    yield Call(f"{GAME}/draw", "POST", b'{"source": "stock"}', (("Content-Type", "text/plain"),))
    yield DRAW.but(If_Match='"0.0.2"')
    yield DRAW.but(Idempotency_Key="two words")
    yield from (post("/discard", {"card": card}, If_Match='"0.0.2"') for card in ("8H", "1J"))
    yield from (post("/discard", {"card": card, "go_out": "yes"}) for card in cards)


def refused(game: Game, viewer: int | None) -> Iterator[Call]:
    """Calls that are valid, but that this viewer may not make in the state of the game."""
    others = set(game.humans) - {0}
    if viewer is None:
        yield from (call for call in every_operation() if call.method != "GET")
    elif game.round is None or game.layout.seat != viewer:
        yield from (DRAW, post("/discard", {"card": "8H"}))
    elif isinstance(game.round, Drawing):
        hidden = (*game.layout.pile, *game.layout.stock)[-1]
        yield post("/discard", {"card": str(hidden)})
    else:
        yield DRAW
        for card in sorted(set(CARDS) - set(game.layout.hand)):
            yield post("/discard", {"card": str(card)})
    if others and (viewer or game.round is not None):
        yield DELETE
    yield from (post("/seats", {"invite": positions.invite(seat)}) for seat in sorted(others))
