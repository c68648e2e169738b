"""A connection of a client: its socket, its state, and the received bytes that nobody has parsed.

It belongs to the event loop, or else to the one thread that answers a request of it. Nothing here
waits for the client.
"""

from __future__ import annotations

import contextlib
import socket
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from service.runtime.worker.framing import RequestFraming

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from service.runtime.worker.streams import Stream

_RECEIVE_BYTES = 65_536
_CORKED_BYTES = 65_536


class State(Enum):
    """What a connection waits for."""

    IDLE = auto()  # the first byte of a request
    HEAD = auto()  # the end of the request's head
    BODY = auto()  # the end of the request's body
    DISPATCHED = auto()  # the thread that answers the request
    SENDING = auto()  # the client, to take the rest of the response
    LINGERING = auto()  # the client, to close after the last response
    STREAMING = auto()  # the application, to send more on a stream or to end it
    CLOSED = auto()


class BufferedSocket:
    """A socket whose `sendall` never waits: what the client does not take is kept for `flush`.

    While it is corked, what is sent is collected: a head and its body go out in one system call.
    """

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._unsent = bytearray()
        self._is_corked = False

    @property
    def unsent(self) -> int:
        """The number of bytes that the client has not taken yet."""
        return len(self._unsent)

    def cork(self) -> None:
        """Collect what is sent from now on, until there is much of it."""
        self._is_corked = True

    def uncork(self) -> None:
        """Send what was collected, as `flush` does."""
        self._is_corked = False
        if self._unsent:
            self.flush()

    def sendall(self, data: ReadableBuffer) -> None:
        """Send what the client takes at once and keep the rest; raise `OSError` if it is gone."""
        if self._is_corked:
            self._unsent += data
            if len(self._unsent) > _CORKED_BYTES:
                self.flush()
            return
        sent = 0 if self._unsent else self._send(data)
        self._unsent += memoryview(data)[sent:]

    def try_sendall(self, data: ReadableBuffer) -> None:
        """Send like `sendall`; that the client is gone shows when it is read."""
        with contextlib.suppress(OSError):
            self.sendall(data)

    def flush(self) -> None:
        """Send what the client takes by now; raise `OSError` if it is gone."""
        sent = self._send(self._unsent)
        del self._unsent[:sent]

    def receive(self) -> bytes | None:
        """Return what has arrived: None if nothing has, empty if nothing more will."""
        try:
            return self._sock.recv(_RECEIVE_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def give_up_after(self, seconds: float) -> None:
        """Have a connection whose client acknowledges nothing for so long fail, where it can.

        Else a client that has vanished would hold its place for a quarter of an hour.
        """
        option = getattr(socket, "TCP_USER_TIMEOUT", None)  # Linux
        with contextlib.suppress(OSError):
            if option is not None:
                self._sock.setsockopt(socket.IPPROTO_TCP, option, int(1_000 * seconds))

    def shutdown(self, how: int) -> None:
        """End the sending or the receiving side; raise `OSError` if the client is gone."""
        self._sock.shutdown(how)

    def close(self) -> None:
        """Close the socket, whatever is unsent."""
        self._sock.close()

    def fileno(self) -> int:
        """Return the file descriptor, for the poller."""
        return self._sock.fileno()

    def setblocking(self, flag: bool) -> None:
        """Do nothing: gunicorn would make its threads wait for the client."""

    def gettimeout(self) -> float:
        """Return 0: no call waits."""
        return 0.0

    def _send(self, data: ReadableBuffer) -> int:
        try:
            return self._sock.send(data)
        except BlockingIOError:
            return 0


class Connection:
    """A connection and where it stands; the event loop alone changes `state` and what follows."""

    def __init__(self, sock: BufferedSocket, client: Any, server: Any, max_body: int) -> None:
        self.sock = sock
        self.client = client
        self.server = server
        self.framing = RequestFraming(max_body)
        self.stream: Stream | None = None
        """What the request's thread has opened, if it has."""
        self.state = State.DISPATCHED
        self.keep_alive = False
        self.waiting_since = 0.0
        self.deadline = 0.0
        self.events = 0
        """What the poller watches the socket for."""

    @property
    def is_drained(self) -> bool:
        """Whether nothing is left to be sent, and no byte of a next request has arrived."""
        return not self.sock.unsent and self.stream is None and self.framing.is_empty
