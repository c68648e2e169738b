"""The operations of the service beside the floor, batch by batch in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

from bench.progress import Progress
from bench.service import floor
from bench.service.batches import WARM_UP, Sample, Spread, Subject
from bench.service.charts import Bars, Panel
from bench.service.clients import request
from bench.service.games import (
    CREATED,
    Game,
    create,
    creation,
    new_key,
    play_to_rounds,
    replaced,
    take,
)
from bench.service.servers import Setup
from bench.service.size import Size
from bench.tables import Table, verdict

_NOT_MODIFIED = 304
_DRAW_BODY = b'{"source":"stock"}'


def _hello(_number: int) -> bytes:
    return request("GET", "/hello")


def _read(number: int) -> bytes:
    return request("GET", f"/games/{number % floor.GAMES}")


def _move(number: int) -> bytes:
    return request("POST", f"/games/{number % floor.GAMES}", new_key(), _DRAW_BODY)


@dataclass(frozen=True, slots=True)
class Operation:
    """A request of the service, the floor that it is compared with, and its goals.

    `rate` is the least share of the floor's rate, `cpu` the greatest multiple of its CPU time.
    """

    name: str
    ask: Callable[[Game], bytes]
    floor: Callable[[int], bytes]
    rate: float
    cpu: float | None = None
    status: int = 200
    is_move: bool = False


OPERATIONS = (
    Operation("draw", Game.draw, _move, 0.75, 1.4, is_move=True),
    Operation("getGame", Game.read, _read, 0.80, 1.4),
    Operation("getGame, 304", Game.read_again, _read, 0.90, status=_NOT_MODIFIED),
    Operation("evaluateHand", Game.evaluation, _hello, 0.70),
    Operation("discard, three medium", Game.discard, _move, 0.60, 1.9, is_move=True),
    Operation("createGame", lambda _: creation(), _move, 0.60, status=CREATED),
)
"""In the order in which they are measured: a draw makes the games ready for a discard."""


@dataclass(slots=True)
class Measured:
    """The batches of one operation, and of its floor."""

    operation: Operation
    ours: list[Sample] = field(default_factory=list)
    floors: list[Sample] = field(default_factory=list)

    @property
    def rate_ratio(self) -> Spread:
        """The rate as a share of the floor's, batch by batch."""
        pairs = zip(self.ours, self.floors, strict=True)
        return Spread.of([ours.rate / least.rate for ours, least in pairs])

    @property
    def cpu_ratio(self) -> Spread:
        """The CPU time as a multiple of the floor's, batch by batch."""
        pairs = zip(self.ours, self.floors, strict=True)
        return Spread.of([ours.cpu / least.cpu for ours, least in pairs])

    @property
    def meets_rate(self) -> bool:
        """Whether the goal of the rate is met."""
        return self.rate_ratio.median >= self.operation.rate

    @property
    def meets_cpu(self) -> bool | None:
        """Whether the goal of the CPU time is met, None if there is none."""
        most = self.operation.cpu
        return None if most is None else self.cpu_ratio.median <= most


@dataclass(frozen=True, slots=True)
class Operations:
    """All operations."""

    measured: Sequence[Measured]
    size: Size

    def table(self) -> Table:
        """A row for each operation."""
        size = self.size
        headings = (
            *("operation", "floor", "CPU µs", "floor's", "CPU ratio", "goal", ""),
            *("requests/s", "floor's", "rate ratio", "goal", ""),
        )
        notes = (
            f"{size.clients} clients on kept connections, one worker; floor and service in turn.",
            f"Medians of {size.batches} batches of {size.requests} requests.",
            "CPU µs: of the worker, for a request. Ratios are taken batch by batch;",
            "[ ] has the least and the greatest. Each move has an idempotency key of its own;",
            f"the games are spread over the rounds 1 to {size.last_round}.",
        )
        rows = tuple(map(_row, self.measured))
        return Table("The service beside its floor", headings, rows, notes)

    def chart(self) -> Bars:
        """Both ratios beside their goals."""
        all_of = self.measured
        rates = Panel(
            "rate, share of the floor's",
            tuple(one.rate_ratio for one in all_of),
            tuple(one.operation.rate for one in all_of),
        )
        costs = Panel(
            "CPU time, multiple of the floor's",
            tuple(one.cpu_ratio for one in all_of),
            tuple(one.operation.cpu for one in all_of),
        )
        return Bars(tuple(one.operation.name for one in all_of), (rates, costs))

    def record(self) -> object:
        """The figures as JSON holds them."""
        return [_record(one) for one in self.measured]


def measure(setup: Setup, size: Size, silent: bool) -> Operations:
    """Measure every operation."""
    measured = [Measured(operation) for operation in OPERATIONS]
    with Subject(setup.product, size.clients) as ours, Subject(setup.floor, size.clients) as least:
        games = create(ours.clients, size.requests)
        play_to_rounds(ours.clients, games, size.last_round, "games for the operations", silent)
        progress = Progress("operations", (size.batches + WARM_UP) * len(measured), silent)
        for batch in range(size.batches + WARM_UP):
            games = replaced(ours.clients, games)
            for one in measured:
                samples = _batch(one.operation, games, ours, least)
                if batch >= WARM_UP:
                    one.ours.append(samples[0])
                    one.floors.append(samples[1])
                progress.step()
    return Operations(measured, size)


def _batch(
    operation: Operation, games: Sequence[Game], ours: Subject, least: Subject
) -> tuple[Sample, Sample]:
    """A batch of the service, and one of the floor."""
    answers, sample = ours.sample([operation.ask(game) for game in games], operation.status)
    if operation.is_move:
        take(games, answers)
    if operation.ask is Game.read:
        for game, answer in zip(games, answers, strict=True):
            game.etag = answer.etag
    _, floors = least.sample([operation.floor(number) for number in range(len(games))])
    return sample, floors


def _row(one: Measured) -> tuple[str, ...]:
    operation = one.operation
    return (
        operation.name,
        operation.floor.__name__.removeprefix("_"),
        f"{Spread.of_cpu(one.ours).median:,.0f}",
        f"{Spread.of_cpu(one.floors).median:,.0f}",
        one.cpu_ratio.text(".2f"),
        "" if operation.cpu is None else f"≤ {operation.cpu:.2f}",
        verdict(one.meets_cpu),
        f"{Spread.of_rate(one.ours).median:,.0f}",
        f"{Spread.of_rate(one.floors).median:,.0f}",
        one.rate_ratio.text(".2f"),
        f"≥ {operation.rate:.2f}",
        verdict(one.meets_rate),
    )


def _record(one: Measured) -> dict[str, object]:
    return {
        "operation": one.operation.name,
        "ours": [asdict(sample) for sample in one.ours],
        "floor": [asdict(sample) for sample in one.floors],
        "cpu_ratio": asdict(one.cpu_ratio),
        "rate_ratio": asdict(one.rate_ratio),
        "meets_cpu": one.meets_cpu,
        "meets_rate": one.meets_rate,
    }
