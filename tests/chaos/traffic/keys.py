"""A seat never gets an answer that was recorded for another seat's idempotency key.

The seats of one game send random moves, all with the same few keys. A model has the recorded answer
of each seat and key in the order of the moves, and so knows what the next answer must be: the
newest answers of a seat come again, and its older keys are expired.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.app import create_app
from service.config import Config
from tests.chaos.access import calls
from tests.chaos.access.calls import Call
from tests.chaos.trial import Outcome, Trial
from tests.nodes import throwaway_server

SEATS = 3
KEYS = [f"key-{number}" for number in range(16)]
NEWEST = 8
"""How many answers of a seat come again."""
_MOVER_SHARE = 0.6
_REPEATED_HEADERS = ("ETag", "Content-Type", "Content-Length", "Vary", "Cache-Control")
_REUSED, _EXPIRED = "idempotency-key-reused", "idempotency-key-expired"
_REFUSED = {"not-your-turn", "wrong-phase", "card-not-in-hand"}


def repeated_parts(answer: TestResponse) -> tuple[object, ...]:
    """The parts of an answer that must be equal when it is replayed."""
    headers = [answer.headers.get(name) for name in _REPEATED_HEADERS]
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
        created = self._send_valid(calls.post_to("/v1/games", body), "")
        self.game_id: str = created["game"]["id"]
        self.tokens.append(created["token"])
        for invite in created["invites"]:
            joined = self._send_valid(
                calls.post("/seats", {"invite": invite["code"]}), self.game_id
            )
            self.tokens.append(joined["token"])

    def _send_valid(self, call: Call, game_id: str) -> Any:
        answer = call.open(self.client, game_id)
        assert answer.status_code == 201, answer.get_data()
        return answer.get_json()

    def step(self) -> str | None:
        """Send one request of a seat with one of the keys; return what is wrong with the answer."""
        view = calls.get().open(self.client, self.game_id).get_json()
        mover = view["turn"]["seat"] if view["turn"] else 0
        seat = mover if self.rng.random() < _MOVER_SHARE else self.rng.randrange(SEATS)
        call, key = self._call(view, seat), self.rng.choice(KEYS)
        sent = call.but(Idempotency_Key=key)
        answer = sent.open(self.client, self.game_id, f"Bearer {self.tokens[seat]}")
        violation = self._violation(seat, key, call, answer)
        return violation and f"seat {seat}, {key}, {call}: {violation}"

    def _call(self, view: dict[str, Any], seat: int) -> Call:
        """A repeated request of any seat, or a new one for the current phase."""
        if self.answered and self.rng.random() < 1 - _MOVER_SHARE:
            return self.rng.choice(list(self.answered.values()))[0]
        if not view["turn"] or view["turn"]["phase"] == "draw":
            return calls.post("/draw", {"source": self.rng.choice(("stock", "discard"))})
        seat_view = (
            calls.get().open(self.client, self.game_id, f"Bearer {self.tokens[seat]}").get_json()
        )
        card = self.rng.choice(seat_view["you"]["hand"])
        return calls.post("/discard", {"card": card, "go_out": self.rng.random() < 0.5})

    def _violation(self, seat: int, key: str, call: Call, answer: TestResponse) -> str | None:
        """What is wrong with an answer; the model gets the answer of a move that was made."""
        body, replayed = answer.get_json(), "Idempotency-Replayed" in answer.headers
        if (seat, key) in self.answered:
            return self._violation_of_repeat(seat, key, call, answer)
        if replayed:
            return "the answer was recorded for another seat"
        if answer.status_code != 200:
            self.counts["refused"] += 1
            return None if body["code"] in _REFUSED else str(body)
        self.counts["made"] += 1
        self.answered[seat, key] = call, repeated_parts(answer)
        return None if body["game"]["you"]["seat"] == seat else "the view of another seat"

    def _violation_of_repeat(
        self, seat: int, key: str, call: Call, answer: TestResponse
    ) -> str | None:
        """What is wrong with the answer to a request whose seat has used its key before."""
        first, recorded = self.answered[seat, key]
        keys = [each for owner, each in self.answered if owner == seat]  # in order of the moves
        if key not in keys[-NEWEST:]:
            self.counts["expired"] += 1
            return _other_than(_EXPIRED, answer)
        self.counts["repeated" if first == call else "reused"] += 1
        if first != call:
            return _other_than(_REUSED, answer)
        replayed = "Idempotency-Replayed" in answer.headers
        return (
            None if replayed and repeated_parts(answer) == recorded else "not the recorded answer"
        )


def _other_than(code: str, answer: TestResponse) -> str | None:
    given = answer.get_json().get("code")
    return None if given == code else f"{given} instead of {code}"


def shared_keys(games: int = 100, steps: int = 200) -> Outcome:
    """Every answer is the seat's own, whatever keys the other seats have used."""
    counts: Counter[str] = Counter()
    violations = []
    with throwaway_server() as server:
        config = Config(redis_url=server.url, rate_limit="off", log_level="CRITICAL")
        client = create_app(config).test_client(use_cookies=False)
        for seed in range(games):
            game = Game(client, random.Random(f"keys {seed}"), counts)
            found = [game.step() for _ in range(steps)]
            violations += [f"seed {seed}: {violation}" for violation in found if violation]
    summary = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    return Outcome(f"{games} games, {games * steps} requests: {summary}", violations)


TRIALS = [
    Trial(
        "A seat never gets an answer that was recorded for another seat's key.",
        "Seats use the same few keys; answers are compared with a model of each seat's records",
        shared_keys,
    )
]
