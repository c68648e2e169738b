"""Seeded faults: stores with a known fault, which the checks of the other trials must detect.

Each fault is a class with one well-known mistake in its commit. The app runs over it under the load
of the other trials: a proxy loses answers of the store, and now and then a worker is killed between
the commit and its answer. The history must then have violations. With the real store in the same
place it must have none.
"""

from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from typing import Any

import redis
from flask import Flask
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.app import create_app
from service.config import Config
from service.store import models
from service.store.game_store import GameStore
from service.store.models import (
    Commit,
    Committed,
    MoveKey,
    Nonce,
    Record,
    RecordKey,
    Stale,
    StoredGame,
)
from tests.chaos.crashes.lost_answers import COMMIT_COMMAND, CuttingProxy, unix_target
from tests.chaos.simulation.faulty_store import NoSubscription
from tests.chaos.traffic.history import History
from tests.chaos.traffic.http_client import Answer, LostAnswerError, Request
from tests.chaos.traffic.load import Workload, run_load
from tests.chaos.trial import Outcome, Trial
from tests.nodes import throwaway_server

_WORKLOAD = Workload(duplicates=0.15, conflicts=0.2, keyless=0.5, expired_repeats=0.0)
_CLIENTS = 3
_CUT_SHARE, _KILL_SHARE, _FAULT_SHARE = 0.2, 0.03, 0.5
_SECONDS_BETWEEN = 0.002
_COMPARE_AND_SET = """
if (redis.call('HGET', KEYS[1], 'version') or '0') ~= ARGV[1] then
  return 0
end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'state', ARGV[3], 'meta', ARGV[4])
for place = 6, #ARGV do
  redis.call('RPUSH', KEYS[2], ARGV[place])
end
if ARGV[5] ~= '' then
  redis.call('SET', KEYS[3], ARGV[5])
end
return 1
"""


class WorkerKilled(BaseException):
    """The worker is killed at this point: none of its code may run afterwards."""


class SimpleStore(GameStore):
    """A simple store: a compare-and-set, and the Redis client's own retries.

    Its fault: a commit whose answer was lost is sent again and then conflicts with itself. It sets
    no lifetimes, since no trial with it waits for them, and every record stays.
    """

    subscription: Any = NoSubscription()

    def __init__(self, url: str, rng: random.Random) -> None:
        # The client's default retries have pauses.
        self._client = redis.Redis.from_url(url, retry=Retry(NoBackoff(), 10))
        self._rng = rng

    def read(
        self, game_id: str, key: RecordKey | MoveKey | None = None
    ) -> tuple[StoredGame | None, Record]:
        version, state, meta = self._client.hmget(_game(game_id), "version", "state", "meta")
        recorded = self._client.get(_record(game_id, key)) if key else None
        return (StoredGame(int(version), state, meta) if version else None), recorded

    def events(self, game_id: str, after: int, limit: int) -> list[bytes]:
        return self._client.lrange(_log(game_id), after, after + limit - 1) if limit > 0 else []

    def events_at(self, game_id: str, seqs: Sequence[int]) -> list[bytes]:
        values = [self._client.lindex(_log(game_id), seq - 1) for seq in seqs]
        return [event for event in values if event is not None]

    def has_record(self, game_id: str, key: RecordKey) -> bool:
        return self.read(game_id, key)[1] is not None

    def close(self) -> None:
        self._client.close()

    def commit(self, commit: Commit) -> models.Outcome:
        return self._write(commit, commit.record)

    def _write(self, commit: Commit, record: bytes) -> Committed | Stale:
        game, stored = commit.game_id, commit.stored
        keys = (_game(game), _log(game), _record(game, commit.key))
        values = (commit.expected, stored.version, stored.state, stored.meta, record)
        done = self._client.eval(_COMPARE_AND_SET, 3, *keys, *values, *commit.events)
        return Committed() if done else Stale(self._version(game))

    def _version(self, game_id: str) -> int:
        return int(self._client.hget(_game(game_id), "version") or 0)


class UnreportedWatchStore(SimpleStore):
    """Its fault: a WATCH is lost with the connection, and the commit does not notice."""

    def commit(self, commit: Commit) -> models.Outcome:
        game, stored = commit.game_id, commit.stored
        with self._client.pipeline() as pipe:
            pipe.watch(_game(game))
            version = int(pipe.hget(_game(game), "version") or 0)
            if version != commit.expected:
                return Stale(version)
            time.sleep(_SECONDS_BETWEEN)
            if self._rng.random() < _FAULT_SHARE:  # the next command opens a new connection
                pipe.connection.disconnect()
            pipe.multi()
            fields = {"version": stored.version, "state": stored.state, "meta": stored.meta}
            pipe.hset(_game(game), mapping=fields)
            if commit.events:
                pipe.rpush(_log(game), *commit.events)
            if commit.record:
                pipe.set(_record(game, commit.key), commit.record)
            try:
                pipe.execute()
            except redis.WatchError:
                return Stale(version + 1)
        return Committed()


class SeparateRecordStore(SimpleStore):
    """Its fault: the idempotency record is written after the game, and a kill may come between."""

    def commit(self, commit: Commit) -> models.Outcome:
        outcome = self._write(commit, b"")
        if isinstance(outcome, Committed):
            if self._rng.random() < _FAULT_SHARE:
                raise WorkerKilled
            if commit.record:
                self._client.set(_record(commit.game_id, commit.key), commit.record)
        return outcome


class EarlyAnswerStore(SimpleStore):
    """Its fault: it answers before it writes, and the write is lost if the worker is killed."""

    def __init__(self, url: str, rng: random.Random) -> None:
        super().__init__(url, rng)
        self._waiting: queue.SimpleQueue[Commit | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write_later, daemon=True)
        self._thread.start()

    def commit(self, commit: Commit) -> models.Outcome:
        version = self._version(commit.game_id)
        if version != commit.expected:
            return Stale(version)
        if version == 0:  # a new game is written at once, since the client needs it
            return super().commit(commit)
        self._waiting.put(commit)
        return Committed()

    def close(self) -> None:
        self._waiting.put(None)
        self._thread.join()
        super().close()

    def _write_later(self) -> None:
        while (commit := self._waiting.get()) is not None:
            if self._rng.random() >= _FAULT_SHARE:
                self._write(commit, commit.record)


class AppTransport:
    """Calls an app in this process; some answers are lost, as if the worker had been killed."""

    def __init__(self, app: Flask, rng: random.Random) -> None:
        self._app = app
        self._rng = rng

    def send(self, request: Request) -> Answer:
        try:
            answer = self._app.test_client().open(
                request.path, method=request.method, data=request.content, headers=request.headers
            )
        except WorkerKilled:
            raise LostAnswerError("the worker was killed") from None
        if self._rng.random() < _KILL_SHARE:
            raise LostAnswerError("the worker was killed")
        return Answer(answer.status_code, answer.headers.get("ETag"), answer.get_data())


StoreFactory = Callable[[str, random.Random], GameStore]
FAULTS: dict[str, StoreFactory] = {
    "the Redis client retries a commit that was made": SimpleStore,
    "the watch is lost with the connection": UnreportedWatchStore,
    "the idempotency record is written separately": SeparateRecordStore,
    "the answer is given before the write": EarlyAnswerStore,
}


def real_store(url: str, _: random.Random) -> GameStore:
    """The store of the service."""
    return GameStore.from_url(url, connections=4 * _CLIENTS)


def play_games(make: StoreFactory, moves: int, seed: str) -> History:
    """The history of so many moves on the store that `make` makes, or of fewer with violations."""
    rng, history = random.Random(seed), History()
    with ExitStack() as stack:
        server = stack.enter_context(throwaway_server())
        proxy = stack.enter_context(
            CuttingProxy(unix_target(server.url), COMMIT_COMMAND, _CUT_SHARE, rng)
        )
        store = stack.enter_context(closing(make(f"redis://127.0.0.1:{proxy.port}/0", rng)))
        app = create_app(Config(log_level="CRITICAL"), store)
        run_load(
            AppTransport(app, rng),
            history,
            _WORKLOAD,
            seed,
            clients=_CLIENTS,
            enough=lambda: history.moves >= moves,
            to_the_end=False,
        )
    return history


def run(seeds: int = 10, moves: int = 200) -> Outcome:
    """Run the load on each faulty store and on the real one, once for each seed."""
    detected, violations = 0, list[str]()
    for seed in map(str, range(seeds)):
        for fault, make in FAULTS.items():
            if play_games(make, moves, seed).violations():
                detected += 1
            else:
                violations.append(f"seed {seed}: not detected: {fault}")
        violations += [
            f"seed {seed}: {violation}"
            for violation in play_games(real_store, moves, seed).violations()
        ]
    summary = (
        f"{detected} of {seeds * len(FAULTS)} runs with a seeded fault detected, {len(FAULTS)}"
        f" kinds; {seeds} runs of {moves} moves on the real store"
    )
    return Outcome(summary, violations)


TRIALS = (
    Trial(
        "The trials detect a store that writes twice, loses records or answers before it writes.",
        "Four faulty stores, and the real store, under lost answers and killed workers",
        run,
    ),
)


def _game(game_id: str) -> str:
    return f"simple:{game_id}"


def _log(game_id: str) -> str:
    return f"simple:{game_id}:events"


def _record(game_id: str, key: RecordKey | MoveKey | Nonce) -> str:
    match key:
        case MoveKey(owner=owner, key_id=key_id):
            return f"simple:{game_id}:record:{owner}:{key_id.hex()}"
        case RecordKey(name=name):
            return f"simple:{game_id}:record:{name}"
        case Nonce():
            return f"simple:{game_id}:record"
