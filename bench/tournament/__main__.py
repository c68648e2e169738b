"""Which player is stronger, and by how much: seat-rotated duplicate deals.

    python -m bench.tournament --candidate expert --field medium --deals 300 --json
    python -m bench.tournament                      every level, and the chart of strength
    python -m bench.tournament --mix                does a round of any mix ever stall?

Every deal is played once with the candidate in each seat, and once for each seat with the
baseline in its place; the figures' intervals come from a bootstrap over deals.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import engine
from bench.peers import MissingPeerError
from bench.progress import Progress
from bench.tournament import mix
from bench.tournament.chart import draw_strength
from bench.tournament.deals import LABELS, Contest, ContestError, play_deal
from bench.tournament.figures import Figures, figures, table
from bench.workers import spread
from engine.players import LEVELS
from engine.rules import JOKER_CHOICES, AceMode, Rules, turn_solves

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


def run_mix(options: argparse.Namespace) -> list[mix.MixedGame]:
    """Play games of any mix."""
    progress = Progress("games of any mix", options.mix, options.json)
    played = []
    numbers = range(options.first, options.first + options.mix)
    for game in spread(mix.play_mixed, numbers, options.processes):
        played.append(game)
        progress.step()
    return played


def main(words: Sequence[str] | None = None) -> int:
    """Run what the options ask for and print it; 1 where a mixed round stalled."""
    options = arguments(words)
    if options.mix:
        played = run_mix(options)
        print(json.dumps(mix.record(played)) if options.json else mix.report(played))
        return int(any(game.stalled for game in played))
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
