"""What one request sends where: to the client, the store, its replica and its file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass

from bench.progress import Progress
from bench.service.batches import WARM_UP, Spread
from bench.service.clients import Clients
from bench.service.games import CREATED, Game, create, creation, play_to_rounds, replaced, take
from bench.service.masters import Spent, master_with_replica, spent_on
from bench.service.servers import Setup, Store, product
from bench.service.size import Size
from bench.tables import Table

_NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True)
class Operation:
    """A request, and the status of its answer."""

    ask: Callable[[Game], bytes]
    status: int = 200
    is_move: bool = False


OPERATIONS: Mapping[str, Operation] = {
    "createGame": Operation(lambda _: creation(), CREATED),
    "draw": Operation(Game.draw, is_move=True),
    "discard, three medium": Operation(Game.discard, is_move=True),
    "getGame": Operation(Game.read),
    "getGame, 304": Operation(Game.read_again, _NOT_MODIFIED),
}
"""By name, in the order in which they are measured: a draw makes the games ready for a discard."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The bytes of a request and of its answer, and what the master spent."""

    request: float
    answer: float
    store: Spent


@dataclass(frozen=True, slots=True)
class Traffic:
    """By setting of `appendfsync` and operation: the cost of a request, batch by batch."""

    costs: Mapping[str, Mapping[str, Sequence[Cost]]]
    clients: int
    games: int

    def of(self, append_fsync: str, name: str, figure: Callable[[Cost], float]) -> Spread:
        """One figure of an operation."""
        return Spread.of([figure(cost) for cost in self.costs[append_fsync][name]])

    def table(self) -> Table:
        """A row for each operation."""
        headings = (
            *("operation", "request", "answer", "to the store", "from it", "to a replica"),
            *("to its file", "script µs"),
            *(f"{what}, {flush}" for what in ("CPU µs", "busy µs") for flush in self.costs),
        )
        notes = (
            "Bytes without the headers of TCP and IP; medians. The store is a master with a",
            "replica. Script: of the commit, as the server counts it. CPU: of its process. Busy:",
            "how long its event loop did not wait for requests, so with the flushes of its file.",
            f"{self.clients} clients, one worker, {self.games} requests a batch,",
            "in games that are spread over the rounds.",
        )
        return Table("Traffic", headings, tuple(map(self._row, OPERATIONS)), notes)

    def chart(self) -> None:
        """None."""

    def record(self) -> object:
        """The figures as JSON holds them."""
        return {
            append_fsync: {
                name: [asdict(cost) for cost in costs] for name, costs in by_name.items()
            }
            for append_fsync, by_name in self.costs.items()
        }

    def _row(self, name: str) -> tuple[str, ...]:
        sizes: tuple[Callable[[Cost], float], ...] = (
            lambda cost: cost.request,
            lambda cost: cost.answer,
            lambda cost: cost.store.received,
            lambda cost: cost.store.sent,
            lambda cost: cost.store.replicated,
            lambda cost: cost.store.written,
            lambda cost: cost.store.script,
        )
        times: tuple[Callable[[Cost], float], ...] = (
            lambda cost: cost.store.cpu,
            lambda cost: cost.store.busy,
        )
        return (
            name,
            *(f"{self.of([*self.costs][-1], name, size).median:,.0f}" for size in sizes),
            *(self.of(flush, name, time).text() for time in times for flush in self.costs),
        )


@dataclass(slots=True)
class _Subject:
    """A store, the clients of the service on it, and the games that they play."""

    store: Store
    clients: Clients
    games: list[Game]

    def cost(self, operation: Operation) -> Cost:
        """A batch of requests, one in each game."""
        asked = [operation.ask(game) for game in self.games]
        (answers, _), (spent,) = spent_on(
            [self.store], lambda: self.clients.run(asked, operation.status)
        )
        if operation.is_move:
            take(self.games, answers)
        for game, answer in zip(self.games, answers, strict=True):
            game.etag = answer.etag
        return Cost(
            sum(map(len, asked)) / len(asked),
            sum(answer.size for answer in answers) / len(answers),
            spent.each(len(asked)),
        )


def measure(_setup: Setup, size: Size, silent: bool) -> Traffic:
    """Measure every operation on stores that differ in `appendfsync`."""
    costs: dict[str, dict[str, list[Cost]]] = {
        append_fsync: {name: [] for name in OPERATIONS} for append_fsync in size.append_fsync
    }
    with ExitStack() as stack:
        subjects = {flush: _subject(stack, flush, size, silent) for flush in size.append_fsync}
        batches = size.batches + WARM_UP
        progress = Progress("traffic", batches * len(OPERATIONS) * len(subjects), silent)
        for batch in range(batches):
            for subject in subjects.values():
                subject.games = replaced(subject.clients, subject.games)
            for name, operation in OPERATIONS.items():
                for append_fsync, subject in subjects.items():
                    cost = subject.cost(operation)
                    if batch >= WARM_UP:
                        costs[append_fsync][name].append(cost)
                    progress.step()
    return Traffic(costs, size.clients, size.cluster_games)


def _subject(stack: ExitStack, append_fsync: str, size: Size, silent: bool) -> _Subject:
    stored = stack.enter_context(master_with_replica(append_fsync))
    server = stack.enter_context(product(stored.url))
    clients = stack.enter_context(Clients(server.address, size.clients))
    games = create(clients, size.cluster_games)
    play_to_rounds(clients, games, size.last_round, "games for the traffic", silent)
    return _Subject(stored, clients, games)
