"""Batches of equal requests: what each cost, and the figures of several of them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from types import TracebackType
from typing import Self, TypeVar

from bench.progress import Progress
from bench.service.clients import Answer, Clients
from bench.service.servers import Server
from bench.service.usage import cpu_us

Name = TypeVar("Name")
WARM_UP = 1
"""Batches before those that count."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One batch: CPU µs of the workers for a request, and requests a second."""

    cpu: float
    rate: float


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of several batches, the least and the greatest."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        """The spread of at least one value."""
        return cls(median(values), min(values), max(values))

    @classmethod
    def of_cpu(cls, samples: Iterable[Sample]) -> Self:
        """The spread of the CPU µs."""
        return cls.of([sample.cpu for sample in samples])

    @classmethod
    def of_rate(cls, samples: Iterable[Sample]) -> Self:
        """The spread of the rates."""
        return cls.of([sample.rate for sample in samples])

    def text(self, form: str = ",.0f") -> str:
        """The median, and the others behind it."""
        return f"{self.median:{form}} [{self.low:{form}}, {self.high:{form}}]"


def in_turn(
    title: str,
    names: Sequence[Name],
    batches: int,
    measure: Callable[[Name], Sample],
    *,
    silent: bool,
) -> dict[Name, list[Sample]]:
    """So many batches of each name, all names in turn; a batch before them warms up."""
    samples: dict[Name, list[Sample]] = {name: [] for name in names}
    progress = Progress(title, (batches + WARM_UP) * len(samples), silent)
    for batch in range(batches + WARM_UP):
        for name, taken in samples.items():
            sample = measure(name)
            if batch >= WARM_UP:
                taken.append(sample)
            progress.step()
    return samples


class Subject:
    """A server with its clients; in a `with` the connections close at its end."""

    def __init__(self, server: Server, clients: int) -> None:
        self.clients = Clients(server.address, clients)
        self._workers = server.workers

    def sample(self, requests: Sequence[bytes], expected: int = 200) -> tuple[list[Answer], Sample]:
        """The answers to a batch, and what it cost."""
        gc.collect()
        gc.disable()
        try:
            before = cpu_us(self._workers)
            answers, seconds = self.clients.run(requests, expected)
            spent = cpu_us(self._workers) - before
        finally:
            gc.enable()
        return answers, Sample(spent / len(requests), len(requests) / seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.clients.close()
