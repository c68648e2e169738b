"""Servers that give scripted answers, and a clock that only sleeping moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from redis import exceptions

from service.store.connections.retry import RetryPolicy


class RawConnection:
    """Gives the answers of its script, in order; an exception is raised instead."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.sent: list[Sequence[tuple[object, ...]]] = []
        self.disconnected = 0

    def pack_commands(self, commands: Sequence[tuple[object, ...]]) -> object:
        return list(commands)

    def send_packed_command(self, packed: Any) -> None:
        self.sent.append(packed)

    def read_response(self) -> object:
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def disconnect(self) -> None:
        self.disconnected += 1

    @property
    def commands(self) -> list[Any]:
        """Every command that was sent."""
        return [command for sending in self.sent for command in sending]


@dataclass(eq=False)
class Pool:
    """A pool of one connection; its `failures` come first."""

    connection: RawConnection
    failures: list[Exception] = field(default_factory=list)
    released: list[object] = field(default_factory=list)

    def get_connection(self) -> RawConnection:
        if self.failures:
            raise self.failures.pop(0)
        return self.connection

    def release(self, connection: object) -> None:
        self.released.append(connection)


@dataclass
class ScriptedPools:
    """A pool for each server; `failures` come before any of them is found."""

    pools: list[Pool]
    target: Pool | None = None
    failures: list[Exception] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    refreshed: int = 0
    own_commands: Sequence[str] = ()

    def for_key(self, key: str) -> Pool:
        self._fail()
        self.keys.append(key)
        return self.pools[(len(self.keys) - 1) % len(self.pools)]

    def one_key_each(self, keys: Iterable[str]) -> list[str]:
        self._fail()
        return [key for key, _ in zip(keys, self.pools, strict=False)]

    def redirect_target(self, redirect: exceptions.AskError) -> Pool:
        if self.target is None:
            raise redirect
        return self.target

    def refresh(self) -> None:
        self.refreshed += 1

    def close(self) -> None:
        """There is nothing to close."""

    def _fail(self) -> None:
        if self.failures:
            raise self.failures.pop(0)


@dataclass
class ManualClock:
    """A clock that moves only while somebody sleeps."""

    now: float = 100.0
    slept: list[float] = field(default_factory=list)

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def policy(self, deadline: float = 1.5, pause: float = 0.5) -> RetryPolicy:
        """A policy on this clock, with pauses of one length."""
        return RetryPolicy(deadline, pause, pause, self.monotonic, self.sleep)


ONCE = RetryPolicy(deadline=0.0)
"""One attempt."""
