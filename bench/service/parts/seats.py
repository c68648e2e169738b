"""What the number of seats changes: the CPU of a discard with all AI turns after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from bench.service.batches import Sample, Spread, Subject, in_turn
from bench.service.charts import Curve
from bench.service.games import create, move, play_to_rounds, replaced, take
from bench.service.servers import Setup
from bench.service.size import Size
from bench.tables import Table
from engine.rules import MAX_SEATS, MIN_SEATS


@dataclass(frozen=True, slots=True)
class Seats:
    """Batches of discards by number of seats."""

    samples: Mapping[int, Sequence[Sample]]
    size: Size

    def cpu(self, seats: int) -> Spread:
        """Worker CPU µs of a discard."""
        return Spread.of_cpu(self.samples[seats])

    def table(self) -> Table:
        """A row for each number of seats."""
        rows = tuple((f"{seats}", self.cpu(seats).text()) for seats in self.samples)
        notes = (
            f"Discards against `medium` in {self.size.seat_games} games at a time,",
            f"spread over the rounds 1 to {self.size.last_round}; {self.size.batches} batches.",
        )
        return Table("By seats", ("seats", "worker CPU µs a discard"), rows, notes)

    def chart(self) -> Curve:
        """The CPU of a discard by the number of seats."""
        costs = tuple(map(self.cpu, self.samples))
        return Curve("seats", "CPU µs of a discard", tuple(self.samples), costs)

    def record(self) -> object:
        """The figures as JSON holds them."""
        return {seats: asdict(self.cpu(seats)) for seats in self.samples}


def measure(setup: Setup, size: Size, silent: bool) -> Seats:
    """Measure discards with each number of seats, in turn."""
    with Subject(setup.product, size.clients) as subject:
        games = {}
        for seats in range(MIN_SEATS, MAX_SEATS + 1):
            games[seats] = create(subject.clients, size.seat_games, seats=seats)
            title = f"games of {seats} seats"
            play_to_rounds(subject.clients, games[seats], size.last_round, title, silent)

        def discards(seats: int) -> Sample:
            at_table = games[seats] = replaced(subject.clients, games[seats], seats)
            move(subject.clients, at_table)
            answers, sample = subject.sample([game.discard() for game in at_table])
            take(at_table, answers)
            return sample

        return Seats(in_turn("seats", [*games], size.batches, discards, silent=silent), size)
