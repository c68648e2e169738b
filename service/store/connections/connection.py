"""One attempt's connection to the server of a key."""

from __future__ import annotations

from typing import Any

import redis
from redis.exceptions import AskError, MovedError

from service.store.connections.topologies import Pools

Command = tuple[bytes | str | int, ...]


class Connection:
    """A connection to the server of a key, taken from its pool for one attempt of an operation.

    A cluster that is moving the key's slot redirects single commands to another server; the
    connections there are held as well until the attempt ends. `uncertain_for`: None, or for how
    many seconds at least it has been unknown whether an earlier attempt was applied.
    """

    __slots__ = ("_held", "_pools", "uncertain_for")

    def __init__(self, pools: Pools, uncertain_for: float | None = None) -> None:
        self._pools = pools
        self._held: list[tuple[redis.ConnectionPool, Any]] = []
        self.uncertain_for = uncertain_for

    @property
    def is_open(self) -> bool:
        """Whether a server was reached, so that commands may have been sent."""
        return bool(self._held)

    def open(self, key: str) -> None:
        """Connect to the server of a key."""
        self._hold(self._pools.for_key(key))

    def execute(self, *commands: Command) -> list[Any]:
        """The answers to commands that are sent in one go; raises the first refusal."""
        raw = self._held[0][1]
        raw.send_packed_command(raw.pack_commands(commands))
        answers: list[Any] = []
        for _ in commands:
            try:
                answers.append(raw.read_response())
            except MovedError:
                raise
            except AskError as error:
                answers.append(error)
        for place, answer in enumerate(answers):
            if isinstance(answer, AskError):
                answers[place] = self._execute_at_target(answer, commands[place])
        return answers

    def execute_everywhere(self, command: Command) -> list[Any]:
        """The answers to one command of every server that this attempt has used."""
        answers = []
        for _, raw in self._held:
            raw.send_packed_command(raw.pack_commands((command,)))
            answers.append(raw.read_response())
        return answers

    def release(self) -> None:
        """Give everything back to be used again; every answer has been read."""
        for pool, raw in self._held:
            pool.release(raw)

    def discard(self) -> None:
        """Close everything, since answers may be on their way."""
        for pool, raw in self._held:
            raw.disconnect()
            pool.release(raw)

    def _hold(self, pool: redis.ConnectionPool) -> Any:
        raw = pool.get_connection()
        self._held.append((pool, raw))
        return raw

    def _execute_at_target(self, redirect: AskError, command: Command) -> Any:
        raw = self._hold(self._pools.redirect_target(redirect))
        raw.send_packed_command(raw.pack_commands((("ASKING",), command)))
        raw.read_response()
        return raw.read_response()
