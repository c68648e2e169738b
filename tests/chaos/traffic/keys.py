"""The idempotency keys of one seat never answer another's.

Seats of one game ask for moves at random, all with the same few keys. A model knows what each seat
has been answered under each key, and so what the next request must be answered.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.app import create_app
from service.config import Config
from service.runtime.embedded_server import throwaway_server
from tests.chaos.access import calls
from tests.chaos.access.calls import Call
from tests.chaos.trial import Outcome, Trial

SEATS = 3
KEYS = [f"key-{number}" for number in range(16)]
_OFTEN = 0.6
_KEPT_HEADERS = ("ETag", "Content-Type", "Content-Length", "Vary", "Cache-Control")
_REUSED, _REFUSED = "idempotency-key-reused", {"not-your-turn", "wrong-phase", "card-not-in-hand"}


def essence(answer: TestResponse) -> tuple[object, ...]:
    """What a repeated answer must have again."""
    headers = [answer.headers.get(name) for name in _KEPT_HEADERS]
    return answer.status_code, answer.get_data(), *headers


@dataclass
class Game:
    """One game of several humans, and the model of its idempotency records."""

    client: FlaskClient
    rng: random.Random
    counts: Counter[str]
    tokens: list[str] = field(default_factory=list)
    answered: dict[tuple[int, str], tuple[Call, tuple[object, ...]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        body = {"seats": [{"kind": "human"}] * SEATS}
        created = self._made(calls.post_to("/v1/games", body), "")
        self.game_id: str = created["game"]["id"]
        self.tokens.append(created["token"])
        for invite in created["invites"]:
            joined = self._made(calls.post("/seats", {"invite": invite["code"]}), self.game_id)
            self.tokens.append(joined["token"])

    def _made(self, call: Call, game_id: str) -> Any:
        answer = call.open(self.client, game_id)
        assert answer.status_code == 201, answer.get_data()
        return answer.get_json()

    def step(self) -> str | None:
        """One request of a seat with one of the keys; what was wrong with its answer, if it was."""
        seen = calls.get().open(self.client, self.game_id).get_json()
        mover = seen["turn"]["seat"] if seen["turn"] else 0
        seat = mover if self.rng.random() < _OFTEN else self.rng.randrange(SEATS)
        call, key = self._call(seen, seat), self.rng.choice(KEYS)
        sent = call.but(Idempotency_Key=key)
        answer = sent.open(self.client, self.game_id, f"Bearer {self.tokens[seat]}")
        fault = self._fault(seat, key, call, answer)
        return fault and f"seat {seat}, {key}, {call}: {fault}"

    def _call(self, seen: dict[str, Any], seat: int) -> Call:
        """A repeated request of any seat, or a new one for the phase that is due."""
        if self.answered and self.rng.random() < 1 - _OFTEN:
            return self.rng.choice(list(self.answered.values()))[0]
        if not seen["turn"] or seen["turn"]["phase"] == "draw":
            return calls.post("/draw", {"source": self.rng.choice(("stock", "discard"))})
        own = calls.get().open(self.client, self.game_id, f"Bearer {self.tokens[seat]}").get_json()
        card = self.rng.choice(own["you"]["hand"])
        return calls.post("/discard", {"card": card, "go_out": self.rng.random() < 0.5})

    def _fault(self, seat: int, key: str, call: Call, answer: TestResponse) -> str | None:
        body, replayed = answer.get_json(), "Idempotency-Replayed" in answer.headers
        if (seat, key) in self.answered:
            first, kept = self.answered[seat, key]
            self.counts["repeated" if first == call else "reused"] += 1
            if first != call:
                return None if body.get("code") == _REUSED else f"{body.get('code')}"
            return None if replayed and essence(answer) == kept else "not its first answer"
        if replayed:
            return "an answer that was another's"
        if answer.status_code != 200:
            self.counts["refused"] += 1
            return None if body["code"] in _REFUSED else str(body)
        self.counts["made"] += 1
        self.answered[seat, key] = call, essence(answer)
        return None if body["game"]["you"]["seat"] == seat else "the view of another seat"


def shared_keys(games: int = 200, steps: int = 100) -> Outcome:
    """Every answer is the asking seat's own, whatever keys the other seats have used."""
    counts: Counter[str] = Counter()
    violations = []
    with throwaway_server() as server:
        config = Config(redis_url=server.url, data_dir=Path("unused"), log_level="CRITICAL")
        client = create_app(config).test_client(use_cookies=False)
        for seed in range(games):
            game = Game(client, random.Random(f"keys {seed}"), counts)
            faults = (game.step() for _ in range(steps))
            violations += [f"seed {seed}: {fault}" for fault in faults if fault]
    done = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    return Outcome(f"{games} games, {games * steps} requests: {done}", violations)


TRIALS = [
    Trial(
        "the idempotency keys of one seat never answer another's",
        "seats that share a few keys, against a model of each seat's records",
        shared_keys,
    )
]
