"""A run of the service's benchmark: its parts, one after the other on the same servers."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

import engine
from bench.service.charts import Chart
from bench.service.parts import (
    cluster,
    experts,
    one_master,
    operations,
    process,
    rounds,
    seats,
    spread,
    storage,
    stored_games,
    streams,
    traffic,
    workers,
)
from bench.service.servers import Setup, setup
from bench.service.size import Size
from bench.service.usage import machine, require_linux
from bench.tables import Table


class Result(Protocol):
    """What a part has measured."""

    def table(self) -> Table:
        """The figures for a reader."""

    def chart(self) -> Chart | None:
        """The figures as a picture, where that shows more than the table."""

    def record(self) -> object:
        """The figures as JSON holds them."""


PARTS: Mapping[str, Callable[[Setup, Size, bool], Result]] = {
    "operations": operations.measure,
    "experts": experts.measure,
    "workers": workers.measure,
    "games": stored_games.measure,
    "seats": seats.measure,
    "rounds": rounds.measure,
    "storage": storage.measure,
    "traffic": traffic.measure,
    "commits": one_master.measure,
    "cluster": cluster.measure,
    "spread": spread.measure,
    "streams": streams.measure,
    "process": process.measure,
}
"""By the name that the command line has for them, in the order in which they run."""


@dataclass(frozen=True, slots=True)
class Run:
    """The results of a run by part, and where and when it was made."""

    origin: str
    results: Mapping[str, Result]

    def record(self) -> dict[str, object]:
        """The run as JSON holds it."""
        return {
            "origin": self.origin,
            **{name: result.record() for name, result in self.results.items()},
        }


def run(parts: Sequence[str], size: Size, *, silent: bool = False) -> Run:
    """Measure these parts; raises NotLinuxError, StartError, UnexpectedAnswerError."""
    require_linux()
    origin = _origin(size)
    results: dict[str, Result] = {}
    with setup() as running:
        for name in parts:
            results[name] = PARTS[name](running, size, silent)
    return Run(origin, results)


def _origin(size: Size) -> str:
    day = datetime.now(UTC).date().isoformat()
    return (
        f"Measured on {day} with CPython {platform.python_version()}, the engine {engine.form},"
        f" {size.batches} batches of {size.requests} requests;\n{machine()}."
    )
