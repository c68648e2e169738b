"""Four faults that a store of games may have, planted to see that the trials would find them.

Each is a store of its own (`Plain`) with one well-known mistake in its commit. A real app on it
is played by the clients of all other trials, through a proxy that loses answers of the store,
by workers that now and then die between the store and their answer. What they are told has to
contradict the promises; the real store in the same place keeps them all.
"""

from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing

import redis
from flask import Flask
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.app import create_app
from service.config import Config
from service.runtime.embedded_server import throwaway_server
from service.store.game_store import Store
from service.store.models import Commit, Done, Kept, RecordKey, Stale, Stored
from tests.chaos.crashes.lost_answers import COMMIT, Cutter, unix_target
from tests.chaos.traffic.linearizability import Record
from tests.chaos.traffic.load import Habits, play
from tests.chaos.traffic.wire import Answer, LostError, Request
from tests.chaos.trial import Outcome, Trial

_HABITS = Habits(twins=0.15, rivals=0.2, keyless=0.5)
_CLIENTS = 3
_CUTS, _DEATHS, _MISHAPS = 0.2, 0.03, 0.5
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


class Death(BaseException):
    """The worker was killed here: no code of its own may run after it."""


class Plain(Store):
    """A store as it is written at first: a compare-and-set, and the client's own retries.

    A commit whose answer was lost is sent again, and finds its own success in its way. What
    is not needed here, such as lifetimes, is left out.
    """

    def __init__(self, url: str, rng: random.Random) -> None:
        # The client would retry by itself without being told to, only with pauses.
        self._client = redis.Redis.from_url(url, retry=Retry(NoBackoff(), 10))
        self._rng = rng

    def read(
        self, game_id: str, record: RecordKey | None = None
    ) -> tuple[Stored | None, bytes | None]:
        version, state, meta = self._client.hmget(_game(game_id), "version", "state", "meta")
        kept = self._client.get(_record(game_id, record)) if record else None
        return (Stored(int(version), state, meta) if version else None), kept

    def events(self, game_id: str, after: int, limit: int) -> list[bytes]:
        return self._client.lrange(_log(game_id), after, after + limit - 1) if limit > 0 else []

    def events_at(self, game_id: str, seqs: Sequence[int]) -> list[bytes]:
        found = [self._client.lindex(_log(game_id), seq - 1) for seq in seqs]
        return [event for event in found if event is not None]

    def close(self) -> None:
        self._client.close()

    def commit(self, commit: Commit) -> Done | Kept | Stale:
        return self._written(commit, commit.record)

    def _written(self, commit: Commit, record: bytes) -> Done | Stale:
        game, stored = commit.game_id, commit.stored
        keys = (_game(game), _log(game), _record(game, commit.record_key))
        values = (commit.expected, stored.version, stored.state, stored.meta, record)
        done = self._client.eval(_COMPARE_AND_SET, 3, *keys, *values, *commit.events)
        return Done() if done else Stale(self._version(game))

    def _version(self, game_id: str) -> int:
        return int(self._client.hget(_game(game_id), "version") or 0)


class Unwatched(Plain):
    """Its watch is lost where the connection is, and nobody is told."""

    def commit(self, commit: Commit) -> Done | Kept | Stale:
        game, stored = commit.game_id, commit.stored
        with self._client.pipeline() as pipe:
            pipe.watch(_game(game))
            version = int(pipe.hget(_game(game), "version") or 0)
            if version != commit.expected:
                return Stale(version)
            time.sleep(_SECONDS_BETWEEN)
            if self._rng.random() < _MISHAPS:  # the next command connects again by itself
                pipe.connection.disconnect()
            pipe.multi()
            fields = {"version": stored.version, "state": stored.state, "meta": stored.meta}
            pipe.hset(_game(game), mapping=fields)
            if commit.events:
                pipe.rpush(_log(game), *commit.events)
            pipe.set(_record(game, commit.record_key), commit.record)
            try:
                pipe.execute()
            except redis.WatchError:
                return Stale(version + 1)
        return Done()


class Apart(Plain):
    """Writes the record of a request after the game, where the worker may have died between."""

    def commit(self, commit: Commit) -> Done | Kept | Stale:
        outcome = self._written(commit, b"")
        if isinstance(outcome, Done):
            if self._rng.random() < _MISHAPS:
                raise Death
            self._client.set(_record(commit.game_id, commit.record_key), commit.record)
        return outcome


class Eager(Plain):
    """Answers before it has written, and writes later, if its worker has not died before."""

    def __init__(self, url: str, rng: random.Random) -> None:
        super().__init__(url, rng)
        self._waiting: queue.SimpleQueue[Commit | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def commit(self, commit: Commit) -> Done | Kept | Stale:
        version = self._version(commit.game_id)
        if version != commit.expected:
            return Stale(version)
        if version == 0:  # else there would be no game to play
            return super().commit(commit)
        self._waiting.put(commit)
        return Done()

    def close(self) -> None:
        self._waiting.put(None)
        self._thread.join()
        super().close()

    def _write(self) -> None:
        while (commit := self._waiting.get()) is not None:
            if self._rng.random() >= _MISHAPS:
                self._written(commit, commit.record)


class AppWire:
    """Calls an app in this process; now and then it dies after its work, before its answer."""

    def __init__(self, app: Flask, rng: random.Random) -> None:
        self._app = app
        self._rng = rng

    def send(self, request: Request) -> Answer:
        try:
            answer = self._app.test_client().open(
                request.path, method=request.method, data=request.content, headers=request.headers
            )
        except Death:
            raise LostError("the worker has died") from None
        if self._rng.random() < _DEATHS:
            raise LostError("the worker has died")
        return Answer(answer.status_code, answer.headers.get("ETag"), answer.get_data())


Maker = Callable[[str, random.Random], Store]
FAULTS: dict[str, Maker] = {
    "the client retries a commit that was made": Plain,
    "the watch is lost with the connection": Unwatched,
    "the idempotency record is written apart": Apart,
    "the answer is given before the write": Eager,
}


def real(url: str, _: random.Random) -> Store:
    """The store of the service."""
    return Store.from_url(url, connections=4 * _CLIENTS)


def play_games(make: Maker, moves: int, seed: str) -> Record:
    """Play so many moves on a store that `make` makes, or until it is hopeless."""
    rng, record = random.Random(seed), Record()
    with ExitStack() as stack:
        server = stack.enter_context(throwaway_server())
        proxy = stack.enter_context(Cutter(unix_target(server.url), COMMIT, _CUTS, rng))
        store = stack.enter_context(closing(make(f"redis://127.0.0.1:{proxy.port}/0", rng)))
        app = create_app(Config(log_level="CRITICAL"), store)
        play(
            AppWire(app, rng),
            record,
            _HABITS,
            seed,
            clients=_CLIENTS,
            enough=lambda: record.moves >= moves,
            to_the_end=False,
        )
    return record


def run(seeds: int = 10, moves: int = 200) -> Outcome:
    """Plant each fault so many times, and play as much on the real store."""
    caught, violations = 0, list[str]()
    for seed in map(str, range(seeds)):
        for fault, make in FAULTS.items():
            if play_games(make, moves, seed).violations():
                caught += 1
            else:
                violations.append(f"seed {seed}: not noticed: {fault}")
        violations += [
            f"seed {seed}: {violation}" for violation in play_games(real, moves, seed).violations()
        ]
    done = (
        f"{caught} of {seeds * len(FAULTS)} planted faults caught, {len(FAULTS)} kinds;"
        f" {seeds} runs of {moves} moves on the real store"
    )
    return Outcome(done, violations)


TRIALS = (
    Trial(
        "a store that doubles, forgets or answers too early would be noticed",
        "four planted faults and the real store under one load of cuts and deaths",
        run,
    ),
)


def _game(game_id: str) -> str:
    return f"plain:{game_id}"


def _log(game_id: str) -> str:
    return f"plain:{game_id}:events"


def _record(game_id: str, key: RecordKey) -> str:
    return f"plain:{game_id}:record:{key.name}"
