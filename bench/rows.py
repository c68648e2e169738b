"""The lines of a benchmark's table: what was measured, the figure, the goal, whether it is met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.tables import aligned, verdict


@dataclass(frozen=True, slots=True)
class Row:
    """A line; `met` is None where there is no goal, `must` where missing it is an error."""

    what: str
    figure: str
    goal: str = ""
    met: bool | None = None
    must: bool = False


def microseconds(what: str, time: float, goal: float | None = None, note: str = "") -> Row:
    """The time of a call beside the most that it may take."""
    figure = f"{time:.2f} µs{note}"
    return Row(what, figure) if goal is None else Row(what, figure, f"{goal:g} µs", time <= goal)


def table(rows: Sequence[Row]) -> str:
    """The rows as aligned text."""
    return aligned([("", "measured", "goal", ""), *map(_cells, rows)])


def _cells(row: Row) -> tuple[str, ...]:
    return row.what, row.figure, row.goal, verdict(row.met)
