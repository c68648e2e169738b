"""A search for bad hands: hill climbing on the work of the source form, then timed in both forms.

The work of a hand is the number of calls that the interpreter makes to solve it with an empty
cache, or with all of the hand's suits in it: a count, so that a seed finds the same hands on
every machine. Climbs start at hands with any number of wilds, in every ace mode.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType

from bench.rows import Row
from bench.solver import forms
from bench.solver.forms import SourceForm, kernel
from bench.solver.hands import MODES, PACK, Question, naturals_and_wilds, seeded
from engine.cards import CARDS
from engine.rules import MAX_HAND
from engine.solver.kernel import Kernel
from engine.solver.suits import SuitTable

FAILED_STEPS = 120
"""A climb ends after so many steps in a row that found nothing worse."""
TOP = 30
"""How many hands of a search are timed."""
COMPILED_GOAL, SOURCE_GOAL = 1000.0, 20_000.0
_SEED = 313


@dataclass(frozen=True, slots=True)
class Bad:
    """A hand and its work."""

    work: int
    question: Question
    cached: bool


class _Work:
    """Counts calls of Python and C functions while it is the profile function."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        if event in ("call", "c_call"):
            self.calls += 1


def work(question: Question, cached: bool) -> int:
    """The calls it takes to solve a hand; only the source form can count them."""
    wild, aces, hand = question
    if cached:
        asked: Kernel = kernel(wild, aces)
        asked.least(hand)
    else:
        asked = Kernel(wild, aces)
        asked.table = SuitTable(aces)
    counter = _Work()
    sys.setprofile(counter)
    try:
        asked.least(hand)
    finally:
        sys.setprofile(None)
    return counter.calls


def search(seed: int, steps: int, cached: bool) -> list[Bad]:
    """The ends of all climbs of a number of steps, worst first; to be run by the source form."""
    rng = seeded(seed)
    ends: list[Bad] = []
    while steps > 0:
        bad, spent = _climb(rng, steps, cached)
        ends.append(bad)
        steps -= spent
    return sorted(ends, key=lambda bad: -bad.work)[:TOP]


def _climb(rng: random.Random, steps: int, cached: bool) -> tuple[Bad, int]:
    """One climb, and the steps it took."""
    question = _start(rng)
    most = work(question, cached)
    spent = 1
    failed = 0
    while failed < FAILED_STEPS and spent < steps:
        other = _mutated(rng, question)
        calls = work(other, cached)
        spent, failed = spent + 1, failed + 1
        if calls > most:
            question, most, failed = other, calls, 0
    return Bad(most, question, cached), spent


def _start(rng: random.Random) -> Question:
    """Fourteen cards: some wilds, and naturals of the whole pack or of neighbouring ranks."""
    wild = rng.randint(1, 13)
    naturals, wilds = naturals_and_wilds(wild)
    low, span = rng.randint(0, 9), rng.randint(2, 5)
    pool = [card for card in naturals if low <= card // 4 < low + span]
    pool = naturals if rng.random() < 0.3 else pool
    held = max(rng.choice((0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8)), MAX_HAND - len(pool))
    hand = rng.sample(wilds, held) + rng.sample(pool, MAX_HAND - held)
    return wild, rng.choice(MODES), bytes(hand)


def _mutated(rng: random.Random, question: Question) -> Question:
    """The hand with one or two cards changed for others of the pack."""
    wild, aces, hand = question
    same = rng.sample(hand, MAX_HAND - rng.choice((1, 1, 2)))
    rest = list(PACK)
    for card in same:
        rest.remove(card)
    return wild, aces, bytes(same + rng.sample(rest, MAX_HAND - len(same)))


def rows(source: SourceForm, form: str, share: int) -> Iterator[Row]:
    """The longest times of the worst hands that were found, in both forms."""
    steps = 12_000 // share
    for cached in (False, True):
        worst = source.run(search, _SEED + cached, steps, cached)
        here = {bad.question: _timed(bad) for bad in worst}
        there = {bad.question: source.run(_timed, bad) for bad in worst}
        memo = "warm" if cached else "cold"
        what = f"worst of {steps:,} hands of 14, {memo}"
        goal = COMPILED_GOAL if form == "compiled" else SOURCE_GOAL
        yield _row(f"{what}: ours {form}", here, goal)
        yield _row(f"{what}: ours interpreted", there, SOURCE_GOAL)


def _timed(bad: Bad) -> float:
    if bad.cached:
        return forms.each([bad.question], 5, 1)[0]
    return forms.cold(bad.question, 5)


def _row(what: str, times: dict[Question, float], goal: float) -> Row:
    question = max(times, key=lambda asked: times[asked])
    longest = times[question]
    wild, aces, hand = question
    codes = " ".join(str(CARDS[card]) for card in sorted(hand))
    figure = f"{longest / 1e3:.3f} ms ({codes}; wild rank {wild}, aces {aces})"
    return Row(what, figure, f"{goal / 1e3:g} ms", longest <= goal)
