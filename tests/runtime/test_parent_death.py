"""Parent death: what the kernel is asked for."""

import os
import signal
import sys

import pytest

from service.runtime import parent_death


class Kernel:
    """What the kernel was asked to do."""

    def __init__(self) -> None:
        self.requests: list[tuple[int, ...]] = []

    def prctl(self, *words: int) -> int:
        self.requests.append(words)
        return 0


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    asked = Kernel()
    monkeypatch.setattr(parent_death, "_LIBC", asked)
    return asked


def test_the_kernel_is_asked_for_a_signal_at_the_parents_end(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")

    parent_death.die_with_parent(signal.SIGTERM, os.getppid())

    assert kernel.requests == [(1, signal.SIGTERM, 0, 0, 0)]


def test_a_child_whose_parent_is_gone_already_ends_itself(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed: list[tuple[int, int]] = []
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "kill", lambda pid, number: killed.append((pid, number)))

    parent_death.die_with_parent(signal.SIGTERM, parent=os.getpid())

    assert len(kernel.requests) == 1
    assert killed == [(os.getpid(), signal.SIGKILL)]


def test_other_systems_than_linux_do_not_watch_the_parent(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")

    parent_death.die_with_parent(signal.SIGTERM, os.getppid())

    assert kernel.requests == []
