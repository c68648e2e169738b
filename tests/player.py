"""A player of seat 0 over a Flask test client, and the requests that tests need most."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.http.problems.catalogue import MEDIA_TYPE, PROBLEMS


@dataclass
class Player:
    """Plays seat 0 of one game over HTTP."""

    client: FlaskClient
    created: TestResponse
    game: dict[str, Any] = field(init=False)
    token: str = field(init=False)

    def __post_init__(self) -> None:
        assert self.created.status_code == 201, self.created.get_data(as_text=True)
        self.game = self.created.get_json()["game"]
        self.token = self.created.get_json()["token"]

    @property
    def path(self) -> str:
        return f"/v1/games/{self.game['id']}"

    @property
    def auth(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def get(self, path: str = "", **headers: str) -> TestResponse:
        return self.client.get(self.path + path, headers={**self.auth, **named(headers)})

    def post(self, path: str, body: object, **headers: str) -> TestResponse:
        answer = self.client.post(
            self.path + path, json=body, headers={**self.auth, **named(headers)}
        )
        if answer.status_code == 200:
            self.game = answer.get_json()["game"]
        return answer

    def draw(self, source: str = "stock", **headers: str) -> TestResponse:
        return self.post("/draw", {"source": source}, **headers)

    def discard(self, card: str | None = None, **headers: str) -> TestResponse:
        best = self.game["you"]["arrangement"]["discard"]
        return self.post("/discard", {"card": card or best}, **headers)

    def turn(self) -> dict[str, Any]:
        assert self.draw().status_code == 200
        answer = self.discard()
        assert answer.status_code == 200
        body: dict[str, Any] = answer.get_json()
        return body

    def play_to_the_end(self) -> None:
        while self.game["status"] == "playing":
            self.turn()


def named(headers: dict[str, str]) -> dict[str, str]:
    """Header names from Python ones: `if_match` is `If-Match`."""
    return {name.replace("_", "-").title(): value for name, value in headers.items()}


def create(client: FlaskClient, body: object = None, **headers: str) -> Player:
    """The player of a new game; `QUICK` is a small game that is the same each time."""
    return Player(client, client.post("/v1/games", json=body or {}, headers=named(headers)))


def refused(
    answer: TestResponse, status: int, code: str, remedy: str | None = None
) -> dict[str, Any]:
    """The problem in an answer, after a check of its status, code and all other fields.

    Its detail ends with the advice of the catalogue, or with `remedy`.
    """
    assert answer.status_code == status, answer.get_data(as_text=True)
    assert answer.content_type == MEDIA_TYPE
    problem: dict[str, Any] = json.loads(answer.get_data())
    kind = PROBLEMS[code]
    assert problem["code"] == code
    assert (problem["type"], problem["title"], problem["status"]) == (kind.type, kind.title, status)
    assert problem["detail"].endswith(kind.remedy if remedy is None else remedy)
    assert answer.headers["X-Request-Id"]
    return problem


QUICK = {"seats": [{"kind": "human"}, {"kind": "ai"}], "seed": "11" * 32}
"""The options of a game with two seats that is the same each time."""
