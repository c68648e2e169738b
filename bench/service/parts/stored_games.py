"""What the number of games in the store changes: the CPU of a draw, the memory of the store.

The games that are only stored are copies of one game of a single turn: its keys under other ids.
They are never played. Each number has a store and a service of its own, so that their batches can
be measured in turn.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field

import redis

from bench.progress import Progress
from bench.service.batches import WARM_UP, Sample, Spread, Subject, in_turn
from bench.service.charts import Curve
from bench.service.games import Game, create, move, replaced, take
from bench.service.keys import copy
from bench.service.servers import Setup, Store, product, store
from bench.service.size import Size
from bench.service.usage import cpu_us
from bench.tables import Table

_POLL_SECONDS = 0.05
_MEGABYTE = 1_000_000


@dataclass(slots=True)
class _Filled:
    """A store with a number of games, and the service on it; `store_cpu` is CPU µs by batch."""

    stored: Store
    subject: Subject
    memory: int
    games: list[Game]
    store_cpu: list[float] = field(default_factory=list)

    def draws(self) -> Sample:
        """A batch of draws; the discards after it are not measured."""
        self.games = replaced(self.subject.clients, self.games)
        before = cpu_us([self.stored.pid])
        answers, sample = self.subject.sample([game.draw() for game in self.games])
        self.store_cpu.append((cpu_us([self.stored.pid]) - before) / len(answers))
        take(self.games, answers)
        move(self.subject.clients, self.games)
        return sample


@dataclass(frozen=True, slots=True)
class StoredGames:
    """By number of games: batches of draws, their CPU µs in the store, the store's bytes."""

    samples: Mapping[int, Sequence[Sample]]
    store_cpu: Mapping[int, Spread]
    memory: Mapping[int, int]

    def cpu(self, games: int) -> Spread:
        """Worker CPU µs of a draw."""
        return Spread.of_cpu(self.samples[games])

    def table(self) -> Table:
        """A row for each number of games."""
        rows = tuple(
            (
                f"{games:,}",
                self.cpu(games).text(),
                self.store_cpu[games].text(),
                f"{memory / _MEGABYTE:,.1f}",
            )
            for games, memory in self.memory.items()
        )
        headings = ("games", "worker CPU µs a draw", "store CPU µs a draw", "store's memory, MB")
        notes = (
            "Beside the games that are played, the store holds so many copies of one game of a",
            "single turn, with its events and three idempotency records.",
        )
        return Table("By games in the store", headings, rows, notes)

    def chart(self) -> Curve:
        """The CPU of a draw by the number of games."""
        costs = tuple(map(self.cpu, self.samples))
        return Curve("games in the store", "CPU µs of a draw", tuple(self.samples), costs)

    def record(self) -> object:
        """The figures as JSON holds them."""
        return {
            games: {
                "cpu": asdict(self.cpu(games)),
                "store_cpu": asdict(self.store_cpu[games]),
                "memory": memory,
            }
            for games, memory in self.memory.items()
        }


def measure(_setup: Setup, size: Size, silent: bool) -> StoredGames:
    """Fill a store with each number of games, and measure draws on all of them in turn."""
    progress = Progress("games in the store", sum(size.stored_games), silent)
    with ExitStack() as stack:
        filled = {games: _fill(stack, games, size, progress) for games in size.stored_games}

        def draws(games: int) -> Sample:
            return filled[games].draws()

        title = "draws by games in the store"
        samples = in_turn(title, [*filled], size.batches, draws, silent=silent)
    return StoredGames(
        samples,
        {games: Spread.of(one.store_cpu[WARM_UP:]) for games, one in filled.items()},
        {games: one.memory for games, one in filled.items()},
    )


def _fill(stack: ExitStack, count: int, size: Size, progress: Progress) -> _Filled:
    stored = stack.enter_context(store())
    server = stack.enter_context(product(stored.url))
    subject = stack.enter_context(Subject(server, size.clients))
    template = create(subject.clients, 1)
    for _ in ("draw", "discard"):
        move(subject.clients, template)
    for made in copy(stored.client, template[0].id, count - 1):
        progress.step(made)
    progress.step()
    _await_rewrite(stored.client)
    memory = stored.client.info("memory")["used_memory"]
    return _Filled(stored, subject, memory, create(subject.clients, size.requests))


def _await_rewrite(client: redis.Redis) -> None:
    """Wait until the server no longer rewrites its append-only file, which costs CPU."""
    while True:
        state = client.info("persistence")
        if not (state["aof_rewrite_in_progress"] or state["aof_rewrite_scheduled"]):
            return
        time.sleep(_POLL_SECONDS)
