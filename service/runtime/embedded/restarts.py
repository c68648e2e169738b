"""Restarts of the embedded server, for as long as it takes.

    serving -> it died -> pause -> starting -> serving
    serving -> it ended by itself -> starting read-only -> reads only -> serving

The pauses double while it keeps dying, and are short again once it has served for a while. A
server that ended by itself could most likely not write to its disk, and the next write would end
it again: so it serves reads alone for the length of the pause before it takes the next write.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import Enum, auto
from typing import Protocol, assert_never

from service.runtime.embedded.server_program import EmbeddedServerError

FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 5.0
_HEALTHY_SECONDS = 10.0


class Server(Protocol):
    """What a restarted server can do."""

    def spawn(self, *, read_only: bool = False) -> None:
        """Start the process without waiting for it; raises OSError, EmbeddedServerError."""

    def is_running(self) -> bool:
        """Tell whether the process lives."""

    def answers(self) -> bool:
        """Tell whether it answers by now."""

    def accept_writes(self) -> bool:
        """End the read-only mode; tell whether that was confirmed."""

    def ended_by_itself(self) -> bool:
        """Tell whether the process has exited, and was not killed."""

    def describe_end(self) -> str:
        """Say how the process ended."""


class State(Enum):
    """What is waited for."""

    SERVING = auto()
    PAUSED = auto()
    STARTING = auto()
    READ_ONLY = auto()


_SERVES = {State.SERVING: "reads and writes again", State.READ_ONLY: "reads again"}


class Restarts:
    """Starts a server again whenever it has ended; `step` must be called again and again."""

    def __init__(
        self,
        server: Server,
        report: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take over a server that answers; `clock` gives seconds."""
        self._server = server
        self._report = report
        self._clock = clock
        self._state = State.SERVING
        self._since = clock()
        self._pause = FIRST_PAUSE_SECONDS
        self._due = 0.0
        self._read_only = False

    @property
    def is_settled(self) -> bool:
        """Whether nothing is due before the server ends again."""
        return self._state is State.SERVING

    def step(self) -> None:
        """Do what is due by now, and never wait for the server."""
        if self._state is not State.PAUSED and not self._server.is_running():
            self._plan()
        match self._state:
            case State.SERVING:
                pass
            case State.PAUSED:
                if self._clock() >= self._due:
                    self._start()
            case State.STARTING:
                if self._server.answers():
                    self._enter(State.READ_ONLY if self._read_only else State.SERVING)
            case State.READ_ONLY:
                if self._clock() >= self._due and self._server.accept_writes():
                    self._enter(State.SERVING)
            case _:
                assert_never(self._state)

    def _plan(self) -> None:
        """Decide when the ended server is started again, and whether for reads alone."""
        pause = self._next_pause()
        # One that did not even start may be as bad for reads: it waits.
        self._read_only = self._state is State.SERVING and self._server.ended_by_itself()
        self._due = self._clock() + pause
        when = "at once, and accepts writes in" if self._read_only else "in"
        self._report(f"{self._server.describe_end()}; it is started again {when} {pause:.1f} s")
        self._state = State.PAUSED
        if self._read_only:
            self._start()

    def _next_pause(self) -> float:
        served = self._clock() - self._since if self._state is State.SERVING else 0.0
        if served >= _HEALTHY_SECONDS:
            self._pause = FIRST_PAUSE_SECONDS
        pause = self._pause
        self._pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        return pause

    def _start(self) -> None:
        try:
            self._server.spawn(read_only=self._read_only)
        except (OSError, EmbeddedServerError) as error:
            self._due = self._clock() + self._next_pause()
            self._report(f"the storage cannot be started: {error}")
        else:
            self._state = State.STARTING

    def _enter(self, state: State) -> None:
        self._state = state
        self._since = self._clock()
        self._report(f"the storage serves {_SERVES[state]}")
