"""Many callers join at once: each seat is given once, each invite works once, the game deals once.

Each race creates a game with a few invites; many callers use them at the same moment, through two
instances of the service over one store. Some callers send an equal request with the same key, so
they must get the same answer; some share only the key.
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
from service.store.game_store import GameStore
from tests.chaos.access import calls
from tests.chaos.access.calls import Call
from tests.chaos.trial import Outcome, Trial
from tests.nodes import throwaway_server

INSTANCES = 2
INVITES = (3, 5)
_SHARED_KEYS = 3
_REFUSALS = {409: "seat-taken", 422: "idempotency-key-reused"}
_WAIT_SECONDS = 30.0


@dataclass(frozen=True)
class Joiner:
    """One caller: the seat of its invite, its key or None, and its name."""

    seat: int
    key: str | None
    name: str

    def call(self, invites: dict[int, str]) -> Call:
        """The request of the caller."""
        call = calls.post("/seats", {"invite": invites[self.seat], "name": self.name})
        return call if self.key is None else call.but(Idempotency_Key=self.key)


@dataclass
class JoinRace:
    """A game with its invites, and all callers that want to join it."""

    apps: list[Flask]
    rng: random.Random
    size: int
    answers: list[tuple[Joiner, TestResponse]] = field(default_factory=list)

    def __post_init__(self) -> None:
        count = self.rng.randint(*INVITES)
        ai = [{"kind": "ai"}] * self.rng.randint(0, 1) if count < INVITES[1] else []
        body = {"seats": [*[{"kind": "human"}] * (count + 1), *ai]}
        created = self._send(calls.post_to("/v1/games", body), "").get_json()
        self.game_id: str = created["game"]["id"]
        self.creator: str = created["token"]
        self.invites = {invite["seat"]: invite["code"] for invite in created["invites"]}
        self.joiners = [self._joiner(number) for number in range(self.size)]

    def _send(self, call: Call, game_id: str, token: str | None = None) -> TestResponse:
        auth = None if token is None else f"Bearer {token}"
        return call.open(self.rng.choice(self.apps).test_client(), game_id, auth)

    def _joiner(self, number: int) -> Joiner:
        seat = self.rng.choice(list(self.invites))
        shared = f"a-key-that-some-callers-share-{self.rng.randrange(_SHARED_KEYS)}"
        match self.rng.randrange(5):
            case 0:
                return Joiner(seat, None, f"N{number}")
            case 1:
                return Joiner(seat, f"a-key-that-one-caller-has-{number:06}", f"N{number}")
            case 2 | 3:
                return Joiner(seat, shared, f"duplicate for {seat}")
            case _:  # a shared key with another request
                return Joiner(seat, shared, f"N{number}")

    def join(self, pool: ThreadPoolExecutor) -> None:
        """Let all callers join at the same moment, distributed over the instances."""
        barrier = Barrier(self.size)

        def join(number: int) -> tuple[Joiner, TestResponse]:
            joiner, app = self.joiners[number], self.apps[number % len(self.apps)]
            client = app.test_client(use_cookies=False)
            barrier.wait(_WAIT_SECONDS)
            return joiner, joiner.call(self.invites).open(client, self.game_id)

        self.answers = list(pool.map(join, range(self.size)))

    def violations(self) -> Iterator[str]:
        """What is wrong with the answers and with the game afterwards."""
        winners_by_seat: dict[int, list[tuple[Joiner, TestResponse]]] = defaultdict(list)
        for joiner, answer in self.answers:
            if answer.status_code == 201:
                winners_by_seat[joiner.seat].append((joiner, answer))
            elif _REFUSALS.get(answer.status_code) != answer.get_json()["code"]:
                yield f"{joiner}: {answer.status_code} {answer.get_data()!r:.200}"
        requested = {joiner.seat for joiner in self.joiners}
        if set(winners_by_seat) != requested:
            yield f"seats {sorted(requested)} were requested, {sorted(winners_by_seat)} given"
        for seat, winners in winners_by_seat.items():
            yield from self._seat_violations(seat, winners)
        yield from self._game_violations(
            {seat: winners[0] for seat, winners in winners_by_seat.items()}
        )

    def _seat_violations(
        self, seat: int, winners: list[tuple[Joiner, TestResponse]]
    ) -> Iterator[str]:
        """One caller must have the seat; callers with an equal request must get an equal answer."""
        (first, answer), *more = winners
        for joiner, other in more:
            if joiner != first or joiner.key is None or other.get_data() != answer.get_data():
                yield f"seat {seat} was given to {first} and to {joiner}"
        duplicates = self.joiners.count(first) if first.key else 1
        if len(winners) != duplicates:
            yield f"{len(winners)} of {duplicates} equal requests were given seat {seat}"
        firsts = sum("Idempotency-Replayed" not in other.headers for _, other in winners)
        if firsts != 1:
            yield f"seat {seat}: {firsts} answers that are not replays"

    def _game_violations(self, winners: dict[int, tuple[Joiner, TestResponse]]) -> Iterator[str]:
        answer = self._send(calls.get("/events?limit=1000"), self.game_id)
        if answer.status_code != 200:
            yield f"the events were answered {answer.status_code} {answer.get_data()!r:.200}"
            return
        events = answer.get_json()["events"]
        joined = Counter(event["seat"] for event in events if event["type"] == "seat_joined")
        if joined != Counter([0, *winners]):
            yield f"seats joined: {joined}"
        dealt = sum(event["type"] == "round_dealt" for event in events)
        if dealt != (len(winners) == len(self.invites)):
            yield f"dealt {dealt} times with {len(winners)} of {len(self.invites)} joined"
        if [event["seq"] for event in events] != list(range(1, len(events) + 1)):
            yield "the numbers of the events have gaps"
        tokens = {0: self.creator}
        tokens |= {seat: answer.get_json()["token"] for seat, (_, answer) in winners.items()}
        if len(set(tokens.values())) != len(tokens):
            yield "two seats have the same token"
        for seat, token in tokens.items():
            yield from self._view_violations(seat, token, winners)

    def _view_violations(
        self, seat: int, token: str, winners: dict[int, tuple[Joiner, TestResponse]]
    ) -> Iterator[str]:
        view: dict[str, Any] = self._send(calls.get(), self.game_id, token).get_json()
        if "version" not in view:
            yield f"seat {seat} sees {view}"
            return
        if view["version"] != 1 + len(winners):
            yield f"version {view['version']} after {len(winners)} joined"
        if view["you"]["seat"] != seat:
            yield f"the token of seat {seat} sees {view['you']}"
        name = view["seats"][seat]["name"]
        if seat and name != winners[seat][0].name:
            yield f"seat {seat} has the name {name}, not {winners[seat][0].name}"


def joins(trials: int = 200, callers: int = 50) -> Outcome:
    """Every seat is given to one caller, however many ask for it at the same moment."""
    statuses: Counter[int] = Counter()
    violations: list[str] = []
    with throwaway_server() as server, ThreadPoolExecutor(callers) as pool:
        config = Config(redis_url=server.url, data_dir=Path("unused"), log_level="CRITICAL")
        stores = [GameStore.from_url(server.url, connections=callers + 2) for _ in range(INSTANCES)]
        apps = [create_app(config, store) for store in stores]
        for seed in range(trials):
            race = JoinRace(apps, random.Random(f"joins {seed}"), callers)
            race.join(pool)
            statuses.update(answer.status_code for _, answer in race.answers)
            violations += [f"seed {seed}: {violation}" for violation in race.violations()]
    counts = ", ".join(f"{count} answered {status}" for status, count in sorted(statuses.items()))
    return Outcome(f"{trials} times {callers} joins at once: {counts}", violations)


TRIALS = [
    Trial(
        "However many callers join at once, each seat is given once and the game is dealt once.",
        "Parallel callers over two instances of the service; some send equal requests",
        joins,
    )
]
