"""A search for secrets in all that the running service shows its operator, byte by byte.

    the service with metrics and traces -> whole games over every operation -> log, metrics, spans

Secrets are tokens, invites, idempotency keys, seeds and the secrets of games.
"""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests

from engine.snapshot import load
from service.store.game_store import GameStore
from tests.chaos.access import call_sets, calls
from tests.chaos.access.calls import Call
from tests.chaos.access.outputs import Outputs
from tests.chaos.access.permissions import PERMISSIONS
from tests.chaos.trial import Outcome, Trial
from tests.nodes import throwaway_server, wait_for
from tests.otlp import Collector, collector
from tests.system.launch import Launch

_PROBES = {"liveness", "readiness"}
"""The operations that are not traced."""
_MEMBERS = {"method", "operation", "status", "duration_ms", "request_id"}
_LAST_ROUND = 11
_THOROUGH = 0.03
"""In so many turns every call is tried that is refused, in each other one of them."""


@dataclass
class WholeGame:
    """A game of two humans and an AI player, with refused calls between the moves."""

    url: str
    store: GameStore
    secrets: set[str]
    rng: random.Random
    rounds: int = _LAST_ROUND
    session: requests.Session = field(default_factory=requests.Session)
    answers: int = 0
    game_id: str = ""
    tokens: list[str] = field(default_factory=list)

    def send(self, call: Call, token: str | None = None) -> requests.Response:
        """Send a call; of a stream only the beginning is read."""
        headers: dict[str, str] = dict(call.headers)
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
            headers["tracestate"] = f"vendor={token}"
        path = call.path.replace("{game_id}", self.game_id)
        with self.session.request(
            call.method, self.url + path, data=call.body, headers=headers, stream=True, timeout=60
        ) as answer:
            self.answers += 1
            if answer.headers.get("Content-Type", "").startswith("text/event-stream"):
                next(answer.iter_content(64))
            else:
                answer.content  # noqa: B018 - it is read here
        return answer

    def _twice(self, call: Call, token: str | None = None) -> dict[str, Any]:
        """Send a call that has a key twice; the second answer is the first one again."""
        first, again = (self.send(call, token) for _ in range(2))
        assert first.ok, first.text
        assert first.content == again.content
        return dict(first.json())

    def play(self) -> None:
        """Play from the creation to the end, and what comes after it."""
        self._open()
        while (seen := self.send(calls.get(), self.tokens[0]).json())["status"] == "playing":
            self._turn(seen)
        self._look_back()
        self._play_again()

    def _open(self) -> None:
        seed, key = self.rng.randbytes(32).hex(), f"key-of-a-creation-{self.rng.getrandbits(64)}"
        nobody = f"token-of-no-seat-{self.rng.getrandbits(64)}"
        self.secrets |= {seed, key, nobody}
        self.send(calls.post_to("/v1/games", {"seed": nobody}))
        created = self._twice(calls.post_to("/v1/games", self._new_game(seed), Idempotency_Key=key))
        self.game_id, self.tokens = created["game"]["id"], [created["token"]]
        for invite in created["invites"]:
            joining = calls.post("/seats", {"invite": invite["code"]}, Idempotency_Key=key)
            self.tokens.append(self._twice(joining)["token"])
            self.send(calls.post("/seats", {"invite": invite["code"]}))
            self.secrets.add(invite["code"])
        self.secrets |= {*self.tokens}
        self.send(calls.DRAW, nobody)
        self.send(calls.get(f"?token={self.tokens[0]}"), nobody)
        self._keep_secret()

    def _new_game(self, seed: str) -> dict[str, Any]:
        """Two humans, or one where the seed is known: so the service wants it."""
        human, ai = {"kind": "human"}, {"kind": "ai", "level": "easy"}
        rounds = {"first": 1, "last": self.rounds}
        if self.rng.random() < 0.5:
            return {"seats": [human, ai], "rounds": rounds, "seed": seed}
        return {"seats": [human, human, ai], "rounds": rounds}

    def _keep_secret(self) -> None:
        stored, _ = self.store.read(self.game_id)
        assert stored is not None
        self.secrets.add(load(stored.state).secret.hex())

    def _turn(self, seen: dict[str, Any]) -> None:
        mover = seen["turn"]["seat"]
        self._refused(seen["version"], ["8H"])
        if self.rng.random() < 0.1:
            self.send(calls.get("/hint"), self.tokens[mover])
        source = self.rng.choice(("stock", "discard"))
        body = {"source": source, "token": self.tokens[mover]}
        self.send(calls.post("/draw", body), self.tokens[mover])
        drawn = self.send(calls.post("/draw", {"source": source}), self.tokens[mover])
        own = drawn.json()["game"]["you"]
        self._refused(seen["version"], own["hand"][:1])
        if len(self.tokens) > 1:
            self.send(calls.post("/discard", {"card": own["hand"][0]}), self.tokens[mover - 1])
        discard = {"card": own["arrangement"]["discard"]}
        self.send(calls.post("/discard", discard), self.tokens[mover]).raise_for_status()

    def _refused(self, version: int, cards: list[str]) -> None:
        """Send reads and calls that are refused: now and then all, else one of them."""
        everything = [*call_sets.all_reads_and_refusals(version, "0", 3, cards)]
        thorough = self.rng.random() < _THOROUGH
        quick = [each for each in everything if "wait=" not in each.path]
        for call in everything if thorough else [self.rng.choice(quick)]:
            self.send(call, self.rng.choice((None, *self.tokens)))

    def _look_back(self) -> None:
        for call in (*call_sets.short_reads(0), calls.get("/review?seat=1")):
            self.send(call, self.tokens[0])
        assert self.send(calls.get("/replay")).json()["secret"] in self.secrets
        hand = {"hand": ["7H", "7S", "7D"], "round": 1}
        for call in (
            calls.post_to("/v1/evaluations", hand),
            calls.post_to("/v1/evaluations", {"hand": self.tokens}),
            *map(Call, ("/v1/rules", "/v1/cards/8H.svg", "/v1/problems", "/healthz", "/readyz")),
            Call("/v1/problems/conflict"),
            Call(f"/v1/nothing?token={self.tokens[0]}"),
        ):
            self.send(call, self.tokens[-1])

    def _play_again(self) -> None:
        key = f"key-of-a-rematch-{self.rng.getrandbits(64)}"
        creator, *others = self.tokens
        rematch = self._twice(calls.REMATCH.but(Idempotency_Key=key), creator)
        self.send(calls.REMATCH, self.tokens[-1])
        self.game_id, self.tokens = rematch["game"]["id"], [rematch["token"]]
        for old in others:
            self.tokens.append(self.send(calls.post("/seats", {"token": old})).json()["token"])
            self.send(calls.DELETE, self.tokens[-1])
        self.secrets |= {key, *self.tokens}
        self._keep_secret()
        for token in self.tokens[1:]:
            self.send(calls.LEAVE, token).raise_for_status()
        self.send(calls.DELETE, self.tokens[0]).raise_for_status()


def scan_outputs(games: int = 100, rounds: int = _LAST_ROUND) -> Outcome:
    """The log, the metrics and the traces of so many games show no secret; half have a JSON log."""
    outcomes = [_scan(log_format, games // 2, rounds) for log_format in ("json", "plain")]
    found = [each for outcome in outcomes for each in outcome.violations]
    return Outcome("; ".join(outcome.summary for outcome in outcomes), found)


def _scan(log_format: str, games: int, rounds: int) -> Outcome:
    secrets: set[str] = set()
    pages: list[str] = []
    answers = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        throwaway_server() as server,
        collector() as collected,
        Launch(
            Path(folder),
            LOG_FORMAT=log_format,
            LOG_LEVEL="DEBUG",
            WORKERS="2",
            METRICS_PORT="0",
            REDIS_URL=server.url,
            OTEL_EXPORTER_OTLP_ENDPOINT=collected.url,
        ) as service,
    ):
        store = GameStore.from_url(server.url, connections=2)
        url, metrics = service.url(), service.said(r'metrics at (http://[^"\s]+)')[1]
        for seed in range(games):
            rng = random.Random(f"outputs_scan {seed}")
            game = WholeGame(url, store, secrets, rng, rounds)
            game.play()
            answers += game.answers
            pages.append(requests.get(metrics, timeout=30).text)
        wait_for(lambda: _moves(requests.get(metrics, timeout=30).text) > 0, "metrics")
        store.close()
        service.process.terminate()
        service.ended()
        outputs = Outputs(service.output, "\n".join(pages), collected.bodies)
    found = [*outputs.violations(secrets), *_missing(outputs, collected, answers)]
    sizes = f"{len(outputs.log.splitlines())} lines, {len(collected.spans)} spans"
    return Outcome(
        f"{log_format}: {games} games, {answers} answers, {sizes}, {len(secrets)} secrets", found
    )


def _moves(page: str) -> float:
    found = re.search(r"^three_thirteen_moves_total (\S+)$", page, re.MULTILINE)
    return float(found[1]) if found else 0.0


def _missing(outputs: Outputs, collected: Collector, answers: int) -> Iterator[str]:
    """What should have been shown and was not: then nothing was searched."""
    requested = [each for each in collected.spans if each.kind == each.SPAN_KIND_SERVER]
    names = {each.name for each in requested} - {"none"}
    if untraced := PERMISSIONS.keys() - names - _PROBES:
        yield f"no span of {sorted(untraced)}"
    if len(outputs.log.splitlines()) < answers:
        yield f"{len(outputs.log.splitlines())} lines of the log for {answers} answers"
    if len(requested) < 0.9 * answers:
        yield f"{len(requested)} spans for {answers} answers"
    for line in outputs.log.splitlines():
        if '"service.access"' in line and not json.loads(line).keys() >= _MEMBERS:
            yield f"not the line of a request: {line}"


TRIALS = [
    Trial(
        "Logs, metrics and traces of whole games have no secret, token, invite or card.",
        "Games over every operation, refused calls between, log as JSON and plain, at DEBUG",
        scan_outputs,
    ),
]
