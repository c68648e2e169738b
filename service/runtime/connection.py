"""A client's connection: what of it has arrived, and what of an answer it has not taken yet.

It belongs to the worker's event loop, or else to the one thread that answers a request of it.
Nothing here waits for the client.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from gunicorn.config import Config
from gunicorn.http import get_parser
from gunicorn.http.errors import LimitRequestHeaders
from gunicorn.workers.gthread import TConn

from service.runtime.framing import MAX_HEAD_BYTES, Progress, RequestFraming

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_PIECE_BYTES = 65_536
_SLICE_BYTES = 8_192  # gunicorn copies what it has been given and not used yet, for every chunk


class BufferedSocket(socket.socket):
    """A socket whose `sendall` never waits: what the client does not take is kept for `flush`."""

    unsent: bytearray

    @classmethod
    def replacing(cls, sock: socket.socket) -> Self:
        """Make one of a socket, which must not be used any more."""
        made = cls(sock.family, sock.type, sock.proto, fileno=sock.detach())
        socket.socket.setblocking(made, False)
        made.unsent = bytearray()
        return made

    def sendall(self, data: ReadableBuffer, flags: int = 0, /) -> None:
        """Send what the client takes at once, and keep the rest."""
        sent = 0 if self.unsent else self._sent(data)
        self.unsent += memoryview(data)[sent:]

    def flush(self) -> None:
        """Send what the client takes by now."""
        sent = self._sent(self.unsent)
        del self.unsent[:sent]

    def setblocking(self, flag: bool, /) -> None:
        """Do nothing: gunicorn would have its threads wait."""

    def settimeout(self, value: float | None, /) -> None:
        """Do nothing, likewise."""

    def _sent(self, data: ReadableBuffer) -> int:
        try:
            return self.send(data)
        except BlockingIOError:
            return 0


@dataclass(slots=True)
class Wait:
    """What the event loop waits for, and until when, on a monotonic clock."""

    on_event: Callable[[Connection], None]
    on_deadline: Callable[[Connection], None]
    deadline: float
    part: Progress | None = None


class Connection(TConn):
    """A connection whose requests are parsed once they have arrived."""

    sock: BufferedSocket

    def __init__(
        self, cfg: Config, sock: socket.socket, client: Any, server: Any, max_body: int
    ) -> None:
        super().__init__(cfg, BufferedSocket.replacing(sock), client, server)
        self.initialized = True  # gunicorn has nothing to prepare
        self.framing = RequestFraming(max_body)
        self.wait: Wait | None = None
        self.keep_alive = False
        self.is_unparseable = False
        self._withheld = 0
        self._ran_out = False

    def receive(self) -> None:
        """Take in what the client has sent by now."""
        try:
            data = self.sock.recv(_PIECE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self.framing.add(data)
        else:
            self.framing.end()

    def drained(self) -> bool:
        """Throw away what the client has sent by now, and tell whether that was all."""
        try:
            return not self.sock.recv(_PIECE_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def parse(self) -> None:
        """Give gunicorn's parser the request that has arrived, and no more."""
        self.is_unparseable = self.framing.progress is Progress.UNPARSEABLE
        self._ran_out = False
        parser = get_parser(self.cfg, self._pieces(), self.client)
        self.parser, self._unreader = parser, parser.unreader

    def framing_agrees(self) -> bool:
        """Tell whether the parser ended its request where the framing did."""
        rest = self._withheld or self._unreader.take_buffered()
        return not (self.is_unparseable or self._ran_out or rest)

    def _pieces(self) -> Iterator[bytes]:
        has_head = self.framing.has_head
        request = self.framing.take()
        for end in range(_SLICE_BYTES, len(request) + _SLICE_BYTES, _SLICE_BYTES):
            self._withheld = max(0, len(request) - end)
            yield request[end - _SLICE_BYTES : end]
        self._ran_out = True
        if not has_head:
            raise LimitRequestHeaders(f"more than {MAX_HEAD_BYTES} bytes")
