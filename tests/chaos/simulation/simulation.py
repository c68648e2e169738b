"""Deterministic simulation: the real application under faults, with everything decided by a seed.

Two workers run over a faulty store. The seed decides the requests, how they interleave, the faults,
the clock, and all ids, tokens and secrets. After each step the invariants are checked. After the
last step the faults stop, requests of unknown outcome are repeated, and every game is finished.

    ClientGenerator -> Request -> worker (Scheduler decides which runs) -> FaultyStore -> ModelStore
    InvariantChecker <- requests, answers and commits

    python -m tests.chaos.simulation.simulation SEED [STEPS]    prints the trace of a seed
"""

from __future__ import annotations

import random
import secrets
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from unittest import mock

from flask import Flask

from engine.game import Status
from service.app import create_app
from service.config import Config
from service.games.reviews import SingleFlight
from tests.chaos.simulation.clients import ClientGenerator
from tests.chaos.simulation.faulty_store import NEWEST, FaultInjector, FaultyStore, ModelStore
from tests.chaos.simulation.invariants import InvariantChecker
from tests.chaos.simulation.messages import Answer, Request
from tests.chaos.simulation.scheduler import Scheduler
from tests.chaos.simulation.state import GameState
from tests.chaos.trial import Outcome, Trial
from tests.dealer import Replayer

STEPS = 50
FAULT_RATE = 0.08
"""The share of calls to the store that get a fault."""
ABANDONED_SHARE = 0.7
"""The share of games that all humans leave at the end, since finishing a game takes long."""
_CONFIG = Config(data_dir=Path("unused"), log_level="CRITICAL", ai_turn_solves=300)
_WORKERS = ("first", "second")
_REMATCH_FAULT_RATE = 0.25
"""The same while a rematch is asked for, which few calls do."""
_MAX_STEPS = 3_000
"""More steps than any game needs."""


@dataclass(frozen=True)
class Report:
    """The trace, violations and counts of one seed."""

    seed: int
    trace: Sequence[str]
    violations: Sequence[str]
    counts: Counter[str] = field(default_factory=Counter)


class Simulation:
    """One service with two workers, its clients, the fault injector and the invariant checker."""

    def __init__(self, seed: int, model: ModelStore) -> None:
        self.rng = random.Random(f"simulation {seed}")
        self.model = model
        self.trace: list[str] = []
        self.counts: Counter[str] = Counter()
        self.now = 1_800_000_000_000
        self.scheduler = Scheduler(self.rng)
        self.injector = FaultInjector(
            self.rng, FAULT_RATE, self.advance, self.add_to_trace, self.scheduler
        )
        self.checker = InvariantChecker(self.model)
        self.clients = ClientGenerator(self.rng, self.checker)
        self._workers = [self._worker(name) for name in _WORKERS]

    def advance(self, milliseconds: int) -> None:
        self.now += milliseconds

    def add_to_trace(self, text: str) -> None:
        self.trace.append(text)

    def clock(self) -> int:
        return self.now

    def random_step(self) -> None:
        """Send one to three random requests at once."""
        count = self.rng.choices((1, 2, 3), (70, 22, 8))[0]
        self.step([self.clients.random_request() for _ in range(count)])

    def step(self, requests: Sequence[Request]) -> list[Answer]:
        """Send requests at the same time, check the invariants, and restart killed workers."""
        if self.injector.rate:
            self.advance(self.rng.choice((10, 100, 1_000, 3_000, 12_000)))
        answers = self.scheduler.run([partial(self._serve, request) for request in requests])
        for request, answer in zip(requests, answers, strict=True):
            self.add_to_trace(f"{request} -> {answer}")
            self.counts.update(("requests", request.operation))
            if not self.injector.rate and answer.status in (0, 503):
                self.checker.violations.append(f"{answer} without a fault: {request}")
        self.checker.check_step(list(zip(requests, answers, strict=True)))
        self._workers = [
            self._worker(store.name) if store.killed else (app, store)
            for app, store in self._workers
        ]
        return answers

    def finish(self) -> None:
        """Stop the faults, repeat requests of unknown outcome, and finish every game."""
        self.injector.rate = 0.0
        self.injector.deliver(share=1.0)
        self.step([])
        for keyed in list(self.checker.keys.values()):
            if keyed.outcome_unknown and keyed.answer is None:
                self.counts["repeated"] += 1
                self.step([keyed.request])
        for state in list(self.checker.games.values()):
            if state.is_known and not state.gone:
                self._finish_game(state)

    def _serve(self, request: Request) -> Answer:
        app, _ = self.rng.choice(self._workers)
        return request.send(app.test_client())

    def _worker(self, name: str) -> tuple[Flask, FaultyStore]:
        store = FaultyStore(self.model, self.injector, name)
        return create_app(_CONFIG, store, self.clock), store  # type: ignore[arg-type]

    def _finish_game(self, state: GameState) -> None:
        if self.rng.random() < ABANDONED_SHARE:
            for seat in list(state.tokens):
                if not state.is_over:
                    self.step([self.clients.leave(state, seat)])
        for _ in range(_MAX_STEPS):
            if state.is_over:
                break
            request, in_time = self.clients.next_move(state), self._in_time(state)
            (answer,) = self.step([request])
            if not answer.succeeded and in_time:
                self.checker.violations.append(f"{answer} to a legal move: {request}")
                return
        self._repeat_moves(state)
        assert state.game is not None, "a known game has a commit"
        self.counts["abandoned" if state.game.abandoned else "finished"] += 1
        if state.game.status is not Status.FINISHED:
            self.checker.violations.append(f"{state.game_id} does not end")
        elif not state.game.abandoned:
            self._check_replay(state)
            self._play_again(state)

    def _play_again(self, state: GameState) -> None:
        """Ask for rematches while everything fails, then without faults; all who can, join."""
        before = set(self.checker.games)
        seats = sorted(state.tokens)
        self.injector.rate = _REMATCH_FAULT_RATE
        for _ in range(3):
            asked = [self.clients.rematch(state, self.rng.choice(seats)) for _ in range(2)]
            self.step([*asked, Request("getGame", state.game_id)])
        self.injector.rate = 0.0
        self.injector.deliver(share=1.0)
        self.step([self.clients.rematch(state, seats[0])])
        for keyed in list(self.checker.keys.values()):
            if keyed.outcome_unknown and keyed.answer is None:
                self.step([keyed.request])
        (view,) = self.step([Request("getGame", state.game_id)])
        made = set(self.checker.games) - before
        if made != {view.fields["rematch"]}:
            self.checker.violations.append(f"{made} follow {state.game_id}, not {view.fields}")
        for each in map(self.checker.games.__getitem__, sorted(made)):
            while each.is_known and each.game and each.game.status is Status.WAITING:
                self.step([self.clients.next_move(each)])
            for seat in list(each.tokens):
                self.step([self.clients.leave(each, seat)])

    def _repeat_moves(self, state: GameState) -> None:
        """Repeat the newest move of each seat, and those around the oldest kept answer."""
        for seat in sorted({*state.tokens, *state.left}):
            moves = self.checker.keyed_moves(state.game_id, seat)
            for later in (0, NEWEST - 1, NEWEST, NEWEST + 5):
                if later < len(moves):
                    self.step([moves[-1 - later]])

    def _in_time(self, state: GameState) -> bool:
        """Whether the turn is not overdue; without faults a step takes no time."""
        deadline = None if state.game is None else state.game.deadline
        return deadline is None or self.now < deadline

    def _check_replay(self, state: GameState) -> None:
        """Play a finished game again from its secret and its actions, and compare the events."""
        (answer,) = self.step([Request("getReplay", state.game_id)])
        replay = answer.fields
        played = [event for event in replay["events"] if not event["type"].startswith("seat_")]
        events = [{**event, "seq": seq} for seq, event in enumerate(played, 1)]
        seats = [{**seat, "kind": "ai"} for seat in replay["seats"]]  # so that none has joined
        try:
            Replayer({**replay, "seats": seats, "events": events}).check()
        except AssertionError as error:
            self.checker.violations.append(f"{state.game_id}: {error}")


@contextmanager
def _decided_by_seed(seed: int) -> Iterator[None]:
    """Replace the source of ids, tokens and secrets by the seed's generator.

    No request waits for the review that another one makes: it would wait with the scheduler's turn.
    """
    rng = random.Random(f"secrets {seed}")

    def run(_flights: SingleFlight, _key: object, make: Callable[[], bytes]) -> bytes:
        return make()

    with (
        mock.patch.object(secrets, "token_bytes", lambda count=32: rng.randbytes(count)),
        mock.patch.object(SingleFlight, "run", run),
    ):
        yield


def simulate(
    seed: int,
    steps: int = STEPS,
    model: Callable[[], ModelStore] = ModelStore,
    *,
    ends: bool = True,
) -> Report:
    """Run one seed until its last step or its first violation; `ends`: then finish all games."""
    with _decided_by_seed(seed):
        simulation = Simulation(seed, model())
        for _ in range(steps):
            simulation.random_step()
            if simulation.checker.violations:
                break
        else:
            if ends:
                simulation.finish()
    counts = simulation.counts + simulation.injector.counts + simulation.checker.counts
    return Report(seed, simulation.trace, simulation.checker.violations, counts)


def simulations(seeds: int = 2_000, steps: int = STEPS, processes: int = 2) -> Outcome:
    """Run the simulation for each of so many seeds."""
    if processes == 1:
        reports = [_without_trace(seed, steps) for seed in range(seeds)]
    else:
        with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
            reports = list(
                pool.map(partial(_without_trace, steps=steps), range(seeds), chunksize=20)
            )
    counts = sum((report.counts for report in reports), Counter())
    summary = (
        f"{seeds} seeds of {steps} steps, {counts['requests']} requests;"
        f" {counts['Stale']} version conflicts, {_fault_counts(counts)};"
        f" {counts['idempotency-key-expired']} expired keys repeated,"
        f" {counts['repeated']} requests of unknown outcome repeated,"
        f" {counts['finished']} games finished, {counts['rematches']} of them played again,"
        f" {counts['abandoned']} left by all humans"
    )
    violations = [f"seed {report.seed}: {each}" for report in reports for each in report.violations]
    return Outcome(summary, violations)


def _without_trace(seed: int, steps: int) -> Report:
    report = simulate(seed, steps)
    return Report(seed, (), report.violations, report.counts)


def _fault_counts(counts: Counter[str]) -> str:
    refused = counts["REFUSED"]
    lost = counts["LOST"] + counts["UNSENT"] + counts["RETRIED"]
    killed = counts["KILLED_BEFORE"] + counts["KILLED_AFTER"]
    return f"{refused} calls refused, {lost} lost, {counts['LATE']} late, {killed} workers killed"


TRIALS = [
    Trial(
        "With any faults of store and workers: acknowledged changes stay, nothing is made twice, "
        "a refused request changes nothing, and every game ends.",
        "Deterministic simulation: requests interleave at the calls to the store",
        simulations,
    ),
]


def main(arguments: Sequence[str]) -> int:
    report = simulate(*map(int, arguments))
    print(*report.trace, sep="\n")
    print(*(f"violation: {each}" for each in report.violations), sep="\n")
    return int(bool(report.violations))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
