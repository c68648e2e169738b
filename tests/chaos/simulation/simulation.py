"""Simulated services: a seed says who asks for what, in which order, and what goes wrong meanwhile.

The real application answers, on two workers, over a store that fails; the clock, the pauses and
all secrets are the seed's. After so many steps the faults stop, doubtful requests are repeated,
and every game is played to its end.

    python -m tests.chaos.simulation.simulation SEED [STEPS]    prints the trace
"""

from __future__ import annotations

import json
import random
import secrets
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from unittest import mock

from flask import Flask

from engine.game import Status
from service.app import create_app
from service.config import Config
from tests.chaos.simulation.clients import Guests
from tests.chaos.simulation.faulty_store import FaultyStore, ModelStore, Weather
from tests.chaos.simulation.invariants import Truth
from tests.chaos.simulation.messages import Reply, Request
from tests.chaos.simulation.scheduler import Baton
from tests.chaos.simulation.state import Table
from tests.chaos.trial import Outcome, Trial
from tests.dealer import Replayer

STEPS = 50
RATE = 0.08
"""The share of calls to the store that a fault befalls."""
LEFT = 0.7
"""The share of games that all humans leave at the end; playing one out takes long."""
_CONFIG = Config(data_dir=Path("unused"), log_level="CRITICAL", ai_turn_solves=300)
_WORKERS = ("first", "second")
_MOST_STEPS = 3_000
"""More than any game needs to its end."""


@dataclass(frozen=True)
class Report:
    """What came of one seed."""

    seed: int
    story: Sequence[str]
    violations: Sequence[str]
    tally: Counter[str] = field(default_factory=Counter)


class World:
    """One service with its guests, its weather and its judge."""

    def __init__(self, seed: int, model: ModelStore) -> None:
        self.chance = random.Random(f"simulation {seed}")
        self.model = model
        self.story: list[str] = []
        self.tally: Counter[str] = Counter()
        self.now = 1_800_000_000_000
        self.baton = Baton(self.chance)
        self.weather = Weather(self.chance, RATE, self.advance, self.tell, self.baton)
        self.truth = Truth(self.model, _documented())
        self.guests = Guests(self.chance, self.truth)
        self._workers = [self._worker(name) for name in _WORKERS]

    def advance(self, milliseconds: int) -> None:
        self.now += milliseconds

    def tell(self, text: str) -> None:
        self.story.append(text)

    def clock(self) -> int:
        return self.now

    def any_step(self) -> None:
        """One to three requests at once, after a while."""
        at_once = self.chance.choices((1, 2, 3), (70, 22, 8))[0]
        self.step([self.guests.any() for _ in range(at_once)])

    def step(self, requests: Sequence[Request]) -> list[Reply]:
        """The replies to requests that are served at the same time."""
        if self.weather.rate:
            self.advance(self.chance.choice((10, 100, 1_000, 3_000, 12_000)))
        replies = self.baton.run([partial(self._served, request) for request in requests])
        for request, reply in zip(requests, replies, strict=True):
            self.tell(f"{request} -> {reply}")
            self.tally["requests"] += 1
            if not self.weather.rate and reply.status in (0, 503):
                self.truth.violations.append(f"{reply} in calm weather: {request}")
        self.truth.judge(list(zip(requests, replies, strict=True)))
        self._workers = [
            self._worker(store.name) if store.killed else (app, store)
            for app, store in self._workers
        ]
        return replies

    def finish(self) -> None:
        """Let the faults stop, settle every doubt, and play every game to its end."""
        self.weather.rate = 0.0
        self.weather.deliver(share=1.0)
        self.step([])
        for keyed in list(self.truth.keys.values()):
            if keyed.doubtful and keyed.answer is None:
                self.tally["doubts settled"] += 1
                self.step([keyed.request])
        for table in list(self.truth.tables.values()):
            if table.is_known and not table.gone:
                self._play_out(table)

    def _served(self, request: Request) -> Reply:
        app, _ = self.chance.choice(self._workers)
        return request.send(app.test_client())

    def _worker(self, name: str) -> tuple[Flask, FaultyStore]:
        store = FaultyStore(self.model, self.weather, name)
        return create_app(_CONFIG, store, self.clock), store  # type: ignore[arg-type]

    def _play_out(self, table: Table) -> None:
        if self.chance.random() < LEFT:
            for seat in list(table.tokens):
                if not table.is_over:
                    self.step([self.guests.leave(table, seat)])
        for _ in range(_MOST_STEPS):
            if table.is_over:
                break
            request, in_time = self.guests.due(table), self._in_time(table)
            (reply,) = self.step([request])
            if not reply.succeeded and in_time:
                self.truth.violations.append(f"{reply} to what is due: {request}")
                return
        assert table.game is not None, "what is known was written"
        self.tally["abandoned" if table.game.abandoned else "finished"] += 1
        if table.game.status is not Status.FINISHED:
            self.truth.violations.append(f"{table.game_id} does not end")
        elif not table.game.abandoned:
            self._repeat(table)

    def _in_time(self, table: Table) -> bool:
        """Whether the turn stays its human's; a step takes no time in calm weather."""
        deadline = None if table.game is None else table.game.deadline
        return deadline is None or self.now < deadline

    def _repeat(self, table: Table) -> None:
        """Hold a finished game against what its secret and its actions lead to."""
        (reply,) = self.step([Request("getReplay", table.game_id)])
        told = reply.fields
        played = [event for event in told["events"] if not event["type"].startswith("seat_")]
        events = [{**event, "seq": seq} for seq, event in enumerate(played, 1)]
        seats = [{**seat, "kind": "ai"} for seat in told["seats"]]  # who came tells no event
        try:
            Replayer({**told, "seats": seats, "events": events}).check()
        except AssertionError as error:
            self.truth.violations.append(f"{table.game_id}: {error}")


@cache
def _documented() -> dict[str, dict[str, int]]:
    """For each operation the problems that its description names, with their statuses."""
    paths = json.loads(create_app(_CONFIG).extensions["openapi"]())["paths"]
    return {
        operation["operationId"]: {
            code: int(status)
            for status, answer in operation["responses"].items()
            for code in answer.get("content", {})
            .get("application/problem+json", {})
            .get("examples", ())
        }
        for operations in paths.values()
        for operation in operations.values()
        if "operationId" in operation
    }


@contextmanager
def _fixed_secrets(seed: int) -> Iterator[None]:
    """Ids, tokens and secrets are the seed's."""
    chance = random.Random(f"secrets {seed}")
    with mock.patch.object(secrets, "token_bytes", lambda count=32: chance.randbytes(count)):
        yield


def simulate(
    seed: int,
    steps: int = STEPS,
    model: Callable[[], ModelStore] = ModelStore,
    *,
    ends: bool = True,
) -> Report:
    """What comes of a seed; a violation stops it, else it `ends` as it should."""
    _documented()  # before secrets are fixed, for only the first world makes it
    with _fixed_secrets(seed):
        world = World(seed, model())
        for _ in range(steps):
            world.any_step()
            if world.truth.violations:
                break
        else:
            if ends:
                world.finish()
    tally = world.tally + world.weather.tally + world.truth.tally
    return Report(seed, world.story, world.truth.violations, tally)


def simulations(seeds: int = 2_000, steps: int = STEPS, processes: int = 2) -> Outcome:
    """Worlds of one seed each."""
    if processes == 1:
        reports = [_brief(seed, steps) for seed in range(seeds)]
    else:
        with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
            reports = list(pool.map(partial(_brief, steps=steps), range(seeds), chunksize=20))
    tally = sum((report.tally for report in reports), Counter())
    done = (
        f"{seeds} seeds of {steps} steps, {tally['requests']} requests; "
        f"{tally['Stale']} lost compares, {_faults(tally)}; {tally['doubts settled']} doubts "
        f"settled, {tally['finished']} games played out, {tally['abandoned']} left by all"
    )
    violations = [f"seed {report.seed}: {told}" for report in reports for told in report.violations]
    return Outcome(done, violations)


def _brief(seed: int, steps: int) -> Report:
    report = simulate(seed, steps)
    return Report(seed, (), report.violations, report.tally)


def _faults(tally: Counter[str]) -> str:
    refused = tally["REFUSED"]
    lost = tally["LOST"] + tally["UNSENT"] + tally["SETTLED"]
    killed = tally["KILLED_BEFORE"] + tally["KILLED_AFTER"]
    return f"{refused} calls refused, {lost} lost, {tally['LATE']} late, {killed} workers killed"


TRIALS = [
    Trial(
        "Whatever befalls store and workers: what was acknowledged stays, nothing is made twice, "
        "what was refused changed nothing, and every game ends",
        "the service simulated, requests interleaved at the store's calls",
        simulations,
    ),
]


def main(words: Sequence[str]) -> int:
    report = simulate(*map(int, words))
    print(*report.story, sep="\n")
    print(*(f"violation: {told}" for told in report.violations), sep="\n")
    return int(bool(report.violations))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
