"""What is secret appears in no line of the log, no header and no refusal.

Whole games of several humans are played with the log wide open, refused calls of every kind among
their moves, damaged games after them. Secret: the game's secret, tokens, invites, idempotency keys
that fetch tokens, and cards. A refusal may name a card that the caller named, an answer may show
what it is there to show.
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
from service.runtime.embedded_server import throwaway_server
from service.store.game_store import Store
from tests.chaos.access import calls
from tests.chaos.access.calls import Call
from tests.chaos.trial import Outcome, Proof
from tests.system.launch import Launch

_CARD = re.compile(r"(?<![\w-])([A23456789TJQK][CDHS]|JK)(?![\w-])")
_LINE = re.compile(r"[A-Z]+ /[\w/.-]* \d{3} \d+\.\d ms id=[0-9a-f]{32}")
_EXAMPLES = "as in TS for the ten of spades, or JK for a joker"
"""What an error says of cards in general."""
_SEED = "5e" * 32
_ROUNDS = 2


@contextmanager
def listening() -> Iterator[io.StringIO]:
    """Everything that any logger says, tracebacks included."""
    heard, root = io.StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(heard), root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield heard
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


@dataclass
class Secrets:
    """All that may not be told, and where it was told nevertheless."""

    words: set[str] = field(default_factory=set)
    breaches: list[str] = field(default_factory=list)

    def search(self, where: str, text: str, named: str = "") -> None:
        """See that a text has no secret word and no card but those that the caller `named`."""
        text = text.replace(_EXAMPLES, "")
        told = [word for word in self.words if word in text and word not in named]
        told += [card for card in _CARD.findall(text) if card not in named]
        self.breaches += [f"{where} tells {word}: {text[:200]!r}" for word in told]


@dataclass
class Talk:
    """A game of three humans and an AI player, every answer of which is searched."""

    client: FlaskClient
    store: Store
    secrets: Secrets
    chance: random.Random
    answers: int = 0

    def __post_init__(self) -> None:
        key = f"key-that-fetches-tokens-{self.chance.getrandbits(64)}"
        self.secrets.words.add(key)
        self.game_id = ""
        new = {"seats": [*[{"kind": "human"}] * 3, {"kind": "ai", "level": "easy"}]}
        created = self.ask(calls.posted("/v1/games", new, Idempotency_Key=key)).get_json()
        self.game_id = created["game"]["id"]
        self.tokens = [created["token"]]
        for invite in created["invites"]:
            self.secrets.words.add(invite["code"])
            joining = calls.post("/seats", {"invite": invite["code"]}, Idempotency_Key=key)
            self.tokens.append(self.ask(joining).get_json()["token"])
            self.ask(joining)
            self.ask(calls.post("/seats", {"invite": invite["code"], "name": "Bo"}))
        self.secrets.words.update(self.tokens)
        stored, _ = self.store.read(self.game_id)
        assert stored is not None
        self.secrets.words.add(load(stored.state).secret.hex())

    def ask(self, call: Call, token: str | None = None) -> TestResponse:
        """The answer to a call, searched: its headers, and the body of a refusal."""
        auth = None if token is None else f"Bearer {token}"
        answer = call.open(self.client, self.game_id, auth)
        self.answers += 1
        named = f"{call.path} {(call.body or b'').decode()}"
        for name, value in answer.headers:
            self.secrets.search(f"header {name} of {call}", value)
        if answer.status_code >= 400:
            self.secrets.search(f"the refusal of {call}", answer.get_data(as_text=True), named)
        return answer

    def play(self, turns: int) -> None:
        """Play on, refused calls of every kind between the moves."""
        for _ in range(turns):
            seen = self.ask(calls.get()).get_json()
            if not seen["turn"]:
                return
            mover = self.tokens[seen["turn"]["seat"]]
            own = self.ask(calls.DRAW, mover).get_json()["game"]["you"]
            self._err(seen, own["hand"])
            card = own["arrangement"]["discard"]
            self.ask(calls.post("/discard", {"card": card}), mover)

    def _err(self, seen: dict[str, Any], hand: list[str]) -> None:
        tag = f'"{seen["version"]}.s.1"'
        token = self.chance.choice([None, "of-no-seat", *self.tokens])
        for call in calls.whole_look(seen["version"], "s", 3, hand[:1]):
            if call.method != "GET" or self.chance.random() < 0.2:
                self.ask(call, token)
        self.ask(calls.post("/discard", {"card": self.tokens[0]}), self.tokens[1])
        self.ask(calls.post("/seats", {"invite": self.tokens[0]}))
        self.ask(calls.DRAW.but(If_Match=tag), self.chance.choice(self.tokens))


def damage(url: str, game_id: str, chance: random.Random) -> None:
    """Spoil a place of what is stored of a game, behind the service's back."""
    with redis.Redis.from_url(url) as database:
        name, which = f"{{g:{game_id}}}:game", chance.choice(("state", "meta"))
        kept = database.hget(name, which)
        assert isinstance(kept, bytes)
        place, written = chance.randrange(len(kept)), chance.choice((b"", b"x", b"9", b" "))
        spoilt = kept[:place] + written + kept[place + chance.randint(1, 3) :]
        database.hset(name, which, chance.choice((spoilt, kept[:place])))


def whispers(games: int = 30, turns: int = 60, damages: int = 400) -> Outcome:
    """Nothing that is secret is told by log, headers or refusals."""
    secrets, answers = Secrets(), 0
    with listening() as heard, throwaway_server() as server:
        store = Store.from_url(server.url, connections=2)
        config = Config(redis_url=server.url, data_dir=Path("unused"), log_level="DEBUG")
        client = create_app(config, store).test_client(use_cookies=False)
        for seed in range(games):
            talk = Talk(client, store, secrets, random.Random(f"whispers {seed}"))
            talk.play(turns)
            answers += talk.answers
        lines = heard.getvalue().splitlines()
        secrets.breaches += [f"the log says {line}" for line in lines if not _LINE.fullmatch(line)]
        for seed in range(damages):
            talk = Talk(client, store, secrets, random.Random(f"damage {seed}"))
            damage(server.url, talk.game_id, talk.chance)
            for call in (calls.get(), calls.DRAW):
                talk.ask(call, talk.tokens[0])
        said = heard.getvalue()
    for line in said.splitlines():
        secrets.search("the log", line)
    done = f"{answers} answers, {len(lines)} lines of the log; {damages} games damaged"
    return Outcome(f"{done}, {said.count('game-damaged')} damages logged", secrets.breaches)


def started(games: int = 10) -> Outcome:
    """Nothing that is secret is printed by the service as its user starts it."""
    secrets, answered = Secrets(), 0
    with tempfile.TemporaryDirectory() as folder:
        with Launch(Path(folder), LOG_LEVEL="DEBUG") as service, requests.Session() as session:
            for _ in range(games):
                answered += _play_started(session, f"{service.url()}/v1/games", secrets)
        output = service.output
    for line in output.splitlines():
        secrets.search("the output", line)
    return Outcome(f"{games} games, {answered} requests, {output.count(' id=')} lines",
                   secrets.breaches)  # fmt: skip


def _play_started(session: requests.Session, url: str, secrets: Secrets) -> int:
    """Play a round against one AI player; the number of requests."""
    seats = [{"kind": "human"}, {"kind": "ai"}]
    created = session.post(url, json={"seats": seats, "seed": _SEED}, timeout=30).json()
    secrets.words |= {created["token"], _SEED}
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


PROOFS = [
    Proof(
        "no secret, card, token or invite is told by log, headers or refusals",
        "games with refused calls of every kind, then damaged ones, the log wide open",
        whispers,
    ),
    Proof(
        "no secret, card, token or invite is printed by the started service",
        "games with refused calls over HTTP, the log wide open",
        started,
    ),
]
