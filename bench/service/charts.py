"""The charts of the figures: bars beside goals, or a curve, each with the spread of its batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, assert_never

from bench.peers import peer
from bench.service.batches import Spread

_INK = "#1f2933"
_BAR = "#2f7d5b"
_GOAL = "#c2410c"


@dataclass(frozen=True, slots=True)
class Panel:
    """A bar for each name, and a line for its goal where there is one."""

    title: str
    spreads: tuple[Spread, ...]
    goals: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Bars:
    """Panels side by side, with the same names."""

    names: tuple[str, ...]
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Curve:
    """A figure by a number that grows."""

    title: str
    figure: str
    numbers: tuple[int, ...]
    spreads: tuple[Spread, ...]


Chart = Bars | Curve


def draw(chart: Chart, path: Path) -> None:
    """Write a chart as SVG, the same bytes for the same figures; raises MissingPeerError."""
    matplotlib = peer("matplotlib")
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "three-thirteen", "font.size": 11})
    match chart:
        case Bars():
            figure = _bars(chart)
        case Curve():
            figure = _curve(chart)
        case _:
            assert_never(chart)
    figure.savefig(path, format="svg", bbox_inches="tight", metadata={"Date": None})
    peer("matplotlib.pyplot").close(figure)


def _bars(chart: Bars) -> Any:
    height = 0.5 * len(chart.names) + 1.3
    figure, all_axes = peer("matplotlib.pyplot").subplots(
        1, len(chart.panels), sharey=True, squeeze=False, figsize=(9.5, height)
    )
    for axes, panel in zip(all_axes[0], chart.panels, strict=True):
        medians = [spread.median for spread in panel.spreads]
        style = {"color": _BAR, "ecolor": _INK, "capsize": 3, "height": 0.6}
        axes.barh(chart.names, medians, xerr=_errors(panel.spreads), **style)
        for place, goal in enumerate(panel.goals):
            if goal is not None:
                axes.vlines(goal, place - 0.4, place + 0.4, color=_GOAL, linewidth=2)
        axes.set_xlabel(panel.title)
        axes.set_xlim(0)
        axes.spines[["top", "right"]].set_visible(False)
    all_axes[0][0].invert_yaxis()
    return figure


def _curve(chart: Curve) -> Any:
    figure, axes = peer("matplotlib.pyplot").subplots(figsize=(6, 3.2))
    places = range(len(chart.numbers))
    medians = [spread.median for spread in chart.spreads]
    errors = _errors(chart.spreads)
    axes.errorbar(places, medians, yerr=errors, color=_BAR, ecolor=_INK, marker="o", capsize=3)
    axes.set_xticks(places, [f"{number:,}" for number in chart.numbers])
    axes.set_xlabel(chart.title)
    axes.set_ylabel(chart.figure)
    axes.set_ylim(0)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _errors(spreads: Sequence[Spread]) -> list[list[float]]:
    """How far each spread reaches below and above its median."""
    below = [spread.median - spread.low for spread in spreads]
    return [below, [spread.high - spread.median for spread in spreads]]
