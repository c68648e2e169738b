"""The simulation, small; that it detects seeded faults; and its model against the real store."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import redis

from service.errors import CorruptGameError, ServiceError, StorageError
from service.games.answers.responses import Reply, respond
from service.games.stored.meta import Meta
from service.games.transactions import Transactions
from service.store.game_store import GameStore
from service.store.models import Commit, KeyExpired, MoveKey, Nonce, Record, RecordKey, StoredGame
from tests.chaos.simulation import invariants
from tests.chaos.simulation.faulty_store import ModelStore
from tests.chaos.simulation.invariants import CAUSES
from tests.chaos.simulation.messages import CHANGING, OPERATIONS
from tests.chaos.simulation.scheduler import Scheduler
from tests.chaos.simulation.simulation import STEPS, simulate, simulations

ROOT = Path(__file__).parents[3]
ENOUGH = 10
"""The number of seeds that must be enough to detect a seeded fault."""


def test_every_invariant_holds_in_a_few_simulations() -> None:
    outcome = simulations(seeds=6, processes=1)
    assert outcome.violations == []
    numbers = re.findall(r"(\d+) ([a-z ]+)", outcome.summary)
    assert len(numbers) >= 10
    assert all(int(count) for count, _ in numbers), outcome.summary


def test_every_operation_on_games_is_sent_in_some_simulation() -> None:
    sent: Counter[str] = sum(
        (simulate(seed, steps=100, ends=False).counts for seed in range(ENOUGH)), Counter()
    )
    missing = [name for name in OPERATIONS if not sent[name]]
    assert not missing, f"tests/chaos/simulation/clients.py never sends {missing}"


def test_every_changing_operation_has_the_event_that_it_is_made_of() -> None:
    missing, unknown = set(CHANGING) - set(CAUSES), set(CAUSES) - set(CHANGING)
    assert not missing, f"add to CAUSES in {invariants.__file__}: {sorted(missing)}"
    assert not unknown, f"no changing operations: {sorted(unknown)}"


def test_a_seed_gives_the_same_trace_in_every_process() -> None:
    runs = [
        subprocess.run(
            [sys.executable, "-m", "tests.chaos.simulation.simulation", "5", "30"],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=False,
        )
        for seed in ("1", "2")
    ]
    traces = [run.stdout for run in runs]
    assert [run.returncode for run in runs] == [0, 0], traces[0][-500:] + runs[0].stderr[-500:]
    assert traces[0] == traces[1]
    assert traces[0].count(" -> ") > 30


def test_a_rematch_that_nobody_completes_is_a_violation() -> None:
    with mock.patch("service.games.rematches.is_missing", return_value=False):
        assert any(simulate(seed).violations for seed in range(ENOUGH))


def test_another_seed_gives_another_trace() -> None:
    assert simulate(1, steps=5, ends=False).trace != simulate(2, steps=5, ends=False).trace


class NoVersionCheckStore(ModelStore):
    """Its fault: it commits without comparing the version."""

    def fits(self, commit: Commit, version: int) -> bool:
        return True

    def follows(self, commit: Commit) -> bool:
        return True


class NoRecordStore(ModelStore):
    """Its fault: it keeps no idempotency record."""

    def write(self, commit: Commit) -> None:
        super().write(commit)
        self.records.clear()
        self.moves.clear()


class ForgetfulStore(ModelStore):
    """Its fault: it forgets the keys whose records have made room, so that they move again."""

    def recorded(self, game_id: str, key: RecordKey | MoveKey) -> Record:
        record = super().recorded(game_id, key)
        return None if isinstance(record, KeyExpired) else record


class FewerRecordsStore(ModelStore):
    """Its fault: a record makes room one move too early."""

    newest = 7


class MoreRecordsStore(ModelStore):
    """Its fault: a record makes room one move too late."""

    newest = 9


class SharedRecordsStore(ModelStore):
    """Its fault: the records of all seats make room for each other."""

    def recorded(self, game_id: str, key: RecordKey | MoveKey) -> Record:
        return super().recorded(game_id, _shared(key))

    def write(self, commit: Commit) -> None:
        super().write(replace(commit, key=_shared(commit.key)))


def _shared(key: Any) -> Any:
    return replace(key, owner="all") if isinstance(key, MoveKey) else key


class PartialCommitStore(ModelStore):
    """Its fault: it loses the last event of some commits."""

    def write(self, commit: Commit) -> None:
        super().write(commit)
        if len(commit.events) > 4:
            self.logs[commit.game_id].pop()


def is_detected(model: Callable[[], ModelStore] = ModelStore, steps: int = STEPS) -> bool:
    """Whether one of the first seeds has a violation, without finishing its games."""
    reports = (simulate(seed, steps, model, ends=False) for seed in range(ENOUGH))
    return any(report.violations for report in reports)


@pytest.mark.parametrize("model", [NoVersionCheckStore, NoRecordStore, PartialCommitStore])
def test_a_seeded_fault_of_the_store_is_detected(model: type[ModelStore]) -> None:
    assert is_detected(model)


@pytest.mark.parametrize(
    "model", [ForgetfulStore, FewerRecordsStore, MoreRecordsStore, SharedRecordsStore]
)
def test_a_seeded_fault_of_the_newest_records_is_detected(model: type[ModelStore]) -> None:
    assert is_detected(model, 2 * STEPS)  # a seat must have made more than eight moves


def test_an_answer_that_is_sent_before_its_commit_is_written_is_detected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    commit = Transactions._commit

    def answer_anyway(self: Transactions, following: Any, reply: Reply, *others: Any) -> Any:
        try:
            return commit(self, following, reply, *others)
        except StorageError:
            return respond(reply, following)

    monkeypatch.setattr(Transactions, "_commit", answer_anyway)
    assert is_detected()


def test_a_token_that_stays_valid_after_its_seat_was_left_is_detected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_token = Meta.with_token

    def never_remove(self: Meta, seat: int, token: str | None) -> Meta:
        return self if token is None else with_token(self, seat, token)

    monkeypatch.setattr(Meta, "with_token", never_remove)
    assert is_detected()


class StorePair:
    """The model and a real store; both get the same calls."""

    def __init__(self, url: str) -> None:
        self.model = ModelStore()
        self.store = GameStore.from_url(url, connections=2)

    def call(self, method: str, *arguments: Any) -> object:
        """The result of both, or the class of the error that both raise; they must be equal."""
        ours, theirs = (_outcome(each, method, arguments) for each in (self.model, self.store))
        assert ours == theirs, (method, arguments)
        return ours


def _outcome(store: object, method: str, arguments: tuple[Any, ...]) -> object:
    try:
        return getattr(store, method)(*arguments)
    except ServiceError as error:
        return type(error)


def random_key(rng: random.Random) -> RecordKey | MoveKey | Nonce:
    """A nonce, the key of a whole record or one of an owner, now and then after its lifetime."""
    kind, now = rng.random(), 1_800_000_000 + rng.choice((0, 0, 0, 1_500, 3_000))
    if kind < 0.25:
        return Nonce(b"nonce %d" % rng.randrange(6))
    if kind < 0.4:
        return RecordKey(f"create:{rng.randrange(12)}")
    return MoveKey(rng.choice(("ann", "bea")), b"key %08d" % rng.randrange(30), now)


def random_commit(rng: random.Random, model: ModelStore) -> Commit:
    """A commit that fits the game in most cases."""
    game_id = f"game-{rng.randrange(4)}-{'x' * 15}"
    version, logged = model.version(game_id), len(model.logs.get(game_id, []))
    expected = version if rng.random() < 0.8 else rng.randrange(9)
    events = [f"event {rng.random()}".encode() for _ in range(rng.randrange(1, 4))]
    return Commit(
        game_id=game_id,
        expected=expected,
        stored=StoredGame(expected + 1, f"state {rng.random()}".encode(), b"meta"),
        events=events,
        logged=logged if rng.random() < 0.9 else logged + 1,
        key=random_key(rng),
        record=f"record\n{rng.random()}".encode(),
        record_ttl=rng.randrange(1_000, 2_000),
        game_ttl=rng.randrange(3_000, 4_000),
    )


def test_the_model_has_the_same_results_as_the_real_store(redis_url: str) -> None:
    rng, pair = random.Random(313), StorePair(redis_url)
    outcomes: set[object] = set()
    for _ in range(600):
        commit = random_commit(rng, pair.model)
        outcome = pair.call("commit", commit)
        outcomes.add(outcome if isinstance(outcome, type) else type(outcome).__name__)
        game_id, after = commit.game_id, rng.randrange(8)
        pair.call("read", game_id)
        for key in (commit.key, random_key(rng)):
            pair.call("read", game_id, None if isinstance(key, Nonce) else key)
        pair.call("events", game_id, after, rng.randrange(5))
        pair.call("events_at", game_id, [after + 1, 1, 90])
        if rng.random() < 0.1:
            pair.call("delete", game_id, rng.choice((commit.expected, commit.stored.version)))
    assert outcomes == {
        "Committed",
        "AlreadyCommitted",
        "KeyExpired",
        "Stale",
        CorruptGameError,
    }
    with redis.Redis.from_url(redis_url) as server:
        for (game_id, name), seconds in pair.model.lifetimes.items():
            left = server.ttl(f"{{g:{game_id}}}:{name}")
            assert left == -2 or seconds - 60 < left <= seconds, name
    pair.store.close()


def test_the_scheduler_interleaves_calls_and_returns_their_results() -> None:
    scheduler, order = Scheduler(random.Random(1)), list[str]()

    def call(name: str) -> str:
        for _ in range(5):
            order.append(name)
            scheduler.switch()
        return name

    assert scheduler.run([partial(call, name) for name in "abc"]) == ["a", "b", "c"]
    assert len(order) == 15
    assert order != sorted(order)


def test_the_scheduler_raises_the_exception_of_a_call() -> None:
    def fails() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Scheduler(random.Random(1)).run([fails, lambda: None])
