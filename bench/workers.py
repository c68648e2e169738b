"""Work spread over processes, its results in the order of the work."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from typing import TypeVar

Result = TypeVar("Result")


def spread(work: Callable[[int], Result], numbers: range, processes: int) -> Iterator[Result]:
    """What `work`, which must be picklable, makes of each number."""
    if processes == 1:
        yield from map(work, numbers)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap(work, numbers)
