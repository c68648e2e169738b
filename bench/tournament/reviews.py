"""Reviews of whole games: what each level loses against the expert, and how lucky it is.

A level sits in one seat of each game, so all levels have the same games. The seats rotate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from time import thread_time

import engine
from bench.tables import aligned
from bench.tournament.deals import secret_of
from bench.tournament.figures import Estimate, bootstrap
from engine import table
from engine.options import GameOptions
from engine.players import LEVELS
from engine.review.summary import review, total_loss, total_luck
from engine.rules import turn_solves
from engine.seats import AiSeat, Level

_HEADINGS = (
    "level",
    "games",
    "loss a game",
    "accuracy, %",
    "luck a game",
    "luck a draw",
    "perfect",
)


@dataclass(frozen=True, slots=True)
class SeatFigures:
    """The review of one level's seat in one game, in points; `draws` are those from the stock."""

    accuracy: float
    loss: float
    luck: float
    draws: int
    is_perfect: bool


@dataclass(frozen=True, slots=True)
class ReviewedGame:
    """The reviews of one game by level, and the CPU seconds of all of them and of the longest."""

    number: int
    seats: dict[Level, SeatFigures]
    seconds: float
    longest: float


def review_game(number: int) -> ReviewedGame:
    """The reviews of the game of a number, with a seat for each level."""
    names = list(LEVELS)
    turned = number % len(names)
    lineup = [*names[turned:], *names[:turned]]
    seats = tuple(AiSeat(name.value, name) for name in lineup)
    budget = turn_solves(engine.form)
    step = table.open_game(secret_of("review", number), GameOptions(seats, turn_solves=budget))
    figures, seconds = {}, []
    for seat, name in enumerate(lineup):
        start = thread_time()
        moves = (made := review(step.game, step.events, seat)).moves
        seconds.append(thread_time() - start)
        loss, luck = total_loss(moves) / 100, total_luck(moves) / 100
        draws = sum(move.luck is not None for move in moves)
        is_perfect = all(move.played == move.best for move in moves)
        figures[name] = SeatFigures(made.accuracy, loss, luck, draws, is_perfect)
    return ReviewedGame(number, figures, sum(seconds), max(seconds))


@dataclass(frozen=True, slots=True)
class LevelFigures:
    """What a level's seats come to; `perfect` are games in which each move was the expert's."""

    level: Level
    games: int
    loss: Estimate
    accuracy: Estimate
    luck: Estimate
    luck_a_draw: float
    perfect: int


def level_figures(level: Level, games: Sequence[ReviewedGame]) -> LevelFigures:
    """The figures of a level over all games."""
    seats = [game.seats[level] for game in games]
    return LevelFigures(
        level,
        len(seats),
        bootstrap([seat.loss for seat in seats]),
        bootstrap([seat.accuracy for seat in seats]),
        bootstrap([seat.luck for seat in seats]),
        sum(seat.luck for seat in seats) / sum(seat.draws for seat in seats),
        sum(seat.is_perfect for seat in seats),
    )


def faults(games: Sequence[ReviewedGame]) -> list[str]:
    """What the figures should be and are not: the expert is perfect, and levels lose in order."""
    figures = [level_figures(level, games) for level in reversed(LEVELS)]
    found = [
        f"game {game.number}: the expert's seat has accuracy {seat.accuracy}, loss {seat.loss}"
        for game in games
        if (seat := game.seats[figures[0].level]).loss or seat.accuracy < 100
    ]
    found += [
        f"{better.level} loses {better.loss.mean:.2f}, {worse.level} {worse.loss.mean:.2f}"
        for better, worse in pairwise(figures)
        if better.loss.mean >= worse.loss.mean
    ]
    return found


def record(games: Sequence[ReviewedGame]) -> dict[str, object]:
    """The figures as JSON holds them."""
    return {
        "games": len(games),
        "form": engine.form,
        "levels": [asdict(level_figures(level, games)) for level in LEVELS],
        "seconds_a_game": _mean_seconds(games),
        "longest_review": max(game.longest for game in games),
        "faults": faults(games),
    }


def report(games: Sequence[ReviewedGame]) -> str:
    """The figures as text."""
    rows = [_row(level_figures(level, games)) for level in LEVELS]
    legend = (
        f"{len(games)} games with a seat for each level; [ ] are 95 % intervals by bootstrap.",
        "perfect: games in which every move was the one that the expert would have made.",
        f"CPU of all four reviews of a game: {_mean_seconds(games):.2f} s on average.",
        f"CPU of the longest review: {max(game.longest for game in games):.2f} s.",
        f"Engine form: {engine.form}.",
    )
    return "\n".join([aligned([_HEADINGS, *rows]), "", *legend, *faults(games)])


def _mean_seconds(games: Sequence[ReviewedGame]) -> float:
    return sum(game.seconds for game in games) / len(games)


def _row(one: LevelFigures) -> tuple[str, ...]:
    return (
        one.level,
        f"{one.games}",
        _told(one.loss),
        _told(one.accuracy),
        _told(one.luck),
        f"{one.luck_a_draw:+.2f}",
        f"{one.perfect}",
    )


def _told(estimate: Estimate) -> str:
    return f"{estimate.mean:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"
