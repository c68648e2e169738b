"""Servers that answer as they are told, to see what is asked of whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from redis import exceptions


class Connection:
    """Answers what it was given, in order; an exception is raised instead."""

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


@dataclass
class Pool:
    """One connection at a time, or the failures to get one, before it."""

    connection: Connection
    failures: list[Exception] = field(default_factory=list)
    released: list[object] = field(default_factory=list)

    def get_connection(self) -> Connection:
        if self.failures:
            raise self.failures.pop(0)
        return self.connection

    def release(self, connection: object) -> None:
        self.released.append(connection)


@dataclass
class Place:
    """Servers: `failures` come before a server is found."""

    pools: list[Pool]
    moved_to: Pool | None = None
    failures: list[Exception] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    looks: int = 0

    def of(self, key: str) -> Pool:
        self.keys.append(key)
        return self.all()[0]

    def all(self) -> list[Pool]:
        if self.failures:
            raise self.failures.pop(0)
        return self.pools

    def asked(self, error: exceptions.AskError) -> Pool:
        if self.moved_to is None:
            raise error
        return self.moved_to

    def look_again(self) -> None:
        self.looks += 1

    def close(self) -> None:
        """There is nothing to close."""
