"""The two threads of a worker: one makes the steps, and no slow call holds them up."""

from __future__ import annotations

import threading
import time
from collections import deque

import pytest

from service.runtime.worker.leader_follower import Call, LeaderFollower

SECONDS = 10.0
"""How long a test waits for what must happen."""


class Steps:
    """Steps that ask for the calls they are given, and note which thread made each of them."""

    def __init__(self, slow_seconds: float = 0.01, caution_seconds: float = 0.0) -> None:
        self.calls: deque[Call] = deque()
        self.threads: list[str] = []
        self.permissions: list[bool] = []
        self.error: Exception | None = None
        self._is_in_step = threading.Lock()
        self.both = LeaderFollower(self._step, slow_seconds, caution_seconds)
        self._runner = threading.Thread(target=self._run, name="first", daemon=True)
        self._runner.start()

    def _step(self, may_call: bool) -> Call | None:
        assert self._is_in_step.acquire(blocking=False), "two threads make a step"
        try:
            self.threads.append(threading.current_thread().name)
            self.permissions.append(may_call)
            time.sleep(0.001)
            return self.calls.popleft() if may_call and self.calls else None
        finally:
            self._is_in_step.release()

    def _run(self) -> None:
        try:
            self.both.run()
        except ValueError as error:
            self.error = error

    def make(self, call: Call) -> None:
        """Have a call made, and wait until it has begun."""
        begun = threading.Event()
        self.calls.append(lambda: (begun.set(), call()))
        assert begun.wait(SECONDS)

    def hold_until_led_by(self, thread: str) -> float:
        """Make a call that lasts until a thread leads; when that was seen."""
        release = threading.Event()
        self.make(lambda: release.wait(SECONDS))
        wait_until(lambda: self.threads[-1] == thread)
        led = time.monotonic()
        release.set()
        return led

    def wait_for(self, count: int = 3) -> list[str]:
        """The threads of the next steps."""
        first = len(self.threads)
        wait_until(lambda: len(self.threads) >= first + count)
        return self.threads[first : first + count]

    def end(self) -> None:
        """End, and see that it does."""
        self.both.end()
        self._runner.join(SECONDS)
        assert not self._runner.is_alive()


def wait_until(condition: object) -> None:
    """Wait until a function returns a true value."""
    assert callable(condition)
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_quick_calls_are_made_in_the_thread_that_makes_the_steps() -> None:
    steps = Steps(slow_seconds=5.0)
    callers: list[str] = []
    for _ in range(20):
        steps.make(lambda: callers.append(threading.current_thread().name))
    wait_until(lambda: len(callers) == 20)
    steps.end()
    assert set(callers) == set(steps.threads) == {"first"}


def test_while_a_call_is_slow_the_other_thread_makes_the_steps_and_no_call() -> None:
    steps = Steps()
    release = threading.Event()
    steps.make(lambda: release.wait(SECONDS))
    wait_until(lambda: steps.threads[-1] == "follower")
    first = len(steps.permissions)
    assert steps.wait_for() == ["follower"] * 3
    assert steps.permissions[first : first + 3] == [False] * 3
    release.set()
    wait_until(lambda: steps.permissions[-1])
    assert steps.threads[-1] == "follower"
    steps.end()


def test_each_thread_takes_over_from_the_other() -> None:
    steps = Steps()
    for leader in ("follower", "first", "follower"):
        steps.hold_until_led_by(leader)
    steps.end()


def test_after_a_slow_call_none_is_made_for_the_time_of_caution() -> None:
    steps = Steps(caution_seconds=1.0)
    led = steps.hold_until_led_by("follower")
    made: list[float] = []
    steps.make(lambda: made.append(time.monotonic()))
    wait_until(lambda: made)
    steps.end()
    assert made[0] - led > 0.5


def test_calls_that_wait_leave_the_next_to_others_for_the_time_of_caution() -> None:
    steps = Steps(slow_seconds=5.0, caution_seconds=1.0)
    ended: list[float] = []
    steps.make(lambda: (time.sleep(0.1), ended.append(time.monotonic())))
    made: list[float] = []
    steps.make(lambda: made.append(time.monotonic()))
    wait_until(lambda: made)
    steps.end()
    assert made[0] - ended[0] > 0.9
    assert set(steps.threads) == {"first"}


def test_one_call_that_waits_a_little_among_others_changes_nothing() -> None:
    steps = Steps(slow_seconds=5.0, caution_seconds=5.0)
    steps.make(lambda: None)
    first = len(steps.permissions)
    for _ in range(3):
        steps.make(lambda: time.sleep(0.005))
        for _ in range(16):
            steps.make(lambda: None)
    steps.end()
    assert all(steps.permissions[first:])


def test_the_end_waits_for_a_call_of_the_first_thread() -> None:
    steps = Steps()
    release = threading.Event()
    steps.make(lambda: release.wait(SECONDS))
    wait_until(lambda: steps.threads[-1] == "follower")
    steps.both.end()
    time.sleep(0.05)
    count = len(steps.threads)
    release.set()
    steps.end()
    assert len(steps.threads) == count


@pytest.mark.parametrize("is_slow", [False, True])
def test_what_a_step_raises_is_raised_by_run_whichever_thread_made_it(is_slow: bool) -> None:
    steps = Steps()
    if is_slow:
        steps.hold_until_led_by("follower")

    def fail(_: bool) -> None:
        raise ValueError("a step")

    steps.both._step = fail
    wait_until(lambda: steps.error)
    assert str(steps.error) == "a step"
    steps.end()


def test_at_rest_the_follower_waits_without_a_look() -> None:
    steps = Steps(slow_seconds=0.001)
    steps.make(lambda: None)
    looks = steps.both._has_call
    wait_until(lambda: not looks.is_set())
    steps.wait_for(20)
    assert not looks.is_set()
    steps.end()
