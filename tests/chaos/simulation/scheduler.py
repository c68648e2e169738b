"""A scheduler for threads: one thread runs at a time, until it calls `switch`.

So requests interleave only at the calls of `switch`, in an order that one generator decides.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from typing import Any


class Scheduler:
    """Runs calls in threads, one at a time; `switch` chooses which of them runs next."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._turns: dict[int, threading.Semaphore] = {}
        self._all_done = threading.Semaphore(0)
        self._current = threading.local()

    def run(self, calls: Sequence[Callable[[], Any]]) -> list[Any]:
        """The results of the calls; an exception of one is raised here when all have ended."""
        if len(calls) == 1:
            return [calls[0]()]
        results: dict[int, Any] = {}
        failed: list[BaseException] = []

        def body(number: int, turn: threading.Semaphore) -> None:
            self._current.number = number
            turn.acquire()
            try:
                results[number] = calls[number]()
            except BaseException as error:  # noqa: BLE001 - raised again by `run`
                failed.append(error)
            del self._turns[number]
            self._start_next()

        self._turns = {number: threading.Semaphore(0) for number in range(len(calls))}
        threads = [threading.Thread(target=body, args=turn) for turn in self._turns.items()]
        for thread in threads:
            thread.start()
        self._start_next()
        self._all_done.acquire()
        for thread in threads:
            thread.join()
        if failed:
            raise failed[0]
        return [results[number] for number in range(len(calls))]

    def switch(self) -> None:
        """Continue any of the calls, perhaps the current one."""
        if not self._turns:
            return
        own, number = self._current.number, self._choose()
        if number != own:
            turn = self._turns[own]
            self._turns[number].release()
            turn.acquire()

    def _choose(self) -> int:
        return self._rng.choice(sorted(self._turns))

    def _start_next(self) -> None:
        (self._turns[self._choose()] if self._turns else self._all_done).release()
