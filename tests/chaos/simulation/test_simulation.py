"""The simulation: what it finds, what it does not, and that its store is like the real one."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import redis

from service.errors import CorruptGameError, ServiceError, StorageError
from service.games.meta import Meta
from service.games.responses import Reply, respond
from service.games.transactions import Transactions
from service.store.game_store import Store
from service.store.models import Commit, RecordKey, Stored
from tests.chaos.simulation.faulty_store import ModelStore
from tests.chaos.simulation.scheduler import Baton
from tests.chaos.simulation.simulation import simulate, simulations

ROOT = Path(__file__).parents[3]
ENOUGH = 10
"""Seeds within which a planted fault has to be found."""


def test_a_few_simulated_services_keep_every_promise() -> None:
    outcome = simulations(seeds=4, processes=1)
    assert outcome.violations == []
    numbers = re.findall(r"(\d+) ([a-z ]+)", outcome.summary)
    assert len(numbers) >= 10
    assert all(int(count) for count, _ in numbers), outcome.summary


def test_a_seed_tells_the_same_story_in_every_process() -> None:
    stories = [
        subprocess.run(
            [sys.executable, "-m", "tests.chaos.simulation.simulation", "5", "30"],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert stories[0] == stories[1]
    assert stories[0].count(" -> ") > 30


def test_another_seed_tells_another_story() -> None:
    assert simulate(1, steps=5, ends=False).story != simulate(2, steps=5, ends=False).story


class NeverLate(ModelStore):
    """Commits whatever the version of the game is by now."""

    def fits(self, commit: Commit, version: int) -> bool:
        return True

    def follows(self, commit: Commit) -> bool:
        return True


class Forgetful(ModelStore):
    """Keeps no record of what was answered."""

    def write(self, commit: Commit) -> None:
        super().write(commit)
        self.records.clear()


class Halfway(ModelStore):
    """Loses the last event of some commits."""

    def write(self, commit: Commit) -> None:
        super().write(commit)
        if len(commit.events) > 4:
            self.logs[commit.game_id].pop()


def seeds_to_find(model: Callable[[], ModelStore] = ModelStore) -> int:
    """How many seeds it takes to find what is wrong, without playing any game out."""
    return next(
        seed for seed in range(ENOUGH) if simulate(seed, model=model, ends=False).violations
    )


@pytest.mark.parametrize("model", [NeverLate, Forgetful, Halfway])
def test_a_store_that_breaks_its_word_is_found_out(model: type[ModelStore]) -> None:
    assert seeds_to_find(model) < ENOUGH


def test_an_answer_before_its_commit_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    commit = Transactions._commit

    def hasty(self: Transactions, following: Any, reply: Reply, *others: Any) -> Any:
        try:
            return commit(self, following, reply, *others)
        except StorageError:
            return respond(reply, following)

    monkeypatch.setattr(Transactions, "_commit", hasty)
    assert seeds_to_find() < ENOUGH


def test_a_token_that_outlives_its_seat_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with_token = Meta.with_token

    def kept(self: Meta, seat: int, token: str | None) -> Meta:
        return self if token is None else with_token(self, seat, token)

    monkeypatch.setattr(Meta, "with_token", kept)
    assert seeds_to_find() < ENOUGH


class Pair:
    """The model and a real store, asked the same."""

    def __init__(self, url: str) -> None:
        self.model = ModelStore()
        self.store = Store.from_url(url, connections=2)

    def ask(self, method: str, *arguments: Any) -> object:
        """What both give, or the class of what both raise."""
        ours, theirs = (_outcome(each, method, arguments) for each in (self.model, self.store))
        assert ours == theirs, (method, arguments)
        return ours


def _outcome(store: object, method: str, arguments: tuple[Any, ...]) -> object:
    try:
        return getattr(store, method)(*arguments)
    except ServiceError as error:
        return type(error)


def random_commit(chance: random.Random, model: ModelStore) -> Commit:
    """A commit that mostly fits the game as it is."""
    game_id = f"game-{chance.randrange(4)}-{'x' * 15}"
    version, logged = model.version(game_id), len(model.logs.get(game_id, []))
    expected = version if chance.random() < 0.8 else chance.randrange(9)
    nonce = f"nonce {chance.randrange(6)}" if chance.random() < 0.5 else ""
    name = "own" if nonce else f"seat:{chance.randrange(12)}"
    events = [f"event {chance.random()}".encode() for _ in range(chance.randrange(1, 4))]
    return Commit(
        game_id=game_id,
        expected=expected,
        stored=Stored(expected + 1, f"state {chance.random()}".encode(), b"meta"),
        events=events,
        logged=logged if chance.random() < 0.9 else logged + 1,
        record_key=RecordKey(name, nonce),
        record=f"record\n{chance.random()}".encode(),
        record_ttl=chance.randrange(1_000, 2_000),
        game_ttl=chance.randrange(3_000, 4_000),
    )


def test_the_model_does_as_the_real_store(redis_url: str) -> None:
    chance, pair = random.Random(313), Pair(redis_url)
    seen: set[object] = set()
    for _ in range(600):
        commit = random_commit(chance, pair.model)
        outcome = pair.ask("commit", commit)
        seen.add(outcome if isinstance(outcome, type) else type(outcome).__name__)
        game_id, after = commit.game_id, chance.randrange(8)
        pair.ask("read", game_id)
        pair.ask("read", game_id, commit.record_key)
        pair.ask("events", game_id, after, chance.randrange(5))
        pair.ask("events_at", game_id, [after + 1, 1, 90])
        if chance.random() < 0.05:
            pair.ask("delete", game_id)
    assert seen == {"Done", "Kept", "Stale", CorruptGameError}
    with redis.Redis.from_url(redis_url) as server:
        for (game_id, name), seconds in pair.model.lifetimes.items():
            left = server.ttl(f"{{g:{game_id}}}:{name}")
            assert left == -2 or seconds - 60 < left <= seconds, name
    pair.store.close()


def test_calls_take_turns_and_come_to_their_end() -> None:
    baton, told = Baton(random.Random(1)), []

    def call(name: str) -> str:
        for _ in range(5):
            told.append(name)
            baton.pass_on()
        return name

    assert baton.run([lambda: call("a"), lambda: call("b"), lambda: call("c")]) == ["a", "b", "c"]
    assert (len(told), sorted(told) == told) == (15, False)


def test_what_a_call_raises_is_raised_where_it_is_waited_for() -> None:
    def fails() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Baton(random.Random(1)).run([fails, lambda: None])
