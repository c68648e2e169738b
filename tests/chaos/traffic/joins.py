"""Many join at once: no seat is given twice, no invite is good twice, the game deals once.

Each trial opens a game with a few invites and lets a crowd of callers use them at the same moment,
through two instances of the service over one store. Some callers are twins, who send the same
request with the same key and must have the same answer; some share the key alone.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Barrier
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

from service.app import create_app
from service.config import Config
from service.runtime.embedded_server import throwaway_server
from service.store.game_store import Store
from tests.chaos.access import calls
from tests.chaos.access.calls import Call
from tests.chaos.trial import Outcome, Trial

INSTANCES = 2
INVITES = (3, 5)
_TWINS = 3
_REFUSALS = {409: "seat-taken", 422: "idempotency-key-reused"}
_WAIT_SECONDS = 30.0


@dataclass(frozen=True)
class Joiner:
    """One caller: which seat's invite it has, its key if any, the name it gives."""

    seat: int
    key: str | None
    name: str

    def call(self, invites: dict[int, str]) -> Call:
        """Its request."""
        call = calls.post("/seats", {"invite": invites[self.seat], "name": self.name})
        return call if self.key is None else call.but(Idempotency_Key=self.key)


@dataclass
class Crowd:
    """A game with its invites, and all who want to join it."""

    apps: list[Flask]
    rng: random.Random
    size: int
    answers: list[tuple[Joiner, TestResponse]] = field(default_factory=list)

    def __post_init__(self) -> None:
        count = self.rng.randint(*INVITES)
        ai = [{"kind": "ai"}] * self.rng.randint(0, 1) if count < INVITES[1] else []
        body = {"seats": [*[{"kind": "human"}] * (count + 1), *ai]}
        created = self._ask(calls.post_to("/v1/games", body), "").get_json()
        self.game_id: str = created["game"]["id"]
        self.creator: str = created["token"]
        self.invites = {invite["seat"]: invite["code"] for invite in created["invites"]}
        self.joiners = [self._joiner(number) for number in range(self.size)]

    def _ask(self, call: Call, game_id: str, token: str | None = None) -> TestResponse:
        auth = None if token is None else f"Bearer {token}"
        return call.open(self.rng.choice(self.apps).test_client(), game_id, auth)

    def _joiner(self, number: int) -> Joiner:
        seat = self.rng.choice(list(self.invites))
        twins = f"a-key-that-twins-have-in-common-{self.rng.randrange(_TWINS)}"
        match self.rng.randrange(5):
            case 0:
                return Joiner(seat, None, f"N{number}")
            case 1:
                return Joiner(seat, f"a-key-that-one-caller-has-{number:06}", f"N{number}")
            case 2 | 3:
                return Joiner(seat, twins, f"twin of {seat}")
            case _:  # the key of twins with another request
                return Joiner(seat, twins, f"N{number}")

    def join(self, pool: ThreadPoolExecutor) -> None:
        """Let all join at once, spread over the instances."""
        barrier = Barrier(self.size)

        def join(number: int) -> tuple[Joiner, TestResponse]:
            joiner, app = self.joiners[number], self.apps[number % len(self.apps)]
            client = app.test_client(use_cookies=False)
            barrier.wait(_WAIT_SECONDS)
            return joiner, joiner.call(self.invites).open(client, self.game_id)

        self.answers = list(pool.map(join, range(self.size)))

    def faults(self) -> Iterator[str]:
        """Everything that is wrong with the answers and the game."""
        won: dict[int, list[tuple[Joiner, TestResponse]]] = defaultdict(list)
        for joiner, answer in self.answers:
            if answer.status_code == 201:
                won[joiner.seat].append((joiner, answer))
            elif _REFUSALS.get(answer.status_code) != answer.get_json()["code"]:
                yield f"{joiner}: {answer.status_code} {answer.get_data()!r:.200}"
        asked = {joiner.seat for joiner in self.joiners}
        if set(won) != asked:
            yield f"seats {sorted(asked)} were asked for, {sorted(won)} given"
        for seat, winners in won.items():
            yield from self._faults_of_seat(seat, winners)
        yield from self._faults_of_game({seat: winners[0] for seat, winners in won.items()})

    def _faults_of_seat(
        self, seat: int, winners: list[tuple[Joiner, TestResponse]]
    ) -> Iterator[str]:
        """One caller has the seat, and its twins have its very answer again."""
        (first, answer), *more = winners
        for joiner, other in more:
            if joiner != first or joiner.key is None or other.get_data() != answer.get_data():
                yield f"seat {seat} was given to {first} and to {joiner}"
        twins = self.joiners.count(first) if first.key else 1
        if len(winners) != twins:
            yield f"{len(winners)} of {twins} twins were given seat {seat}"
        firsts = sum("Idempotency-Replayed" not in other.headers for _, other in winners)
        if firsts != 1:
            yield f"seat {seat}: {firsts} first answers"

    def _faults_of_game(self, won: dict[int, tuple[Joiner, TestResponse]]) -> Iterator[str]:
        events = self._ask(calls.get("/events?limit=1000"), self.game_id).get_json()["events"]
        joined = Counter(event["seat"] for event in events if event["type"] == "seat_joined")
        if joined != Counter([0, *won]):
            yield f"seats joined: {joined}"
        dealt = sum(event["type"] == "round_dealt" for event in events)
        if dealt != (len(won) == len(self.invites)):
            yield f"dealt {dealt} times with {len(won)} of {len(self.invites)} joined"
        if [event["seq"] for event in events] != list(range(1, len(events) + 1)):
            yield "events with gaps"
        tokens = {0: self.creator}
        tokens |= {seat: answer.get_json()["token"] for seat, (_, answer) in won.items()}
        if len(set(tokens.values())) != len(tokens):
            yield "two seats have one token"
        for seat, token in tokens.items():
            yield from self._faults_of_view(seat, token, won)

    def _faults_of_view(
        self, seat: int, token: str, won: dict[int, tuple[Joiner, TestResponse]]
    ) -> Iterator[str]:
        seen: dict[str, Any] = self._ask(calls.get(), self.game_id, token).get_json()
        if "version" not in seen:
            yield f"seat {seat} sees {seen}"
            return
        if seen["version"] != 1 + len(won):
            yield f"version {seen['version']} after {len(won)} joined"
        if seen["you"]["seat"] != seat:
            yield f"the token of seat {seat} sees {seen['you']}"
        if seat and seen["seats"][seat]["name"] != won[seat][0].name:
            yield f"seat {seat} is called {seen['seats'][seat]['name']}, not {won[seat][0].name}"


def joins(trials: int = 200, crowd: int = 50) -> Outcome:
    """Every seat goes to one caller, whoever else asks for it at the same moment."""
    statuses: Counter[int] = Counter()
    violations: list[str] = []
    with throwaway_server() as server, ThreadPoolExecutor(crowd) as pool:
        config = Config(redis_url=server.url, data_dir=Path("unused"), log_level="CRITICAL")
        stores = [Store.from_url(server.url, connections=crowd + 2) for _ in range(INSTANCES)]
        apps = [create_app(config, store) for store in stores]
        for seed in range(trials):
            joining = Crowd(apps, random.Random(f"joins {seed}"), crowd)
            joining.join(pool)
            statuses.update(answer.status_code for _, answer in joining.answers)
            violations += [f"seed {seed}: {fault}" for fault in joining.faults()]
    told = ", ".join(f"{count} answered {status}" for status, count in sorted(statuses.items()))
    return Outcome(f"{trials} times {crowd} joins at once: {told}", violations)


TRIALS = [
    Trial(
        "however many join at once, each seat is given once and the game is dealt once",
        "crowds of parallel callers, twins among them, over two instances of the service",
        joins,
    )
]
