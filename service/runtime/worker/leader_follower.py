"""Two threads of which one leads: it makes the steps of a loop, and the calls that they ask for.

    follower -> leader, when the leader has been busy with one call for long -> follower, after it

A request that the thread which received it also answers costs no hand-over between threads and no
competition for the interpreter's lock; the follower sees to it that a slow one holds up no other.
Where calls wait for long, as for a distant store, others could be made meanwhile: then none is
made here.
The pattern is Leader/Followers (Schmidt et al., Pattern-Oriented Software Architecture 2, 2000).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

SLOW_SECONDS = 0.02
"""A call that lasts so long costs its thread the lead, at the latest after twice this time."""
CAUTION_SECONDS = 0.1
"""For so long after a slow call, or one that shows that calls wait, the leader makes none."""
WAITING_SECONDS = 0.002
"""Where its calls wait so long on average, the leader leaves the next ones to others."""
_AVERAGED_CALLS = 16
"""The calls over which that average moves; one that waits for a busy disk is no reason."""

Call = Callable[[], object]


class LeaderFollower:
    """Makes steps until `end`; only one thread makes them, and a slow call is left to the other.

    While a call is slow, the other thread makes the steps, and no other call is made.
    """

    def __init__(
        self,
        step: Callable[[bool], Call | None],
        slow_seconds: float = SLOW_SECONDS,
        caution_seconds: float = CAUTION_SECONDS,
    ) -> None:
        """`step` is told whether it may return a call, which the same thread then makes."""
        self._step = step
        self._slow_seconds = slow_seconds
        self._caution_seconds = caution_seconds
        self._lock = threading.Lock()
        self._has_call = threading.Event()
        self._calls = 0
        self._call = 0
        """The number of the leader's call, 0 while it makes none."""
        self._has_follower = False
        self._careful_until = 0.0
        self._mean_wait = 0.0
        """Seconds that a call of the leader spends without its thread running; a moving average."""
        self._has_ended = False
        self._error: BaseException | None = None

    def run(self) -> None:
        """Make steps, in this thread and another; raises what a step of either has raised."""
        threading.Thread(target=self._follow_first, name="follower", daemon=True).start()
        self._alternate(leads=True)
        if self._error is not None:
            raise self._error

    def end(self) -> None:
        """Make no more steps; a call that is under way in `run` is still waited for."""
        self._has_ended = True
        self._has_call.set()

    def _follow_first(self) -> None:
        try:
            self._alternate(leads=False)
        except BaseException as error:  # noqa: BLE001 - `run` raises it
            self._error = error
            self.end()

    def _alternate(self, *, leads: bool) -> None:
        while not self._has_ended:
            if leads:
                self._lead()
            else:
                self._follow()
            leads = not leads

    def _lead(self) -> None:
        """Make steps until the other thread has taken the lead."""
        while not self._has_ended:
            call = self._step(self._has_follower and time.monotonic() >= self._careful_until)
            if call is not None and not self._leads_after(call):
                return

    def _leads_after(self, call: Call) -> bool:
        """Make a call; return whether this thread still leads."""
        with self._lock:
            self._calls += 1
            number = self._call = self._calls
        if not self._has_call.is_set():
            self._has_call.set()
        began, spent = time.monotonic(), time.thread_time()
        try:
            call()
        finally:
            now = time.monotonic()
            waited = now - began - (time.thread_time() - spent)
            self._mean_wait += (waited - self._mean_wait) / _AVERAGED_CALLS
            if self._mean_wait > WAITING_SECONDS:
                self._careful_until = now + self._caution_seconds
            with self._lock:
                leads = self._call == number
                if leads:
                    self._call = 0
        return leads

    def _follow(self) -> None:
        """Wait until the leader has been in one call for long, and take the lead."""
        self._has_follower = True
        while not self._has_ended:
            self._has_call.wait()
            number = self._call
            if not number:
                self._has_call.clear()
                if self._call:  # the leader sets it first, and then looks at the event
                    self._has_call.set()
                continue
            time.sleep(self._slow_seconds)
            with self._lock:
                if self._call == number:
                    self._call = 0
                    self._has_follower = False
                    self._careful_until = time.monotonic() + self._caution_seconds
                    return
