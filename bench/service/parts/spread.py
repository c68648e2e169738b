"""How the games spread over the masters of a cluster, and what each of them spends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from bench.progress import Progress
from bench.service.batches import Subject
from bench.service.games import create, sampled_turn
from bench.service.masters import Spent, masters, spent_on
from bench.service.parts.cluster import MASTERS
from bench.service.servers import Setup, Store, product
from bench.service.size import Size
from bench.tables import Table

_WORKERS = 2
_CLIENTS = 16


@dataclass(frozen=True, slots=True)
class Master:
    """One master: its games, their bytes, its connections, what it spent on a turn of a game."""

    games: int
    memory: int
    connections: int
    spent: Spent


@dataclass(frozen=True, slots=True)
class Spreads:
    """The masters of one cluster."""

    masters: Sequence[Master]

    def table(self) -> Table:
        """A row for each master."""
        total = sum(master.games for master in self.masters)
        rows = tuple(
            (
                f"{number}",
                f"{master.games:,}",
                f"{master.games / total:.1%}",
                f"{master.memory:,}",
                f"{master.connections}",
                f"{master.spent.cpu:,.0f}",
                f"{master.spent.received:,.0f}",
                f"{master.spent.sent:,.0f}",
                f"{master.spent.written:,.0f}",
            )
            for number, master in enumerate(self.masters, start=1)
        )
        headings = (
            *("master", "games", "share", "memory a game", "connections"),
            *("CPU µs a turn", "received", "sent", "written to its file"),
        )
        notes = (
            f"{total:,} games, a turn played in each; {_WORKERS} workers, {_CLIENTS} clients.",
            "Memory, and bytes received, sent and written for a turn: of a game of the master.",
            "Connections: of the service, and one of this check.",
        )
        return Table("By master", headings, rows, notes)

    def chart(self) -> None:
        """None."""

    def record(self) -> object:
        """The figures as JSON holds them."""
        return [asdict(master) for master in self.masters]


def measure(_setup: Setup, size: Size, silent: bool) -> Spreads:
    """Create games on a cluster, and play a turn in each."""
    with (
        masters(MASTERS, "always") as stored,
        product(stored.url, _WORKERS) as server,
        Subject(server, _CLIENTS) as subject,
    ):
        before = [_memory(store) for store in stored.stores]
        progress = Progress("games by master", 2, silent)
        games = create(subject.clients, size.spread_games)
        progress.step()
        _, spent = spent_on(stored.stores, lambda: sampled_turn(subject, games))
        progress.step()
        after = [_memory(store) for store in stored.stores]
        counts = [_games(store) for store in stored.stores]
        connections = [store.client.info("clients")["connected_clients"] for store in stored.stores]
    figures = zip(counts, before, after, connections, spent, strict=True)
    return Spreads(
        [
            Master(count, (full - empty) // max(1, count), connected, used.each(count))
            for count, empty, full, connected, used in figures
        ]
    )


def _memory(store: Store) -> int:
    """The bytes of a server, without what connections take."""
    info = store.client.info("memory")
    return int(info["used_memory"] - info["mem_clients_normal"])


def _games(store: Store) -> int:
    return sum(1 for _ in store.client.scan_iter("{g:*}:game", count=10_000))
