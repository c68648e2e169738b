"""Clients that play in the background while a trial does harm to the service."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from tests.chaos.traffic.linearizability import Record
from tests.chaos.traffic.load import Habits, play
from tests.chaos.traffic.wire import INSIST_SECONDS, HttpWire

_WAIT_SECONDS = 30.0
_POLL_SECONDS = 0.005


class BackgroundPlay:
    """Games that are played in threads of their own."""

    def __init__(self, record: Record, future: Future[None]) -> None:
        self._record = record
        self._future = future

    def wait_for_moves(self, count: int) -> int:
        """Wait for so many more acknowledged moves, 30 seconds at most; return how many came."""
        before, deadline = self._record.moves, time.monotonic() + _WAIT_SECONDS
        while not self._future.done() and time.monotonic() < deadline:
            if self._record.moves >= before + count:
                break
            time.sleep(_POLL_SECONDS)
        return self._record.moves - before


@contextmanager
def playing(
    url: str, record: Record, seed: str, clients: int, insist_seconds: float = INSIST_SECONDS
) -> Iterator[BackgroundPlay]:
    """Have clients play; in the end they leave their games where they are and check them."""
    over = False
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(
            play,
            HttpWire(url),
            record,
            Habits(),
            seed,
            clients=clients,
            enough=lambda: over,
            to_the_end=False,
            insist_seconds=insist_seconds,
        )
        try:
            yield BackgroundPlay(record, future)
        finally:
            over = True
        future.result()
