"""How long a discard takes against three experts with the most cards in hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from bench.progress import Progress
from bench.service.clients import Clients
from bench.service.games import create, move, play, take
from bench.service.servers import Setup
from bench.service.size import Size
from bench.tables import Table
from engine.rules import hand_size

_LEVEL = "expert"


@dataclass(frozen=True, slots=True)
class Experts:
    """The milliseconds of each discard, in ascending order."""

    times: Sequence[float]
    size: Size

    @property
    def p50(self) -> float:
        """The median, in ms."""
        return median(self.times)

    @property
    def p99(self) -> float:
        """The 99th percentile, in ms."""
        return self.times[len(self.times) * 99 // 100]

    def table(self) -> Table:
        """One row."""
        cards = hand_size(self.size.last_round)
        row = (f"discard, three {_LEVEL}, {cards} cards", f"{len(self.times):,}")
        return Table(
            "Against experts",
            ("operation", "requests", "p50, ms", "p99, ms"),
            ((*row, f"{self.p50:.1f}", f"{self.p99:.1f}"),),
            (
                f"{self.size.clients} clients that all discard, and one worker:",
                "from the request to the whole answer, so with the wait for the worker.",
            ),
        )

    def chart(self) -> None:
        """None."""

    def record(self) -> object:
        """The figures as JSON holds them."""
        return {"requests": len(self.times), "p50_ms": self.p50, "p99_ms": self.p99}


def measure(setup: Setup, size: Size, silent: bool) -> Experts:
    """Play games up to the last round, and measure each discard of it."""
    times: list[float] = []
    with Clients(setup.product.address, size.clients) as clients:
        games = create(clients, size.expert_games, _LEVEL)
        progress = Progress("games against experts", len(games), silent)
        play(
            clients,
            games,
            lambda game: game.is_to_draw and game.round >= size.last_round,
            progress,
        )
        while True:
            games = [game for game in games if not game.is_over and game.round == size.last_round]
            if len(games) < size.clients and times:
                return Experts(sorted(times), size)
            move(clients, games)
            answers, _ = clients.run([game.discard() for game in games])
            take(games, answers)
            times += [1000 * answer.seconds for answer in answers]
