"""Requests that wait to be answered, in turn by caller.

Whoever sends many at once waits for its own: another caller's request waits for one of each caller
at most, and not for all that came before it (fair queueing: Nagle, RFC 970). A caller's own
requests stay in their order.
"""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from service.callers import caller

T = TypeVar("T")
_FORWARDED = re.compile(rb"\r\nx-forwarded-for[ \t]*:([^\r\n]*)", re.IGNORECASE)
_HEAD_END = b"\r\n\r\n"


class Turns(Generic[T]):
    """Requests of several callers; safe to share between threads."""

    def __init__(self, who: Callable[[T], str]) -> None:
        """`who` tells the caller of a request; a request that waits alone is not asked about."""
        self._who = who
        self._lock = threading.Lock()
        self._arrived = deque[T]()
        self._queues: dict[str, deque[T]] = {}
        """The requests of each caller that has any, the next caller first."""

    def add(self, request: T) -> None:
        """Have a request wait."""
        self._arrived.append(request)

    def take(self) -> T:
        """The next request, of the caller whose turn it is; there must be one."""
        with self._lock:
            if not self._queues and len(self._arrived) == 1:
                return self._arrived.popleft()
            while self._arrived:
                arrived = self._arrived.popleft()
                self._queues.setdefault(self._who(arrived), deque()).append(arrived)
            who = next(iter(self._queues))
            queue = self._queues.pop(who)
            request = queue.popleft()
            if queue:
                self._queues[who] = queue  # behind all others
            return request


def caller_of(client: Any, data: bytes, proxies: int) -> str:
    """Who sends a request: its client, or whom the outermost of so many trusted proxies saw.

    `client` is the address of the socket, `data` what was received.
    """
    if proxies:
        values = _FORWARDED.findall(data.partition(_HEAD_END)[0])
        seen = [each for value in values for each in value.split(b",")]
        if len(seen) >= proxies:
            return caller(seen[-proxies].decode("latin-1").strip())
    return caller(client[0] if isinstance(client, tuple) else "")
