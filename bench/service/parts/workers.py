"""How the rate of draws grows with the number of workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from os import cpu_count

from bench.service.batches import Sample, Spread, Subject, in_turn
from bench.service.charts import Curve
from bench.service.games import Game, create, move, replaced, take
from bench.service.servers import Setup, product
from bench.service.size import Size
from bench.tables import Table


@dataclass(frozen=True, slots=True)
class Workers:
    """Batches of draws by number of workers."""

    samples: Mapping[int, Sequence[Sample]]
    size: Size

    def rate(self, workers: int) -> Spread:
        """Requests a second."""
        return Spread.of_rate(self.samples[workers])

    def ratio(self, workers: int) -> Spread:
        """The rate as a multiple of that of one worker, batch by batch."""
        pairs = zip(self.samples[workers], self.samples[1], strict=True)
        return Spread.of([ours.rate / one.rate for ours, one in pairs])

    def table(self) -> Table:
        """A row for each number of workers."""
        rows = tuple(
            (
                f"{workers}",
                self.rate(workers).text(),
                self.ratio(workers).text(".2f"),
                Spread.of_cpu(samples).text(),
            )
            for workers, samples in self.samples.items()
        )
        notes = (
            f"Draws by {self.size.clients_of_workers} clients, on new connections for each batch;",
            f"clients, store and workers share {cpu_count()} cores.",
        )
        headings = ("workers", "draws/s", "of one worker's", "CPU µs a draw")
        return Table("By workers", headings, rows, notes)

    def chart(self) -> Curve:
        """The rate by the number of workers."""
        rates = tuple(map(self.rate, self.samples))
        return Curve("workers", "draws a second", tuple(self.samples), rates)

    def record(self) -> object:
        """The figures as JSON holds them."""
        return {
            workers: {"rate": asdict(self.rate(workers)), "ratio": asdict(self.ratio(workers))}
            for workers in self.samples
        }


def measure(setup: Setup, size: Size, silent: bool) -> Workers:
    """Measure draws with each number of workers, in turn."""
    with ExitStack() as stack:
        one = stack.enter_context(Subject(setup.product, size.clients))
        servers = {1: setup.product}
        for workers in size.more_workers:
            servers[workers] = stack.enter_context(product(setup.store.url, workers))
        subjects = {
            workers: Subject(server, size.clients_of_workers) for workers, server in servers.items()
        }
        games = create(one.clients, size.requests)

        def draws(workers: int) -> Sample:
            games[:] = replaced(one.clients, games)
            sample = _draws(subjects[workers], games)
            move(one.clients, games)
            return sample

        return Workers(in_turn("workers", [*subjects], size.batches, draws, silent=silent), size)


def _draws(subject: Subject, games: list[Game]) -> Sample:
    """A batch of draws on new connections, which the workers share out among them anew."""
    with subject:
        answers, sample = subject.sample([game.draw() for game in games])
    take(games, answers)
    return sample
