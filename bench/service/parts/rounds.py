"""What the round changes: the CPU of a discard with all AI turns after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from bench.progress import Progress
from bench.service.batches import Sample, Spread, Subject
from bench.service.charts import Curve
from bench.service.games import Game, create, move, play, take
from bench.service.servers import Setup
from bench.service.size import Size
from bench.tables import Table
from engine.rules import hand_size


@dataclass(frozen=True, slots=True)
class Rounds:
    """Batches of discards by round."""

    samples: Mapping[int, Sequence[Sample]]
    size: Size

    def cpu(self, number: int) -> Spread:
        """Worker CPU µs of a discard."""
        return Spread.of_cpu(self.samples[number])

    def table(self) -> Table:
        """A row for each round."""
        rows = tuple(
            (f"{number}", f"{hand_size(number)}", self.cpu(number).text())
            for number in self.samples
        )
        notes = (
            f"Discards against three `medium`: the first {self.size.round_turns} turns of each",
            f"round, in {self.size.round_games} games that are played together.",
        )
        return Table("By round", ("round", "cards", "worker CPU µs a discard"), rows, notes)

    def chart(self) -> Curve:
        """The CPU of a discard by the round."""
        costs = tuple(map(self.cpu, self.samples))
        return Curve("round", "CPU µs of a discard", tuple(self.samples), costs)

    def record(self) -> object:
        """The figures as JSON holds them."""
        return {number: asdict(self.cpu(number)) for number in self.samples}


def measure(setup: Setup, size: Size, silent: bool) -> Rounds:
    """Play games together, and measure the first discards of each round."""
    samples: dict[int, list[Sample]] = {}
    progress = Progress("rounds", size.last_round, silent)
    with Subject(setup.product, size.clients) as subject:
        games = create(subject.clients, size.round_games)
        for number in range(1, size.last_round + 1):
            play(subject.clients, games, lambda game: _is_at(game, number))  # noqa: B023
            samples[number] = []
            for _ in range(size.round_turns):
                if there := [game for game in games if _is_at(game, number)]:
                    samples[number].append(_discards(subject, there))
            progress.step()
    return Rounds(samples, size)


def _is_at(game: Game, number: int) -> bool:
    return not game.is_over and game.round == number and game.is_to_draw


def _discards(subject: Subject, games: Sequence[Game]) -> Sample:
    move(subject.clients, games)
    answers, sample = subject.sample([game.discard() for game in games])
    take(games, answers)
    return sample
