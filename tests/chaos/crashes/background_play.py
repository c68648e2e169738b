"""Clients that play in the background while a trial does harm to the service."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from tests.chaos.traffic.history import History
from tests.chaos.traffic.http_client import REPEAT_SECONDS, HttpTransport
from tests.chaos.traffic.load import Workload, run_load

_WAIT_SECONDS = 30.0
_POLL_SECONDS = 0.005


class BackgroundPlay:
    """Games that are played in threads of their own."""

    def __init__(self, history: History, future: Future[None]) -> None:
        self._history = history
        self._future = future

    def wait_for_moves(self, count: int) -> int:
        """Wait for so many more acknowledged moves, 30 seconds at most; return how many came."""
        before, deadline = self._history.moves, time.monotonic() + _WAIT_SECONDS
        while not self._future.done() and time.monotonic() < deadline:
            if self._history.moves >= before + count:
                break
            time.sleep(_POLL_SECONDS)
        return self._history.moves - before


@contextmanager
def playing(
    url: str, history: History, seed: str, clients: int, repeat_seconds: float = REPEAT_SECONDS
) -> Iterator[BackgroundPlay]:
    """Have clients play; in the end they leave their games where they are and check them."""
    over = False
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(
            run_load,
            HttpTransport(url),
            history,
            Workload(),
            seed,
            clients=clients,
            enough=lambda: over,
            to_the_end=False,
            repeat_seconds=repeat_seconds,
        )
        try:
            yield BackgroundPlay(history, future)
        finally:
            over = True
        future.result()
