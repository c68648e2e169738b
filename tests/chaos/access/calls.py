"""Requests as values, without the game's id and the caller's token."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.runtime.worker.streams import OPEN_STREAM
from tests.sinks import Sinks

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
        self,
        client: FlaskClient,
        game_id: str,
        authorization: str | None = None,
        sinks: Sinks | None = None,
    ) -> TestResponse:
        """Send the call, with an Authorization header or none.

        With `sinks` the body of the answer may go on there.
        """
        auth = () if authorization is None else (("Authorization", authorization),)
        return client.open(
            self.path.replace("{game_id}", game_id),
            method=self.method,
            data=self.body,
            headers=[*self.headers, *auth],
            environ_overrides={} if sinks is None else {OPEN_STREAM: sinks},
        )


def get(path: str = "", **headers: str) -> Call:
    """A GET on a game."""
    return Call(GAME + path, headers=_named(headers))


def stream(query: str = "", **headers: str) -> Call:
    """A stream of a game's events."""
    return get(f"/events{query}", Accept="text/event-stream", **headers)


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
REMATCH = post("/rematch", b"")
