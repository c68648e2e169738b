"""A connection to one server, on which nothing but the channels of games is followed."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable
from typing import Any, NamedTuple, cast

import redis
from redis.exceptions import NoPermissionError, ResponseError

from service.store.keys import channel_of, game_of_channel


class ChannelCommands(NamedTuple):
    """The commands for channels of one kind."""

    publish: str
    subscribe: str
    unsubscribe: str


SHARDED = ChannelCommands("SPUBLISH", "SSUBSCRIBE", "SUNSUBSCRIBE")
GLOBAL = ChannelCommands("PUBLISH", "SUBSCRIBE", "UNSUBSCRIBE")
"""Servers before Redis 7 know no sharded channels."""
UNKNOWN = "unknown command"
_NEWS = (b"smessage", b"message", b"ssubscribe", b"subscribe")
_LOST = (b"sunsubscribe", b"unsubscribe")
_SILENT_SECONDS = 2.0
"""After so long a silent server is asked something, and has as long to answer."""


class Subscriber:
    """Follows the channels of games on one server; each method raises what the client raises."""

    def __init__(self, pool: redis.ConnectionPool) -> None:
        self._pool = pool
        self._connection: Any = pool.get_connection()
        self._games: set[str] = set()
        self._commands = SHARDED
        self._heard_at = self._asked_at = time.monotonic()
        # Held by a test of the client, whose types do not know that it is connected by now.
        self.socket = cast("socket.socket", self._connection._sock)  # noqa: SLF001

    @property
    def is_closed(self) -> bool:
        """Whether somebody has closed the connection, as the client does where a node is gone.

        The client would silently make another, on which nothing is followed.
        """
        return self._connection._sock is not self.socket  # noqa: SLF001

    def subscribe(self, game_ids: Iterable[str]) -> None:
        """Follow the channels of games."""
        game_ids = list(game_ids)
        self._games.update(game_ids)
        self._send(self._commands.subscribe, game_ids)

    def unsubscribe(self, game_id: str) -> None:
        """Follow the channel of a game no longer."""
        self._games.discard(game_id)
        self._send(self._commands.unsubscribe, [game_id])

    def read(self) -> tuple[list[str], list[str]]:
        """The games of which there is news, and those that the server has ceased to follow."""
        self._require_open()
        news: dict[str, None] = {}
        lost: list[str] = []
        while self._connection.can_read():
            self._heard_at = time.monotonic()
            answer = self._next_answer()
            if answer is None:
                continue
            kind, game_id = answer
            if kind in _NEWS:
                news[game_id] = None
            elif kind in _LOST and game_id in self._games:
                self._games.remove(game_id)
                lost.append(game_id)
        return list(news), lost

    def check(self, now: float) -> None:
        """Ask a server that has been silent something; raises TimeoutError if it does not answer.

        `now` is a monotonic time in s. To follow a channel twice is answered, and needs no right.
        """
        self._require_open()
        if self._asked_at > self._heard_at:
            if now - self._asked_at > _SILENT_SECONDS:
                raise redis.TimeoutError("the server does not answer")
        elif now - self._heard_at > _SILENT_SECONDS and self._games:
            self._send(self._commands.subscribe, [next(iter(self._games))])

    def close(self) -> None:
        """Close the connection."""
        self._connection.disconnect()
        self._pool.release(self._connection)

    def _next_answer(self) -> tuple[bytes, str] | None:
        try:
            kind, channel, *_ = self._connection.read_response()
        except NoPermissionError:
            raise
        except ResponseError as error:
            if UNKNOWN not in str(error).lower():
                raise
            if self._commands is SHARDED:  # else it answers one that was sent before
                self._commands = GLOBAL
                self._send(self._commands.subscribe, self._games)
            return None
        return kind, game_of_channel(channel)

    def _require_open(self) -> None:
        if self.is_closed:
            raise redis.ConnectionError("the connection was closed")

    def _send(self, verb: str, game_ids: Iterable[str]) -> None:
        self._require_open()
        commands = [(verb, channel_of(game_id)) for game_id in game_ids]
        self._asked_at = time.monotonic()
        self._connection.send_packed_command(
            self._connection.pack_commands(commands), check_health=False
        )
