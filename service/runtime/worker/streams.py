"""A response whose body goes on after its request was answered, with no thread waiting for it.

    a request's thread opens it -> the thread sends the head -> any thread sends bytes -> its end

The application opens a stream with the callable that the environment of its request has under
`OPEN_STREAM`, and answers with a head without `Content-Length` and with an empty body. The event
loop owns the socket: whoever sends only appends to a buffer and wakes the loop. Where the worker
stops before the application has ended the body, it is completed by what the application gave for
that, its farewell.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from selectors import EVENT_READ, EVENT_WRITE

from service.runtime.worker.connection import Connection
from service.runtime.worker.limits import Limits
from service.runtime.worker.wait_list import WaitList

OPEN_STREAM = "runtime.open_stream"
"""The WSGI environment's name of what opens a stream: a function of `on_close` and `farewell`."""

Notify = Callable[[], None]
_LAST_CHUNK = b"0\r\n\r\n"


class Stream:
    """The open body of one response; its methods may be called from any thread."""

    def __init__(self, wake: Notify, on_close: Notify, farewell: bytes, max_unsent: int) -> None:
        self.on_close = on_close
        self._farewell = farewell
        self.is_open = False
        """Whether the head of its response was sent; a response of another kind leaves it False."""
        self.is_chunked = False
        self._wake = wake
        self._max_unsent = max_unsent
        self._lock = threading.Lock()
        self._buffer = bytearray()
        self._has_ended = False
        self._is_closed = False
        self._wakes = False

    def send(self, data: bytes) -> bool:
        """Send bytes without waiting; return False if the stream has ended or is closed.

        They may be many: only a client that has not taken what was sent before is disconnected,
        and `send` is then False as well.
        """
        with self._lock:
            if self._is_closed or self._has_ended:
                return False
            self._is_closed = len(self._buffer) > self._max_unsent
            self._buffer += data
            self._wake_once()
            return not self._is_closed

    def end(self, last: bytes = b"") -> None:
        """End the response after what was sent so far and `last`; nothing if it has ended."""
        with self._lock:
            if not (self._is_closed or self._has_ended):
                self._buffer += last
                self._has_ended = True
                self._wake_once()

    def stop(self) -> None:
        """End the response from this side, completed by its farewell."""
        self.end(self._farewell)

    def opened(self, *, is_chunked: bool) -> None:
        """Record that the head was sent, and whether it promised a chunked body."""
        self.is_open = True
        self.is_chunked = is_chunked

    def take(self, unsent: int) -> tuple[bytes, bool]:
        """Return what the socket should send next, framed, and whether that is the end.

        Raises `BufferError` if there is more while the client has too much (`unsent` bytes) to
        take, or the loop too much to send.
        """
        with self._lock:
            self._wakes = False
            if self._is_closed or (self._buffer and unsent > self._max_unsent):
                raise BufferError
            data = bytes(self._buffer)
            self._buffer.clear()
            return self._framed(data), self._has_ended

    def close(self) -> None:
        """Refuse what is sent from now on."""
        with self._lock:
            self._is_closed = True
            self._buffer.clear()

    def _framed(self, data: bytes) -> bytes:
        if not self.is_chunked:
            return data
        chunk = b"%X\r\n%b\r\n" % (len(data), data) if data else b""
        return chunk + _LAST_CHUNK if self._has_ended else chunk

    def _wake_once(self) -> None:
        if not self._wakes:
            self._wakes = True
            self._wake()


class OpenStreams:
    """The streams of one worker; every method but `open` is for the event loop's thread."""

    def __init__(
        self,
        waiting: WaitList,
        limits: Limits,
        clock: Callable[[], float],
        run: Callable[[Callable[[], None]], object],
        after_end: Callable[[Connection], None],
        disconnect: Callable[[Connection], None],
    ) -> None:
        self._waiting = waiting
        self._limits = limits
        self._clock = clock
        self._run = run
        self._after_end = after_end
        self._disconnect = disconnect
        self._slots = threading.BoundedSemaphore(limits.streams)

    def open(
        self, conn: Connection, wake: Notify, on_close: Notify, farewell: bytes
    ) -> Stream | None:
        """Open the stream of a request, in its thread; None if it has one or there is no place."""
        if conn.stream is not None or not self._slots.acquire(blocking=False):
            return None
        conn.stream = Stream(wake, on_close, farewell, self._limits.stream_unsent_bytes)
        return conn.stream

    def send(self, conn: Connection) -> None:
        """Send what there is; end after the last of it, and disconnect whoever reads too slowly."""
        if conn.stream is None:
            return
        try:
            if conn.sock.unsent:
                conn.sock.flush()
            data, is_end = conn.stream.take(conn.sock.unsent)
            conn.sock.sendall(data)
        except (OSError, BufferError):
            self._disconnect(conn)
            return
        if is_end:
            self._after_end(conn)
        else:
            self._wait(conn)

    def end(self, conn: Connection) -> None:
        """End a stream from this side, and its connection with it."""
        conn.keep_alive = False
        if conn.stream is not None:
            conn.stream.stop()
        self.send(conn)

    def on_event(self, conn: Connection) -> None:
        """See that a client has left, or send the rest to one that takes it."""
        received = conn.sock.receive()
        if received == b"":
            self._disconnect(conn)
            return
        if received:  # a request before the response's end is not answered
            conn.keep_alive = False
        self.send(conn)

    def release(self, conn: Connection) -> None:
        """Free the place of a connection's stream, if it has one, and tell the application."""
        stream, conn.stream = conn.stream, None
        if stream is not None:
            stream.close()
            self._slots.release()
            self._run(stream.on_close)

    def _wait(self, conn: Connection) -> None:
        if conn.sock.unsent:
            conn.deadline = min(conn.deadline, self._clock() + self._limits.response_seconds)
            self._waiting.watch(conn, EVENT_READ | EVENT_WRITE)
        else:
            conn.deadline = math.inf
            self._waiting.watch(conn, EVENT_READ)
