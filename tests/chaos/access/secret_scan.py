"""A search for secrets in the log, in the headers of every answer, and in every refusal.

    play games with refused calls between the moves -> corrupt some games and read them -> search

The log level is DEBUG. Secrets are the game's secret, tokens, invites, idempotency keys that can
fetch a token, and cards. A refusal may name a card that its request names. The bodies of successes
are not searched: `noninterference` compares them.
"""

from __future__ import annotations

import io
import logging
import random
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import redis
import requests
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from engine.snapshot import load
from service.app import create_app
from service.config import Config
from service.store.game_store import GameStore
from tests.chaos.access import call_sets, calls
from tests.chaos.access.calls import Call
from tests.chaos.trial import Outcome, Trial
from tests.nodes import throwaway_server
from tests.sinks import Sinks
from tests.system.launch import Launch

_CARD = re.compile(r"(?<![\w-])([A23456789TJQK][CDHS]|JK)(?![\w-])")
_LINE = re.compile(r"[A-Z]+ /[\w/.-]* \d{3} \d+\.\d ms id=[0-9a-f]{32}")
_EXAMPLES = "as in TS for the ten of spades, or JK for a joker"
"""The cards that an error detail gives as examples."""
_SEED = "5e" * 32
_ROUNDS = 2


@contextmanager
def captured_log() -> Iterator[io.StringIO]:
    """Everything that any logger writes, tracebacks included."""
    log, root = io.StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(log), root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield log
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


@dataclass
class Secrets:
    """The secret texts, and the violations: each place where one of them was found."""

    texts: set[str] = field(default_factory=set)
    violations: list[str] = field(default_factory=list)

    def search(self, where: str, text: str, named: str = "") -> None:
        """Search a text for secrets and cards; those in the caller's own request are allowed."""
        text = text.replace(_EXAMPLES, "")
        leaked = [secret for secret in self.texts if secret in text and secret not in named]
        leaked += [card for card in _CARD.findall(text) if card not in named]
        self.violations += [f"{where} shows {secret}: {text[:200]!r}" for secret in leaked]


@dataclass
class ScannedGame:
    """A game of three humans and an AI player; every answer is searched."""

    client: FlaskClient
    store: GameStore
    secrets: Secrets
    rng: random.Random
    answers: int = 0

    def __post_init__(self) -> None:
        key = f"key-that-fetches-tokens-{self.rng.getrandbits(64)}"
        self.secrets.texts.add(key)
        self.game_id = ""
        new = {"seats": [*[{"kind": "human"}] * 3, {"kind": "ai", "level": "easy"}]}
        created = self.send(calls.post_to("/v1/games", new, Idempotency_Key=key)).get_json()
        self.game_id = created["game"]["id"]
        self.tokens = [created["token"]]
        for invite in created["invites"]:
            self.secrets.texts.add(invite["code"])
            joining = calls.post("/seats", {"invite": invite["code"]}, Idempotency_Key=key)
            self.tokens.append(self.send(joining).get_json()["token"])
            self.send(joining)
            self.send(calls.post("/seats", {"invite": invite["code"], "name": "Bo"}))
        self.secrets.texts.update(self.tokens)
        stored, _ = self.store.read(self.game_id)
        assert stored is not None
        self.secrets.texts.add(load(stored.state).secret.hex())

    def send(
        self, call: Call, token: str | None = None, sinks: Sinks | None = None
    ) -> TestResponse:
        """Send a call and search the answer's headers and, if it is a refusal, its body."""
        auth = None if token is None else f"Bearer {token}"
        answer = call.open(self.client, self.game_id, auth, sinks)
        self.answers += 1
        named = f"{call.path} {(call.body or b'').decode()}"
        for name, value in answer.headers:
            self.secrets.search(f"header {name} of {call}", value)
        if answer.status_code >= 400:
            self.secrets.search(f"the refusal of {call}", answer.get_data(as_text=True), named)
        return answer

    def play(self, turns: int) -> None:
        """Play so many turns, with refused calls between the moves."""
        for _ in range(turns):
            seen = self.send(calls.get()).get_json()
            if not seen["turn"]:
                return
            mover = self.tokens[seen["turn"]["seat"]]
            own = self.send(calls.DRAW, mover).get_json()["game"]["you"]
            self._send_refused_calls(seen, own["hand"])
            card = own["arrangement"]["discard"]
            self.send(calls.post("/discard", {"card": card}), mover)

    def _send_refused_calls(self, seen: dict[str, Any], hand: list[str]) -> None:
        tag = f'"{seen["version"]}.s.1"'
        token = self.rng.choice([None, "of-no-seat", *self.tokens])
        for call in call_sets.all_reads_and_refusals(seen["version"], "s", 3, hand[:1]):
            if call.method != "GET" or self.rng.random() < 0.2:
                self.send(call, token)
        self.send(calls.post("/discard", {"card": self.tokens[0]}), self.tokens[1])
        self.send(calls.post("/seats", {"invite": self.tokens[0]}))
        self.send(calls.DRAW.but(If_Match=tag), self.rng.choice(self.tokens))


def corrupt(url: str, game_id: str, rng: random.Random) -> None:
    """Change or cut the stored state or metadata of a game at a random place, and say so."""
    with redis.Redis.from_url(url) as database:
        name, which = f"{{g:{game_id}}}:game", rng.choice(("state", "meta"))
        stored = database.hget(name, which)
        assert isinstance(stored, bytes)
        place, written = rng.randrange(len(stored)), rng.choice((b"", b"x", b"9", b" "))
        corrupted = stored[:place] + written + stored[place + rng.randint(1, 3) :]
        database.hset(name, which, rng.choice((corrupted, stored[:place])))
        database.execute_command("SPUBLISH", name.replace(":game", ":news"), 0)


def scan_answers_and_log(games: int = 30, turns: int = 60, corrupted_games: int = 400) -> Outcome:
    """No log line, header or refusal has a secret."""
    secrets, answers = Secrets(), 0
    with captured_log() as log, throwaway_server() as server:
        store = GameStore.from_url(server.url, connections=8)
        config = Config(redis_url=server.url, data_dir=Path("unused"), log_level="DEBUG")
        client = create_app(config, store).test_client(use_cookies=False)
        for seed in range(games):
            game = ScannedGame(
                client, store, secrets, random.Random(f"scan_answers_and_log {seed}")
            )
            game.play(turns)
            answers += game.answers
        lines = log.getvalue().splitlines()
        secrets.violations += [
            f"unexpected log line: {line}" for line in lines if not _LINE.fullmatch(line)
        ]
        for seed in range(corrupted_games):
            game = ScannedGame(client, store, secrets, random.Random(f"corrupt {seed}"))
            watching = Sinks()
            for call in (calls.stream(), calls.get("/events?after=1000&wait=25")):
                game.send(call, game.tokens[0], watching)
            corrupt(server.url, game.game_id, game.rng)
            answers_to = [game.send(each, game.tokens[0]) for each in (calls.get(), calls.DRAW)]
            for sink in watching.opened:
                if answers_to[0].status_code == 500:  # then it cannot be watched either
                    sink.wait_for_end()
                sink.on_close()
        text = log.getvalue()
    for line in text.splitlines():
        secrets.search("the log", line)
    summary = f"{answers} answers, {len(lines)} log lines; {corrupted_games} games corrupted"
    return Outcome(f"{summary}, {text.count('game-damaged')} damages logged", secrets.violations)


def scan_started_service(games: int = 10) -> Outcome:
    """The service, started as its user starts it, prints no secret."""
    secrets, answered = Secrets(), 0
    with tempfile.TemporaryDirectory() as folder:
        with Launch(Path(folder), LOG_LEVEL="DEBUG") as service, requests.Session() as session:
            for _ in range(games):
                answered += _play_over_http(session, f"{service.url()}/v1/games", secrets)
        output = service.output
    for line in output.splitlines():
        secrets.search("the output", line)
    return Outcome(f"{games} games, {answered} requests, {output.count(' id=')} lines",
                   secrets.violations)  # fmt: skip


def _play_over_http(session: requests.Session, url: str, secrets: Secrets) -> int:
    """Play the first rounds against one AI player; return the number of requests."""
    seats = [{"kind": "human"}, {"kind": "ai"}]
    created = session.post(url, json={"seats": seats, "seed": _SEED}, timeout=30).json()
    secrets.texts |= {created["token"], _SEED}
    path, seen, count = f"{url}/{created['game']['id']}", created["game"], 1
    headers = {"Authorization": f"Bearer {created['token']}"}
    while seen["status"] == "playing" and seen["round"]["number"] <= _ROUNDS:
        for wrong in ({"source": created["token"]}, {"card": "8H"}):
            session.post(f"{path}/draw?token={created['token']}", json=wrong, timeout=30)
        drawn = session.post(f"{path}/draw", json={"source": "stock"}, headers=headers, timeout=30)
        card = drawn.json()["game"]["you"]["arrangement"]["discard"]
        body = {"card": card}
        seen = session.post(f"{path}/discard", json=body, headers=headers, timeout=30).json()[
            "game"
        ]
        count += 4
    return count


TRIALS = [
    Trial(
        "No log line, header or refusal has a secret, a card, a token or an invite.",
        "Games with refused calls between the moves, then corrupted games, at log level DEBUG",
        scan_answers_and_log,
    ),
    Trial(
        "The started service prints no secret, card, token or invite.",
        "Games with refused calls over HTTP, at log level DEBUG",
        scan_started_service,
    ),
]
