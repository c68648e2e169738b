"""What open streams cost: moves beside them, the worker's memory and threads; how soon they tell.

Two services run on one store, each with one worker: one holds all the streams, the other none. Both
get moves at the same steady rate, in turn move by move, in games that nobody watches.
"""

from __future__ import annotations

import gc
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from statistics import median, quantiles

from bench.progress import Progress
from bench.service.batches import WARM_UP, Spread
from bench.service.clients import Clients
from bench.service.games import Game, create, replaced
from bench.service.servers import Server, Setup, product
from bench.service.size import Size
from bench.service.usage import resident_bytes, threads
from bench.service.watching import Told, open_streams, told
from bench.tables import Table, verdict
from service.runtime.worker.limits import raise_file_limit

RATIO_GOAL = 1.5
MEMORY_GOAL = 150
TOLD_GOAL = 50
_RATE = 20
"""Moves a second."""
_MEGABYTE = 1_000_000
_WITH, _WITHOUT = "with streams", "without"


@dataclass(frozen=True, slots=True)
class Streams:
    """By service: ms of each move of each batch, MB of the worker.

    `threads`: of the worker, by how many streams it holds. `told`: of moves of the game that a
    crowd watches, `told_one`: of one that one spectator watches.
    """

    times: Mapping[str, Sequence[Sequence[float]]]
    memory: Mapping[str, float]
    threads: Mapping[int, int]
    told_one: Sequence[Told]
    told: Sequence[Told]
    size: Size

    def p99(self, name: str) -> Spread:
        """ms that all but one of a hundred moves take at most, batch by batch."""
        return Spread.of([_p99(batch) for batch in self.times[name]])

    @property
    def ratio(self) -> Spread:
        """That of the service with streams as a multiple of the other's."""
        pairs = zip(self.times[_WITH], self.times[_WITHOUT], strict=True)
        return Spread.of([_p99(ours) / _p99(theirs) for ours, theirs in pairs])

    @property
    def told_ms(self) -> float:
        """Median ms from a move's answer to its event at the one who watches; may be negative."""
        return median(1000 * (each.first - each.answer) for each in self.told_one)

    @property
    def told_last_ms(self) -> float:
        """The same to the last of a crowd."""
        return median(1000 * (each.last - each.answer) for each in self.told)

    def table(self) -> Table:
        """A row for each figure."""
        ratio, memory = self.ratio, self.memory[_WITH]
        rows = (
            *(
                (f"p99 of a move, {name}", f"{self.p99(name).text(',.1f')} ms", "", "")
                for name in self.times
            ),
            (
                "the ratio of the two",
                ratio.text(".2f"),
                f"≤ {RATIO_GOAL}",
                verdict(ratio.median <= RATIO_GOAL),
            ),
            *(
                (f"threads of the worker, {count:,} streams", f"{number}", "", "")
                for count, number in self.threads.items()
            ),
            ("memory of the worker, without", f"{self.memory[_WITHOUT]:.1f} MB", "", ""),
            (
                "memory of the worker, with streams",
                f"{memory:.1f} MB",
                f"< {MEMORY_GOAL} MB",
                verdict(memory < MEMORY_GOAL),
            ),
            (
                "from a move's answer to its event, one watches",
                f"{self.told_ms:.1f} ms",
                f"< {TOLD_GOAL} ms",
                verdict(self.told_ms < TOLD_GOAL),
            ),
            (
                f"the same to the last of {self.size.crowd:,} who watch",
                f"{self.told_last_ms:.1f} ms",
                "",
                "",
            ),
        )
        size = self.size
        notes = (
            f"{size.streams:,} streams of spectators, {size.crowd:,} of them of one game. Nobody",
            f"watches the games whose moves are timed: of each service {_RATE} a second, and",
            f"{size.timed_moves} a batch; the two in turn, move by move.",
            "Threads: the first streams start those that see to all of them. An event that arrives",
            "before the answer has a negative time; medians.",
        )
        return Table("Streams", ("what", "measured", "goal", ""), rows, notes)

    def chart(self) -> None:
        """None."""

    def record(self) -> object:
        """The figures as JSON holds them."""
        return {
            "p99_ms": {name: asdict(self.p99(name)) for name in self.times},
            "ratio": asdict(self.ratio),
            "memory": self.memory,
            "threads": self.threads,
            "told_ms": self.told_ms,
            "told_last_ms": self.told_last_ms,
        }


def measure(setup: Setup, size: Size, silent: bool) -> Streams:
    """Open the streams, play beside them, and measure how soon they tell of moves."""
    raise_file_limit()
    with ExitStack() as stack:
        servers = {
            name: stack.enter_context(product(setup.store.url)) for name in (_WITHOUT, _WITH)
        }
        clients = {
            name: stack.enter_context(Clients(each.address, 1)) for name, each in servers.items()
        }
        games = create(clients[_WITHOUT], size.watched_games)
        timed = {name: create(each, _RATE) for name, each in clients.items()}
        (worker,) = servers[_WITH].workers
        counts, crowd = _open(stack, servers[_WITH], games, size, silent)
        times: dict[str, list[list[float]]] = {name: [] for name in servers}
        progress = Progress("moves beside streams", size.batches + WARM_UP, silent)
        for batch in range(size.batches + WARM_UP):
            timed = {name: replaced(clients[name], each) for name, each in timed.items()}
            taken = _paced(clients, timed, size.timed_moves)
            if batch >= WARM_UP:
                for name, batches in times.items():
                    batches.append(taken[name])
            progress.step()
        memory = {name: resident_bytes(*each.workers) / _MEGABYTE for name, each in servers.items()}
        counts[size.streams] = threads(worker)
        address = servers[_WITH].address
        mover = stack.enter_context(socket.create_connection(address))
        one = create(clients[_WITH], 1)
        told_one = _told(mover, one[0], open_streams(stack, address, one), size)
        told_all = _told(mover, games[0], crowd, size)
    return Streams(times, memory, counts, told_one, told_all, size)


def _open(
    stack: ExitStack, server: Server, games: Sequence[Game], size: Size, silent: bool
) -> tuple[dict[int, int], list[socket.socket]]:
    """Open all streams; the worker's threads before and after the first, and those of a crowd."""
    (worker,) = server.workers
    counts = {0: threads(worker)}
    crowd = open_streams(stack, server.address, games[:1])
    counts[1] = threads(worker)
    crowd += open_streams(stack, server.address, [games[0]] * (size.crowd - 1))
    progress = Progress("streams", size.streams, silent)
    progress.step(size.crowd)
    for number in range(size.streams - size.crowd):
        open_streams(stack, server.address, [games[1 + number % (len(games) - 1)]])
        progress.step()
    return counts, crowd


def _paced(
    clients: Mapping[str, Clients], games: Mapping[str, Sequence[Game]], moves: int
) -> dict[str, list[float]]:
    """Make so many moves by each service at a steady rate; the ms that each has taken."""
    taken: dict[str, list[float]] = {name: [] for name in clients}
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        for number in range(moves):
            due = start + number / _RATE
            time.sleep(max(0.0, due - time.perf_counter()))
            for name in [*clients][:: -1 if number % 2 else 1]:
                playing = [game for game in games[name] if not game.is_over]
                game = playing[number % len(playing)]
                answer = clients[name].ask(game.move())
                taken[name].append(1_000 * answer.seconds)
                game.moved(answer)
    finally:
        gc.enable()
    return taken


def _told(
    mover: socket.socket, game: Game, watching: Sequence[socket.socket], size: Size
) -> list[Told]:
    times: list[Told] = []
    while len(times) < size.told_moves and not game.is_over:
        times.append(told(mover, game, watching))
    return times


def _p99(batch: Sequence[float]) -> float:
    return quantiles(batch, n=100, method="inclusive")[-1]
