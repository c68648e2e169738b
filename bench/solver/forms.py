"""The two forms of the engine in one run: the one of this process, the source in another.

What is asked of a form is a function at the top of a module. It runs here, or in a process that
was started with the source form; times are CPU times of the thread that computes.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import cache
from statistics import median
from time import thread_time
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

from bench.solver.hands import Question, naturals_and_wilds
from engine.rules import MAX_HAND
from engine.solver.compiled import SETTING
from engine.solver.prospects import LookaheadKernel
from engine.solver.suits import SuitTable

Answer = TypeVar("Answer")
Params = ParamSpec("Params")


class SourceForm:
    """A process that runs the source form; to be used in a `with`."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(1, mp_context=context)
        before = os.environ.get(SETTING)
        os.environ[SETTING] = "source"
        try:
            self._pool.submit(int).result()
        finally:
            if before is None:
                del os.environ[SETTING]
            else:
                os.environ[SETTING] = before

    def begin(
        self, ask: Callable[Params, Answer], *args: Params.args, **kwargs: Params.kwargs
    ) -> Future[Answer]:
        """Ask, and do not wait for the answer."""
        return self._pool.submit(ask, *args, **kwargs)

    def run(
        self, ask: Callable[Params, Answer], *args: Params.args, **kwargs: Params.kwargs
    ) -> Answer:
        """The answer of the source form."""
        return self.begin(ask, *args, **kwargs).result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.shutdown()


@cache
def kernel(wild: int, aces: str) -> LookaheadKernel:
    """The kernel of this process for a wild rank and an ace mode."""
    return LookaheadKernel(wild, aces)


def least(questions: Sequence[Question]) -> list[int]:
    """The least points of each hand."""
    return [kernel(wild, aces).least(hand) for wild, aces, hand in questions]


def answers(questions: Sequence[Question]) -> list[list[int]]:
    """The kernel's answers about each hand; those about whole turns for one hand in ten."""
    return [_answer(question, number % 10 == 0) for number, question in enumerate(questions)]


def _answer(question: Question, turns: bool) -> list[int]:
    wild, aces, hand = question
    asked = kernel(wild, aces)
    points = [asked.least(hand), *asked.least_after_discards(hand)]
    if turns and len(hand) < MAX_HAND and _wilds_remain(wild, hand):
        points += asked.least_after_turns(hand)
    if turns and len(hand) > 3:
        left = unseen(hand)
        points += asked.prospects(hand, bytes(sorted(set(hand))), left)
        points += [asked.draw_total(hand[1:], left), asked.prospect(hand[1:], left)]
    return points


def _wilds_remain(wild: int, hand: bytes) -> bool:
    """Whether the hand leaves a wild in the pack, which `least_after_turns` takes for granted."""
    _, wilds = naturals_and_wilds(wild)
    return sum(card in wilds for card in hand) < len(wilds)


def unseen(hand: bytes) -> bytes:
    """How many cards of each kind are not in a hand, in a pack with four jokers."""
    return bytes((2 if card < 52 else 4) - hand.count(card) for card in range(53))


def batch(questions: Sequence[Question]) -> float:
    """CPU µs a hand of `least`, over one pass."""
    asked = [(kernel(wild, aces).least, hand) for wild, aces, hand in questions]
    start = thread_time()
    for ask, hand in asked:
        ask(hand)
    return (thread_time() - start) / len(asked) * 1e6


def each(questions: Sequence[Question], repeats: int, calls: int) -> list[float]:
    """CPU µs of `least` for each hand, warm: the median of repeats of some calls each."""
    return [_each(question, repeats, calls) for question in questions]


def _each(question: Question, repeats: int, calls: int) -> float:
    wild, aces, hand = question
    ask = kernel(wild, aces).least
    ask(hand)
    times = []
    for _ in range(repeats):
        start = thread_time()
        for _ in range(calls):
            ask(hand)
        times.append((thread_time() - start) / calls * 1e6)
    return median(times)


def cold(question: Question, repeats: int) -> float:
    """CPU µs of `least` for a hand with an empty cache: the median of the repeats."""
    wild, aces, hand = question
    times = []
    for _ in range(repeats):
        asked = LookaheadKernel(wild, aces)
        asked.table = SuitTable(aces)
        start = thread_time()
        asked.least(hand)
        times.append((thread_time() - start) * 1e6)
    return median(times)
