"""The soak for some seconds, and that it finds what is left behind."""

from __future__ import annotations

import itertools
import random
import re
import socket
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from tests.chaos.endurance import soak
from tests.chaos.endurance.mixed_load import Mix, MixedLoad
from tests.chaos.endurance.samples import Drift, Sample, Sampler, drifts
from tests.chaos.endurance.tables import Caller

_SHORT = soak.Size(
    warm=3.0,
    seconds=9.0,
    lifetime=2,
    rest=12.0,
    share=0.3,
    least=25.0,  # in some seconds nothing evens out
    mix=Mix(players=4, watchers=6, waiting=2, slow=8, move_seconds=0.05, poll_seconds=0.04),
)


@pytest.mark.trial
def test_some_seconds_of_load_leave_nothing_behind() -> None:
    outcome = soak.run(_SHORT)
    assert outcome.violations == []
    missing = {words for words in soak.COUNTED.values() if words not in outcome.summary}
    assert missing <= {"304", "429", "whole games"}, outcome.summary  # these take their time


class Leak:
    """Connections to the storage that nobody closes, and keys that live for ever."""

    def __init__(self) -> None:
        self._opened: list[socket.socket] = []

    def __call__(self, load: MixedLoad, sampler: Sampler) -> None:
        self._sampler = sampler
        load.start(0.05, self._client)

    def _client(self, _caller: Caller, _rng: random.Random) -> Iterator[None]:
        for number in itertools.count():
            for _ in range(3):
                self._opened.append(socket.socket(socket.AF_UNIX))
                self._opened[-1].connect(self._sampler.place)
            self._sampler.store.mset({f"{{g:{number}}}:{each}": "" for each in range(20)})
            yield

    def close(self) -> None:
        for each in self._opened:
            each.close()


@pytest.mark.trial
def test_connections_and_keys_that_are_left_are_found() -> None:
    with closing(Leak()) as leak:
        outcome = soak.run(replace(_SHORT, rest=1.0), leak)
    found = "\n".join(outcome.violations)
    assert "keys without a lifetime, such as {g:" in found
    for name in ("connections to the storage", "keys"):
        assert f"\n{name} " in found, found
    for name in ("descriptors", "connections to the storage", "keys"):
        assert re.search(rf"in the end there are \d+ {name}, and not \d+", found), found


def samples(figures: list[float]) -> list[Sample]:
    return [Sample(float(at), {"MB": figure}) for at, figure in enumerate(figures)]


@pytest.mark.parametrize(
    ("last", "is_within"), [(104.0, True), (96.0, True), (106.0, False), (94.0, False)]
)
def test_the_last_third_is_compared_with_the_middle_third(last: float, is_within: bool) -> None:
    (drift,) = drifts(samples([500.0] * 10 + [100.0] * 10 + [last] * 10))
    assert drift == Drift("MB", 100.0, last)
    assert drift.is_within(0.05, 1.0) is is_within


@pytest.mark.parametrize(("last", "is_within"), [(78.0, True), (74.0, False), (106.0, False)])
def test_what_depends_on_the_clients_may_be_less_when_they_are_slower(
    last: float, is_within: bool
) -> None:
    assert Drift("keys", 100.0, last).is_within(0.05, 1.0, load=0.8) is is_within


def test_a_slow_growth_is_found_and_a_moment_is_not() -> None:
    (growing,) = drifts(samples([100 + 0.3 * at for at in range(90)]))
    assert not growing.is_within(0.05, 1.0)
    (peaked,) = drifts(samples([100.0] * 60 + [900.0] * 10 + [100.0] * 20))
    assert peaked.is_within(0.05, 1.0)
