"""Which player is stronger, and by how much: seat-rotated duplicate deals.

    python -m bench.tournament --candidate expert --field medium --deals 300 --json
    python -m bench.tournament                      every level, and the chart of strength
    python -m bench.tournament --mix                does a round of any mix ever stall?
    python -m bench.tournament --reviews            what does each level lose against the expert?

Every deal is played once with the candidate in each seat, and once for each seat with the
baseline in its place; the figures' intervals come from a bootstrap over deals.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import engine
from bench.peers import MissingPeerError
from bench.progress import Progress
from bench.tournament import mix, reviews
from bench.tournament.chart import draw_strength
from bench.tournament.deals import LABELS, Contest, ContestError, play_deal
from bench.tournament.figures import Figures, figures, table
from bench.workers import spread
from engine.players import LEVELS
from engine.rules import JOKER_CHOICES, AceMode, Rules, turn_solves

GameT = TypeVar("GameT")
CHART = Path("docs/strength.svg")
WHOLE = (
    ("easy", "medium"),
    ("medium", "medium"),
    ("hard", "medium"),
    ("expert", "medium"),
    ("expert", "hard"),
)
"""Candidate and field of each contest of the whole tournament."""


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The options; exits with a message where they make no sense."""
    parser = argparse.ArgumentParser(
        "python -m bench.tournament", description="Seat-rotated duplicate deals between players."
    )
    add = parser.add_argument
    add("--candidate", help="a level, or module:object; without it every level plays")
    add("--field", default="medium", help="who holds the other seats")
    add("--baseline", help="who is compared with the candidate; the field's own level if not set")
    add("--deals", type=_positive, default=300)
    add("--first", type=int, default=0, help="number of the first deal")
    add("--seats", type=int, default=4)
    add("--jokers", type=int, choices=JOKER_CHOICES, default=0)
    add("--aces", choices=[mode.value for mode in AceMode], default="low")
    add("--seed-space", choices=LABELS, default=LABELS[0])
    budget = turn_solves(engine.form)
    add("--budget", type=_positive, default=budget, help="hands solved in a choice at most")
    add("--processes", type=_positive, default=2)
    add("--mix", type=_positive, nargs="?", const=2000, metavar="GAMES", help="games of any mix")
    add("--reviews", type=_positive, nargs="?", const=200, metavar="GAMES", help="reviewed games")
    add("--chart", type=Path, default=CHART, help="where the whole tournament draws its chart")
    add("--json", action="store_true", help="print one JSON object and nothing else")
    return parser.parse_args(words)


def _positive(word: str) -> int:
    number = int(word)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def contest_of(options: argparse.Namespace, candidate: str, field: str) -> Contest:
    """The contest of two players under the options."""
    return Contest(
        candidate,
        field,
        options.baseline or field,
        options.seats,
        Rules(options.jokers, AceMode(options.aces)),
        options.seed_space,
        options.budget,
    )


def run(
    contest: Contest, deals: int, *, first: int = 0, processes: int = 1, silent: bool = True
) -> Figures:
    """Play a contest."""
    progress = Progress(f"{contest.candidate} against {contest.field}", deals, silent)
    results = []
    for result in spread(partial(play_deal, contest), range(first, first + deals), processes):
        results.append(result)
        progress.step()
    return figures(contest, results)


def run_with(options: argparse.Namespace, candidate: str, field: str) -> Figures:
    """Play a contest under the options."""
    return run(
        contest_of(options, candidate, field),
        options.deals,
        first=options.first,
        processes=options.processes,
        silent=options.json,
    )


def run_whole(options: argparse.Namespace) -> list[Figures]:
    """Play every contest whose levels exist, and draw the chart."""
    contests = [
        run_with(options, candidate, field)
        for candidate, field in WHOLE
        if {candidate, field} <= set(LEVELS)
    ]
    draw_strength([one for one in contests if one.field == "medium"], options.chart)
    return contests


def run_games(
    options: argparse.Namespace, what: str, play: Callable[[int], GameT], count: int
) -> list[GameT]:
    """Play so many games, each of which follows from its number."""
    progress = Progress(what, count, options.json)
    played = []
    for game in spread(play, range(options.first, options.first + count), options.processes):
        played.append(game)
        progress.step()
    return played


def main(words: Sequence[str] | None = None) -> int:
    """Run what the options ask for and print it.

    1 where a mixed round stalled, or reviews are not as they should be.
    """
    options = arguments(words)
    if options.mix:
        played = run_games(options, "games of any mix", mix.play_mixed, options.mix)
        print(json.dumps(mix.record(played)) if options.json else mix.report(played))
        return int(any(game.stalled for game in played))
    if options.reviews:
        reviewed = run_games(options, "reviewed games", reviews.review_game, options.reviews)
        record, report = reviews.record, reviews.report
        print(json.dumps(record(reviewed)) if options.json else report(reviewed))
        return int(bool(reviews.faults(reviewed)))
    if options.candidate:
        one = run_with(options, options.candidate, options.field)
        print(json.dumps(one.record()) if options.json else table([one]))
        return 0
    contests = run_whole(options)
    records = {"contests": [one.record() for one in contests]}
    print(json.dumps(records) if options.json else table(contests))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ContestError, MissingPeerError) as error:
        sys.exit(str(error))
