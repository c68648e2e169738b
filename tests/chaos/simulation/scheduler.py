"""Calls that take turns: threads of which one at a time goes on, until it passes the baton on.

So requests interleave at the places that are chosen, in an order that one generator decides.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from typing import Any


class Baton:
    """Runs calls in threads of which one at a time goes on; `pass_on` may make it another."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._turns: dict[int, threading.Semaphore] = {}
        self._over = threading.Semaphore(0)
        self._mine = threading.local()

    def run(self, calls: Sequence[Callable[[], Any]]) -> list[Any]:
        """What the calls give; what one raises is raised here, once all are over."""
        if len(calls) == 1:
            return [calls[0]()]
        given: dict[int, Any] = {}
        failed: list[BaseException] = []

        def body(number: int, turn: threading.Semaphore) -> None:
            self._mine.number = number
            turn.acquire()
            try:
                given[number] = calls[number]()
            except BaseException as error:  # noqa: BLE001 - raised again by whoever waits
                failed.append(error)
            del self._turns[number]
            self._next()

        self._turns = {number: threading.Semaphore(0) for number in range(len(calls))}
        threads = [threading.Thread(target=body, args=turn) for turn in self._turns.items()]
        for thread in threads:
            thread.start()
        self._next()
        self._over.acquire()
        for thread in threads:
            thread.join()
        if failed:
            raise failed[0]
        return [given[number] for number in range(len(calls))]

    def pass_on(self) -> None:
        """Let any of the calls go on, perhaps the one that runs."""
        if not self._turns:
            return
        mine, number = self._mine.number, self._drawn()
        if number != mine:
            turn = self._turns[mine]
            self._turns[number].release()
            turn.acquire()

    def _drawn(self) -> int:
        return self._chance.choice(sorted(self._turns))

    def _next(self) -> None:
        (self._turns[self._drawn()] if self._turns else self._over).release()
