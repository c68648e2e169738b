"""A cluster of three masters beside a single server: turns a second, CPU of workers and stores.

All servers and all services run at once, and take turns batch by batch. A turn is the human's draw
and discard, with the turns of the AI players that follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from os import cpu_count

from bench.service.batches import WARM_UP, Sample, Spread, Subject, in_turn
from bench.service.games import Game, create, replaced, sampled_turn
from bench.service.masters import Masters, Spent, masters, spent_on
from bench.service.servers import Server, Setup, product
from bench.service.size import Size
from bench.tables import Table

MASTERS = 3


@dataclass(frozen=True, slots=True)
class Case:
    """One of the services that are compared, and how many clients it has."""

    append_fsync: str
    workers: int
    clients: int
    masters: int

    @property
    def single(self) -> Case:
        """The same on a single server."""
        return Case(self.append_fsync, self.workers, self.clients, 1)


@dataclass(frozen=True, slots=True)
class Cluster:
    """By case: batches of turns, and what the store's servers spent on a turn together."""

    samples: Mapping[Case, Sequence[Sample]]
    store: Mapping[Case, Sequence[Spent]]
    games: int

    def rate_ratio(self, case: Case) -> Spread:
        """The rate as a multiple of that on a single server, batch by batch."""
        pairs = zip(self.samples[case], self.samples[case.single], strict=True)
        return Spread.of([ours.rate / one.rate for ours, one in pairs])

    def cpu_ratio(self, case: Case) -> Spread:
        """The workers' CPU time as a multiple of that on a single server, batch by batch."""
        pairs = zip(self.samples[case], self.samples[case.single], strict=True)
        return Spread.of([ours.cpu / one.cpu for ours, one in pairs])

    def store_cpu(self, case: Case) -> Spread:
        """CPU µs of all servers of the store for a turn."""
        return Spread.of([spent.cpu for spent in self.store[case]])

    def table(self) -> Table:
        """A row for each case."""
        headings = (
            *("appendfsync", "workers", "clients", "masters", "turns/s", "of one master's"),
            *("worker CPU µs", "of one master's", "store CPU µs"),
        )
        notes = (
            "A turn: the human's draw and discard, against three `medium`; a batch has",
            f"{self.games} of them. Store CPU: of all its servers. No replicas.",
            f"Clients, workers and all servers share {cpu_count()} cores and one disk.",
        )
        return Table("On a cluster", headings, tuple(map(self._row, self.samples)), notes)

    def chart(self) -> None:
        """None."""

    def record(self) -> object:
        """The figures as JSON holds them."""
        return [
            {
                **asdict(case),
                "rate": asdict(Spread.of_rate(samples)),
                "rate_ratio": asdict(self.rate_ratio(case)),
                "cpu": asdict(Spread.of_cpu(samples)),
                "cpu_ratio": asdict(self.cpu_ratio(case)),
                "store_cpu": asdict(self.store_cpu(case)),
            }
            for case, samples in self.samples.items()
        ]

    def _row(self, case: Case) -> tuple[str, ...]:
        is_single = case.masters == 1
        return (
            case.append_fsync,
            f"{case.workers}",
            f"{case.clients}",
            f"{case.masters}",
            Spread.of_rate(self.samples[case]).text(),
            "" if is_single else self.rate_ratio(case).text(".2f"),
            Spread.of_cpu(self.samples[case]).text(),
            "" if is_single else self.cpu_ratio(case).text(".2f"),
            self.store_cpu(case).text(),
        )


def _cases(size: Size) -> tuple[Case, ...]:
    return tuple(
        Case(append_fsync, workers, clients, masters)
        for append_fsync in size.append_fsync
        for workers in size.cluster_workers
        for clients in (size.clients, size.clients_of_workers)
        for masters in (1, MASTERS)
    )


def measure(_setup: Setup, size: Size, silent: bool) -> Cluster:
    """Measure turns in each case, in turn."""
    with ExitStack() as stack:
        services: dict[tuple[str, int, int], tuple[Masters, Server]] = {}
        games: dict[Masters, list[Game]] = {}
        for append_fsync in size.append_fsync:
            for count in (1, MASTERS):
                stored = stack.enter_context(masters(count, append_fsync))
                for workers in size.cluster_workers:
                    server = stack.enter_context(product(stored.url, workers))
                    services[append_fsync, workers, count] = stored, server
                with Subject(server, size.clients) as subject:
                    games[stored] = create(subject.clients, size.cluster_games)
        store: dict[Case, list[Spent]] = {case: [] for case in _cases(size)}

        def turn(case: Case) -> Sample:
            stored, server = services[case.append_fsync, case.workers, case.masters]
            with Subject(server, case.clients) as subject:
                at_table = games[stored] = replaced(subject.clients, games[stored])
                sample, spent = spent_on(stored.stores, lambda: sampled_turn(subject, at_table))
            store[case].append(Spent.total(spent).each(len(at_table)))
            return sample

        samples = in_turn("on a cluster", [*store], size.batches, turn, silent=silent)
    spent_by = {case: spent[WARM_UP:] for case, spent in store.items()}
    return Cluster(samples, spent_by, size.cluster_games)
