"""Restarts of a server that is played, on a clock that stands still."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from service.runtime.embedded.restarts import Restarts
from service.runtime.embedded.server_program import EmbeddedServerError


@dataclass
class PlayedServer:
    """A server whose life and death the test decides."""

    running: bool = True
    answering: bool = True
    by_itself: bool = False
    takes_orders: bool = True
    problem: Exception | None = None
    spawned: list[bool] = field(default_factory=list)

    def spawn(self, *, read_only: bool = False) -> None:
        if self.problem:
            raise self.problem
        self.spawned.append(read_only)
        self.running = True

    def is_running(self) -> bool:
        return self.running

    def answers(self) -> bool:
        return self.answering

    def accept_writes(self) -> bool:
        return self.takes_orders

    def ended_by_itself(self) -> bool:
        return self.by_itself

    def describe_end(self) -> str:
        return "the server ended"


class Trial:
    """Restarts of a played server, and what they report."""

    def __init__(self) -> None:
        self.now = 100.0
        self.server = PlayedServer()
        self.reports: list[str] = []
        self.restarts = Restarts(self.server, self.reports.append, lambda: self.now)

    def die(self, *, by_itself: bool = False) -> None:
        self.server.running, self.server.by_itself = False, by_itself
        self.restarts.step()

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        self.restarts.step()

    def pause(self) -> float:
        """Let the server die, and measure in tenths of a second until it is started again."""
        starts, tenths = len(self.server.spawned), 0
        self.die()
        while len(self.server.spawned) == starts:
            tenths += 1
            self.pass_time(0.1)
        self.restarts.step()  # it answers
        return tenths / 10


@pytest.fixture
def trial() -> Trial:
    return Trial()


def test_a_server_that_lives_is_left_alone(trial: Trial) -> None:
    trial.pass_time(1000)

    assert trial.restarts.is_settled
    assert trial.server.spawned == []
    assert trial.reports == []


def test_the_pauses_double_up_to_five_seconds_and_never_end(trial: Trial) -> None:
    pauses = [trial.pause() for _ in range(30)]

    assert pauses[:6] == pytest.approx([0.2, 0.4, 0.8, 1.6, 3.2, 5.0], abs=0.11)
    assert pauses[6:] == pytest.approx([5.0] * 24, abs=0.11)


def test_the_pauses_are_short_again_after_it_has_served_for_a_while(trial: Trial) -> None:
    for _ in range(5):
        trial.pause()

    trial.pass_time(9)
    long = trial.pause()
    trial.pass_time(10)
    short = trial.pause()

    assert long > 4
    assert short < 0.4


def test_it_is_settled_again_only_once_the_new_server_answers(trial: Trial) -> None:
    trial.server.answering = False
    trial.die()
    trial.pass_time(0.2)
    trial.pass_time(60)
    assert not trial.restarts.is_settled

    trial.server.answering = True
    trial.restarts.step()

    assert trial.restarts.is_settled
    assert trial.server.spawned == [False]
    assert trial.reports == [
        "the server ended; it is started again in 0.2 s",
        "the storage serves reads and writes again",
    ]


def test_one_that_ended_by_itself_serves_reads_at_once_and_writes_after_the_pause(
    trial: Trial,
) -> None:
    trial.die(by_itself=True)
    assert trial.server.spawned == [True]
    trial.restarts.step()
    assert not trial.restarts.is_settled

    trial.pass_time(0.2)

    assert trial.restarts.is_settled
    assert trial.reports == [
        "the server ended; it is started again at once, and accepts writes in 0.2 s",
        "the storage serves reads again",
        "the storage serves reads and writes again",
    ]


def test_the_end_of_the_read_only_mode_is_asked_for_until_it_is_confirmed(trial: Trial) -> None:
    trial.server.takes_orders = False
    trial.die(by_itself=True)
    trial.restarts.step()
    trial.pass_time(1)
    assert not trial.restarts.is_settled

    trial.server.takes_orders = True
    trial.restarts.step()

    assert trial.restarts.is_settled


def test_one_that_cannot_even_serve_reads_waits_for_the_pause(trial: Trial) -> None:
    trial.server.answering = False
    trial.die(by_itself=True)

    trial.die(by_itself=True)

    assert trial.server.spawned == [True]
    trial.pass_time(0.4)
    assert trial.server.spawned == [True, False]


@pytest.mark.parametrize("problem", [OSError("no memory"), EmbeddedServerError("not ours")])
def test_a_start_that_fails_is_reported_and_tried_again(trial: Trial, problem: Exception) -> None:
    trial.server.problem = problem
    trial.die()
    trial.pass_time(0.2)
    assert trial.reports[-1] == f"the storage cannot be started: {problem}"

    trial.server.problem = None
    trial.pass_time(0.4)
    trial.restarts.step()

    assert trial.restarts.is_settled
