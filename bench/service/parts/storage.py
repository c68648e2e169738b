"""How many bytes a whole game takes in the store, part by part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from bench.progress import Progress
from bench.service.batches import Spread
from bench.service.clients import Clients
from bench.service.games import create, play
from bench.service.keys import PARTS, bytes_of
from bench.service.servers import Setup
from bench.service.size import Size
from bench.tables import Table, verdict

TOTAL = "total"
GOALS = {"state": 1_600, "events": 25_000, "records": 32_000, TOTAL: 60_000}
"""The most bytes of a part."""


@dataclass(frozen=True, slots=True)
class Storage:
    """The bytes of each part over some games."""

    parts: Mapping[str, Spread]
    size: Size

    def meets(self, part: str) -> bool | None:
        """Whether the goal of a part is met, None if there is none."""
        return None if part not in GOALS else self.parts[part].median < GOALS[part]

    def table(self) -> Table:
        """A row for each part."""
        rows = tuple(
            (
                part,
                spread.text(),
                f"< {GOALS[part]:,}" if part in GOALS else "",
                verdict(self.meets(part)),
            )
            for part, spread in self.parts.items()
        )
        notes = (
            f"Medians of {self.size.whole_games} games of a human and three `medium` at their end,",
            "with an idempotency key on each move. `MEMORY USAGE`: with all that the server adds.",
        )
        return Table("A whole game in the store", ("part", "bytes", "goal", ""), rows, notes)

    def chart(self) -> None:
        """None."""

    def record(self) -> object:
        """The figures as JSON holds them."""
        return {part: asdict(spread) for part, spread in self.parts.items()}


def measure(setup: Setup, size: Size, silent: bool) -> Storage:
    """Play whole games, and ask the store for the memory of their keys."""
    with Clients(setup.product.address, size.clients) as clients:
        games = create(clients, size.whole_games)
        progress = Progress("whole games", len(games), silent)
        play(clients, games, lambda game: game.is_over, progress)
    sizes = [bytes_of(setup.store.client, game.id) for game in games]
    parts = {part: Spread.of([each[part] for each in sizes]) for part in PARTS}
    return Storage({**parts, TOTAL: Spread.of([sum(each.values()) for each in sizes])}, size)
