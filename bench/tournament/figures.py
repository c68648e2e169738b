"""From deals to figures: means with 95 % intervals by bootstrap over deals, and their table.

A deal is the unit that is resampled, for the games of one deal share their cards.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean

import engine
from bench.tables import aligned
from bench.tournament.deals import Contest, DealResult, TurnTimes
from engine.rules import ROUNDS

RESAMPLES = 2000
_SEED = 313


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and its 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class TurnFigures:
    """CPU ms that a player's choices of a turn took."""

    turns: int
    mean: float
    p99: float


@dataclass(frozen=True, slots=True)
class Figures:
    """The result of a contest; points are those of a whole game, shares are of all games.

    `paired_points`: the candidate's points less the baseline's in the same seat and deal, so
    negative is better. `turn_ms` is over all rounds, `turn_ms_13_cards` over the last.
    """

    candidate: str
    field: str
    baseline: str
    seats: int
    jokers: int
    aces: str
    seed_space: str
    turn_solves: int
    deals: int
    games: int
    form: str
    win_share: Estimate
    baseline_win_share: float
    paired_win_share: Estimate
    points: Estimate
    field_points: float
    paired_points: Estimate
    rounds: int
    stalled_rounds: int
    baseline_stalled_rounds: int
    turn_ms: TurnFigures
    turn_ms_13_cards: TurnFigures

    def record(self) -> dict[str, object]:
        """The figures as JSON holds them, rounded."""
        return {name: _rounded(value) for name, value in asdict(self).items()}


def _rounded(value: object) -> object:
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    return round(value, 4) if isinstance(value, float) else value


def bootstrap(values: Sequence[float], resamples: int = RESAMPLES) -> Estimate:
    """The mean of the values and its 95 % interval; the same values give the same interval."""
    rng = random.Random(_SEED)  # noqa: S311
    count = len(values)
    means = sorted(fmean(rng.choices(values, k=count)) for _ in range(resamples))
    mean = fmean(values)
    tail = resamples // 40
    return Estimate(mean, min(means[tail], mean), max(means[-1 - tail], mean))


def turn_figures(times: Sequence[float]) -> TurnFigures:
    """Mean and 99th percentile of the times of turns."""
    if not times:
        return TurnFigures(0, 0.0, 0.0)
    ordered = sorted(times)
    return TurnFigures(len(ordered), fmean(ordered), ordered[(len(ordered) * 99) // 100])


def figures(contest: Contest, deals: Sequence[DealResult]) -> Figures:
    """The figures of a contest from its deals, in order."""
    seats = contest.seats
    times = TurnTimes()
    for deal in deals:
        times.add(deal.times)
    return Figures(
        candidate=contest.candidate,
        field=contest.field,
        baseline=contest.baseline,
        seats=seats,
        jokers=contest.rules.jokers,
        aces=contest.rules.aces.value,
        seed_space=contest.label,
        turn_solves=contest.turn_solves,
        deals=len(deals),
        games=len(deals) * seats,
        form=engine.form,
        win_share=bootstrap([deal.wins / seats for deal in deals]),
        baseline_win_share=fmean(deal.baseline_wins / seats for deal in deals),
        paired_win_share=bootstrap([(deal.wins - deal.baseline_wins) / seats for deal in deals]),
        points=bootstrap([deal.points / seats for deal in deals]),
        field_points=fmean(deal.field_points / seats for deal in deals),
        paired_points=bootstrap([deal.difference / seats for deal in deals]),
        rounds=len(deals) * seats * ROUNDS,
        stalled_rounds=sum(deal.stalled for deal in deals),
        baseline_stalled_rounds=sum(deal.baseline_stalled for deal in deals),
        turn_ms=turn_figures(times.every),
        turn_ms_13_cards=turn_figures(times.longest),
    )


_HEADINGS = (
    "candidate",
    "table of",
    "games",
    "wins %",
    "points",
    "field's",
    "paired points",
    "stalled",
    "ms a turn",
    "13 cards",
)


def table(contests: Sequence[Figures]) -> str:
    """The contests as a text table, a line each, with a legend."""
    first = contests[0]
    legend = (
        f"{first.deals} deals ({first.seed_space}), the candidate once in every seat.",
        f"{first.jokers} jokers, aces {first.aces}, at most {first.turn_solves} solves a turn.",
        f"Engine form: {first.form}.",
        "[ ] are 95 % intervals by bootstrap over deals; a tie is no win.",
        "paired points: points a game less the baseline's in the same seat and deal; negative is",
        "better. ms a turn: CPU time of its two choices, mean / p99: all rounds, and at 13 cards.",
    )
    return "\n".join([aligned([_HEADINGS, *map(_row, contests)]), "", *legend])


def _row(one: Figures) -> tuple[str, ...]:
    wins, paired = one.win_share, one.paired_points
    return (
        one.candidate,
        f"{one.seats - 1} {one.field}",
        f"{one.games}",
        f"{100 * wins.mean:.1f} [{100 * wins.low:.1f}, {100 * wins.high:.1f}]",
        f"{one.points.mean:.1f}",
        f"{one.field_points:.1f}",
        f"{paired.mean:+.1f} [{paired.low:+.1f}, {paired.high:+.1f}] to {one.baseline}",
        f"{one.stalled_rounds} of {one.rounds}",
        f"{one.turn_ms.mean:.2f} / {one.turn_ms.p99:.2f}",
        f"{one.turn_ms_13_cards.mean:.2f} / {one.turn_ms_13_cards.p99:.2f}",
    )
