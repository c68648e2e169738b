"""Games that are played through the service, as their one human sees them.

Each batch of requests needs as many games as it has requests, all in the same phase. The human
draws from the stock and discards what the view says is best (`arrangement.discard`).
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from bench.progress import Progress
from bench.service.batches import Sample, Subject
from bench.service.clients import Answer, Clients, request

_GAMES = "/v1/games"
CREATED = 201
_KEY_BYTES = 24


@dataclass(slots=True)
class Game:
    """A game with its human's token and newest view; `etag` is None until the view was read."""

    token: str
    view: dict[str, Any]
    etag: str | None = None

    @classmethod
    def created(cls, answer: Answer) -> Game:
        """The game of an answer to `creation`."""
        body = orjson.loads(answer.body)
        return cls(body["token"], body["game"])

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.view["id"])

    @property
    def is_over(self) -> bool:
        """Whether it is finished."""
        return bool(self.view["status"] == "finished")

    @property
    def is_to_draw(self) -> bool:
        """Whether the human is to draw."""
        return not self.is_over and self.view["turn"]["phase"] == "draw"

    @property
    def round(self) -> int:
        """The number of its round, from 1."""
        return int(self.view["round"]["number"])

    def moved(self, answer: Answer) -> None:
        """Take the view of an answer to a move."""
        self.view = orjson.loads(answer.body)["game"]

    def move(self) -> bytes:
        """The next move."""
        return self.draw() if self.is_to_draw else self.discard()

    def draw(self) -> bytes:
        """A draw from the stock."""
        return self._post("draw", {"source": "stock"})

    def discard(self) -> bytes:
        """The discard that the view proposes."""
        return self._post("discard", {"card": self.view["you"]["arrangement"]["discard"]})

    def read(self) -> bytes:
        """A look at the game."""
        return request("GET", f"{_GAMES}/{self.id}", self._access())

    def read_again(self) -> bytes:
        """A look at the game by who has seen it already."""
        return request(
            "GET", f"{_GAMES}/{self.id}", {**self._access(), "If-None-Match": self.etag or ""}
        )

    def evaluation(self) -> bytes:
        """An evaluation of the human's hand."""
        body = {"cards": self.view["you"]["hand"], "wild_rank": self.view["round"]["wild_rank"]}
        return request("POST", "/v1/evaluations", body=orjson.dumps(body))

    def _access(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def _post(self, move: str, body: object) -> bytes:
        headers = {**self._access(), **new_key()}
        return request("POST", f"{_GAMES}/{self.id}/{move}", headers, orjson.dumps(body))


def new_key() -> dict[str, str]:
    """The header with an idempotency key of its own."""
    return {"Idempotency-Key": secrets.token_urlsafe(_KEY_BYTES)}


def creation(level: str = "medium", seats: int = 4) -> bytes:
    """The creation of a game of one human and AI players of one level."""
    players = [{"kind": "human"}, *[{"kind": "ai", "level": level}] * (seats - 1)]
    return request("POST", _GAMES, new_key(), orjson.dumps({"seats": players}))


def create(clients: Clients, count: int, level: str = "medium", seats: int = 4) -> list[Game]:
    """New games, each with its human to draw."""
    answers, _ = clients.run([creation(level, seats) for _ in range(count)], CREATED)
    return [Game.created(answer) for answer in answers]


def move(clients: Clients, games: Sequence[Game]) -> None:
    """Make the next move in each game."""
    answers, _ = clients.run([game.move() for game in games])
    take(games, answers)


def take(games: Iterable[Game], answers: Iterable[Answer]) -> None:
    """Give each game the view of the answer to its move."""
    for game, answer in zip(games, answers, strict=True):
        game.moved(answer)


def sampled_turn(subject: Subject, games: Sequence[Game]) -> Sample:
    """Play a turn of the human in each game, a draw and a discard: what it cost, turns a second."""
    parts = []
    for _ in ("draw", "discard"):
        answers, sample = subject.sample([game.move() for game in games])
        take(games, answers)
        parts.append(sample)
    cpu = sum(part.cpu for part in parts)
    return Sample(cpu, 1 / sum(1 / part.rate for part in parts))


def play(
    clients: Clients,
    games: Sequence[Game],
    has_arrived: Callable[[Game], bool],
    progress: Progress | None = None,
) -> None:
    """Play each game until it has arrived, or is over."""
    left = list(games)
    while left:
        going = [game for game in left if not (game.is_over or has_arrived(game))]
        for _ in range(len(left) - len(going)):
            if progress is not None:
                progress.step()
        left = going
        if left:
            move(clients, left)


def play_to_rounds(
    clients: Clients, games: Sequence[Game], last_round: int, title: str, silent: bool
) -> None:
    """Spread games evenly over the beginnings of the rounds 1 to `last_round`."""
    aims = {id(game): 1 + number % last_round for number, game in enumerate(games)}
    progress = Progress(title, len(games), silent)
    play(clients, games, lambda game: game.is_to_draw and game.round >= aims[id(game)], progress)


def replaced(clients: Clients, games: Sequence[Game], seats: int = 4) -> list[Game]:
    """The games, with a new one in the place of each that is over."""
    fresh = iter(create(clients, sum(game.is_over for game in games), seats=seats))
    return [next(fresh) if game.is_over else game for game in games]
