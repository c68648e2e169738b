"""Games of two humans and an AI player, and a caller that plays them on a kept connection."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import requests

_ANSWER_SECONDS = 30.0
_SEATS = [{"kind": "human"}, {"kind": "human"}, {"kind": "ai", "level": "medium"}]
_NEW = {"seats": _SEATS, "rounds": {"last": 2}, "jokers": 2}
_HINTS = 0.1


class UnexpectedAnswerError(Exception):
    """A call was answered otherwise than it must be."""


@dataclass
class Table:
    """One game: its path, and the tokens of its humans by their seats."""

    path: str
    tokens: dict[int, str] = field(default_factory=dict)


class Caller:
    """Calls the service on a kept connection, and counts the answers by their statuses."""

    def __init__(self, url: str, counts: Counter[str], rng: random.Random) -> None:
        self.url = url
        self._counts = counts
        self._rng = rng
        self._session = requests.Session()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()

    def get(self, path: str, token: str | None = None, **headers: str) -> requests.Response:
        """The answer to a read, which must be 200, 204, 304, or 429 where there is a limit."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.send("GET", path, {**bearer(token), **named}, None, (200, 204, 304, 429))

    def post(self, path: str, token: str | None, body: object) -> Any:
        """What a change has made; it is sent with a new key."""
        headers = {**bearer(token), "Idempotency-Key": f"{self._rng.getrandbits(128):032x}"}
        return self.send("POST", path, headers, body, (200, 201)).json()

    def send(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: object,
        expected: Sequence[int],
    ) -> requests.Response:
        """The answer, which must have one of these statuses."""
        content = {"data": body} if isinstance(body, bytes) else {"json": body}
        answer = self._session.request(
            method, self.url + path, headers=headers, timeout=_ANSWER_SECONDS, **content
        )
        self._counts[str(answer.status_code)] += 1
        if answer.status_code not in expected:
            raise UnexpectedAnswerError(f"{method} {path}: {answer.status_code} {answer.text:.300}")
        return answer


def bearer(token: str | None) -> dict[str, str]:
    """The header with a token, if there is one."""
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def open_table(caller: Caller) -> Table:
    """A new game, which both humans have joined."""
    created = caller.post("/v1/games", None, _NEW)
    table = Table(f"/v1/games/{created['game']['id']}", {0: created["token"]})
    (invite,) = created["invites"]
    joined = caller.post(f"{table.path}/seats", None, {"invite": invite["code"]})
    table.tokens[joined["seat"]] = joined["token"]
    return table


def rematch(caller: Caller, old: Table) -> Table:
    """The game after a finished one."""
    made = caller.post(f"{old.path}/rematch", old.tokens[0], {})
    table = Table(f"/v1/games/{made['game']['id']}", {0: made["token"]})
    joined = caller.post(f"{table.path}/seats", None, {"token": old.tokens[1]})
    table.tokens[joined["seat"]] = joined["token"]
    return table


def moves(caller: Caller, table: Table, rng: random.Random) -> Iterator[None]:
    """Make every move of both humans, with a pause after each."""
    view = caller.get(table.path, table.tokens[0]).json()
    while view["status"] == "playing":
        seat = view["turn"]["seat"]
        token = table.tokens[seat]
        if view["you"]["seat"] != seat:
            view = caller.get(table.path, token).json()
        if rng.random() < _HINTS:
            caller.get(f"{table.path}/hint", token)
        if view["turn"]["phase"] == "draw":
            what, body = "draw", {"source": rng.choice(view["you"]["legal"]["draw"])}
        else:
            what, body = "discard", {"card": view["you"]["arrangement"]["discard"]}
        view = caller.post(f"{table.path}/{what}", token, body)["game"]
        yield
