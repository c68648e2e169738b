"""How many moves one server of a store takes, by the number of connections that make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from statistics import median
from urllib.parse import urlsplit

from bench.service.batches import WARM_UP, Sample, Spread, in_turn
from bench.service.commits import play
from bench.service.masters import Masters, Spent, masters, spent_on
from bench.service.servers import Address, Setup, Store
from bench.service.size import Size
from bench.tables import Table
from service.store.scripts.commit_script import SCRIPT

_LEAST_MOVES = 10
"""Of a connection in a batch."""
Case = tuple[str, int]
"""`appendfsync`, and how many connections."""


@dataclass(frozen=True, slots=True)
class OneMaster:
    """By case: batches of moves, what each cost the server, ms of a read or commit."""

    samples: Mapping[Case, Sequence[Sample]]
    spent: Mapping[Case, Sequence[Spent]]
    waits: Mapping[Case, Sequence[float]]

    def table(self) -> Table:
        """A row for each case."""
        rows = tuple(
            (
                append_fsync,
                f"{connections}",
                Spread.of_rate(samples).text(),
                Spread.of_cpu(samples).text(),
                self._busy(append_fsync, connections).text(),
                Spread.of(self.waits[append_fsync, connections]).text(".1f"),
            )
            for (append_fsync, connections), samples in self.samples.items()
        )
        headings = (
            *("appendfsync", "connections", "moves/s", "CPU µs a move", "busy µs a move"),
            "a read or commit takes, ms",
        )
        notes = (
            "A single server and no service: a move is a read and a commit by its script. One",
            "process sends them all, in about 80 µs of CPU for a move. Milliseconds: the medians",
            "of the batches.",
        )
        return Table("One master", headings, rows, notes)

    def chart(self) -> None:
        """None."""

    def record(self) -> object:
        """The figures as JSON holds them."""
        return [
            {
                "append_fsync": append_fsync,
                "connections": connections,
                "rate": asdict(Spread.of_rate(samples)),
                "cpu": asdict(Spread.of_cpu(samples)),
                "busy": asdict(self._busy(append_fsync, connections)),
                "wait_ms": asdict(Spread.of(self.waits[append_fsync, connections])),
            }
            for (append_fsync, connections), samples in self.samples.items()
        ]

    def _busy(self, append_fsync: str, connections: int) -> Spread:
        return Spread.of([spent.busy for spent in self.spent[append_fsync, connections]])


def measure(_setup: Setup, size: Size, silent: bool) -> OneMaster:
    """Make moves by each number of connections, in turn."""
    cases = [(flush, number) for flush in size.append_fsync for number in size.store_connections]
    spent: dict[Case, list[Spent]] = {case: [] for case in cases}
    waits: dict[Case, list[float]] = {case: [] for case in cases}
    with ExitStack() as stack:
        stores = {flush: _store(stack, flush) for flush in size.append_fsync}

        def moves(case: Case) -> Sample:
            append_fsync, connections = case
            (store,) = stores[append_fsync].stores
            number = max(_LEAST_MOVES, size.store_moves // connections)
            (rate, seconds), (used,) = spent_on(
                [store], lambda: play(_address(store), connections, number)
            )
            spent[case].append(used.each(connections * number))
            waits[case].append(1000 * median(seconds))
            return Sample(spent[case][-1].cpu, rate)

        samples = in_turn("one master", cases, size.batches, moves, silent=silent)
    return OneMaster(
        samples,
        {case: used[WARM_UP:] for case, used in spent.items()},
        {case: each[WARM_UP:] for case, each in waits.items()},
    )


def _address(store: Store) -> Address:
    place = urlsplit(store.url)
    assert place.hostname is not None
    assert place.port is not None
    return place.hostname, place.port


def _store(stack: ExitStack, append_fsync: str) -> Masters:
    stored = stack.enter_context(masters(1, append_fsync))
    stored.stores[0].client.script_load(SCRIPT)
    return stored
