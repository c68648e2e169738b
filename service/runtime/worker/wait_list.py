"""The connections that wait for their clients: watched by the poller, each until its deadline."""

from __future__ import annotations

import selectors
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Protocol

from service.runtime.worker.connection import Connection, State


class Poller(Protocol):
    """What the event loop needs of a selector; `data` of a key is called without arguments."""

    def register(self, fileobj: Any, events: int, data: Any) -> object:
        """Watch a file for events."""

    def modify(self, fileobj: Any, events: int, data: Any) -> object:
        """Watch it for other events."""

    def unregister(self, fileobj: Any) -> object:
        """Watch it no more."""

    def select(self, timeout: float | None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait for events."""


class WaitList:
    """Connections in the order in which they began to wait: idle ones, others, and streams."""

    def __init__(
        self, poller: Poller, clock: Callable[[], float], on_event: Callable[[Connection], None]
    ) -> None:
        self._poller = poller
        self._clock = clock
        self._on_event = on_event
        self._idle: dict[Connection, None] = {}
        self._active: dict[Connection, None] = {}
        self._streams: dict[Connection, None] = {}

    def __iter__(self) -> Iterator[Connection]:
        """Give all of them, also if some leave or enter meanwhile."""
        return iter([*self._idle, *self._active, *self._streams])

    def __len__(self) -> int:
        return len(self._idle) + len(self._active) + len(self._streams)

    def enter(self, conn: Connection, state: State, events: int, deadline: float) -> None:
        """Wait in a state; a body continues the wait of its head."""
        if not (conn.state is State.HEAD and state is State.BODY):
            self._forget(conn)
            self._group(state)[conn] = None
            conn.waiting_since = self._clock()
        conn.state = state
        conn.deadline = deadline
        self.watch(conn, events)

    def dispatch(self, conn: Connection) -> None:
        """Wait no more, while a thread answers.

        The poller goes on watching: a client seldom sends the next request before it has its
        response, and two system calls for each request are saved.
        """
        self._forget(conn)
        conn.state = State.DISPATCHED

    def close(self, conn: Connection) -> None:
        """Wait no more, for good."""
        self._forget(conn)
        self.watch(conn, 0)
        conn.state = State.CLOSED

    def watch(self, conn: Connection, events: int) -> None:
        """Have the poller watch for these events, or for none."""
        if conn.events == events:
            return
        if not events:
            self._poller.unregister(conn.sock)
        elif conn.events:
            self._poller.modify(conn.sock, events, partial(self._on_event, conn))
        else:
            self._poller.register(conn.sock, events, partial(self._on_event, conn))
        conn.events = events

    def expired(self) -> list[Connection]:
        """List those whose deadline is over."""
        now = self._clock()
        return [conn for conn in self if conn.deadline <= now]

    def longest(self, idle_grace: float) -> Connection | None:
        """Choose which to close for room: the longest idle one, unless it was used just now.

        Else the one that has waited longest. Streams are never chosen.
        """
        longest = [next(iter(group)) for group in (self._idle, self._active) if group]
        if not longest:
            return None
        if self._idle and self._clock() - longest[0].waiting_since >= idle_grace:
            return longest[0]
        return min(longest, key=lambda conn: conn.waiting_since)

    def sending(self) -> list[Connection]:
        """List those whose client has not taken all of a response, the longest first."""
        return [conn for conn in self._active if conn.state is State.SENDING]

    def _group(self, state: State) -> dict[Connection, None]:
        if state is State.STREAMING:
            return self._streams
        return self._idle if state is State.IDLE else self._active

    def _forget(self, conn: Connection) -> None:
        self._group(conn.state).pop(conn, None)
