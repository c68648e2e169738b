"""The pool of connections to a single server, which is quick where there is nothing to do.

The client's own pool connects, counts and times for each connection that it gives, which takes
longer than to check the connection itself. Here a connection that is ready is given as it is.
Everything else is left to the client: to make a connection, to replace one that the server has
closed, and to take one back that is to be closed.
"""

from __future__ import annotations

from contextlib import suppress
from queue import Empty
from typing import Any

import redis
from redis.exceptions import RedisError


class QuickPool(redis.BlockingConnectionPool):
    """A pool as the client has it, of which each caller waits for a connection if need be."""

    def get_connection(self, command_name: object = None, *keys: object, **options: object) -> Any:
        """A connection that is open and has nothing unread, so that answers fit commands.

        Raises ConnectionError as the client does.
        """
        self._checkpid()
        with suppress(Empty):
            connection = self.pool.get_nowait()
            if _is_ready(connection):
                return connection
            self.pool.put_nowait(connection)
        return super().get_connection()  # type: ignore[no-untyped-call]

    def release(self, connection: Any) -> None:
        """Take a connection back."""
        self._checkpid()
        if self.owns_connection(connection) and not connection.should_reconnect():
            self.pool.put_nowait(connection)
        else:
            super().release(connection)  # type: ignore[no-untyped-call]


def _is_ready(connection: Any) -> bool:
    """Whether a pool's place has an open connection without anything to read on it."""
    if connection is None or not connection.is_connected:
        return False
    try:
        return not connection.can_read()
    except (RedisError, OSError):
        return False
