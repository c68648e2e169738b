"""The event loop of a worker: it owns every socket that no thread uses, and waits for clients.

    IDLE -> HEAD -> BODY -> DISPATCHED -> SENDING -> IDLE again (keep-alive), or LINGERING -> CLOSED
                                       -> STREAMING -> the same

States may be skipped; every state but DISPATCHED and STREAMING ends at its deadline. A thread gets
a request once all of it has arrived; the loop sends what the client does not take at once. A
connection that its thread has finished is taken back at the next event, mostly the client's next
request: the loop is woken only where it has something to do at once. Nothing here knows gunicorn.
"""

from __future__ import annotations

import math
import socket
import time
from collections import deque
from collections.abc import Callable
from selectors import EVENT_READ, EVENT_WRITE
from typing import Any, assert_never

from service.runtime.worker.connection import BufferedSocket, Connection, State
from service.runtime.worker.framing import FramedRequest, Progress
from service.runtime.worker.limits import Limits
from service.runtime.worker.streams import Notify, OpenStreams, Stream
from service.runtime.worker.wait_list import Poller, WaitList

_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_REQUEST_TIMEOUT = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_PARTS = {Progress.IDLE: State.IDLE, Progress.HEAD: State.HEAD, Progress.BODY: State.BODY}
_RECEIVING = frozenset(_PARTS.values())


class EventLoop:
    """The connections of one worker; only `finish` and `open_stream` are for other threads."""

    def __init__(
        self,
        poller: Poller,
        limits: Limits,
        dispatch: Callable[[Connection, FramedRequest], None],
        run: Callable[[Callable[[], None]], object],
        wake: Callable[[Callable[[], None]], object],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Give requests to `dispatch`, whose thread later calls `finish`.

        `run` calls a function of the application, in a thread; `wake` calls one in the loop's.
        """
        self._poller = poller
        self._limits = limits
        self._dispatch = dispatch
        self._wake = wake
        self._clock = clock
        self._waiting = WaitList(poller, clock, self._on_event)
        self._streams = OpenStreams(
            self._waiting, limits, clock, run, self._after_stream, self._close
        )
        self._finished: deque[Connection] = deque()
        self._size = 0  # streams aside
        self._is_stopping = False
        self._next_expiry = 0.0

    @property
    def is_empty(self) -> bool:
        """Whether no connection and no stream is left."""
        return not self._size and not self._waiting

    @property
    def is_full(self) -> bool:
        """Whether there are more connections than may be."""
        return self._size > self._limits.connections

    def poll(self, timeout: float) -> None:
        """Wait for events for up to so many seconds, and act on them and on deadlines."""
        events = self._poller.select(timeout)
        self.take_finished()
        for key, _ in events:
            key.data()
        now = self._clock()
        if now >= self._next_expiry:
            self._next_expiry = now + self._limits.expiry_seconds
            for conn in self._waiting.expired():
                self._on_deadline(conn)

    def add(self, sock: socket.socket, client: Any, server: Any) -> None:
        """Take a new connection in; if there is no place, close one that waits."""
        self._size += 1
        if self.is_full:
            self.evict()
        self._receive(Connection(BufferedSocket(sock), client, server, self._limits.body_bytes))

    def evict(self) -> bool:
        """Close the connection to drop for a new one; return False if all are with threads."""
        conn = self._waiting.longest(self._limits.idle_grace_seconds)
        if conn is not None:
            self._close(conn)
        return conn is not None

    def finish(self, conn: Connection, *, keep_alive: bool) -> None:
        """Give a connection back, in its thread, which may have opened a stream."""
        conn.keep_alive = keep_alive
        only_idles = keep_alive and conn.is_drained
        self._finished.append(conn)
        # Looked at after the line above: the loop looks in the other order.
        if not (only_idles and conn.events) or self._is_stopping:
            self._wake(self.take_finished)

    def take_finished(self) -> None:
        """Take back the connections whose threads have finished."""
        while self._finished:
            conn = self._finished.popleft()
            if conn.stream is not None and conn.stream.is_open:
                self._begin_stream(conn)
            else:
                self._streams.release(conn)
                self._send_rest(conn)

    def stop(self) -> None:
        """Give requests that are arriving little time, and end all streams."""
        self._is_stopping = True
        self.take_finished()
        last = self._clock() + self._limits.stop_seconds
        for conn in self._waiting:
            if conn.state in _RECEIVING:
                conn.deadline = min(conn.deadline, last)
            elif conn.state is State.STREAMING:
                self._streams.end(conn)

    def close(self) -> None:
        """Close every connection that no thread uses."""
        for conn in self._waiting:
            self._close(conn)

    # Receiving

    def _receive(self, conn: Connection) -> None:
        data = conn.sock.receive()
        if data:
            conn.framing.add(data)
        elif data is not None:
            conn.framing.end()
        self._advance(conn)

    def _advance(self, conn: Connection) -> None:
        """Dispatch a request if all of it has arrived, else wait for the rest."""
        match conn.framing.progress:
            case Progress.COMPLETE | Progress.UNPARSEABLE:
                self._waiting.dispatch(conn)
                self._dispatch(conn, conn.framing.take())
            case Progress.DISCONNECTED:
                self._close(conn)
            case Progress.IDLE | Progress.HEAD | Progress.BODY as progress:
                if conn.state is not _PARTS[progress]:
                    self._await_part(conn, _PARTS[progress])
            case _ as unreachable:
                assert_never(unreachable)

    def _await_part(self, conn: Connection, part: State) -> None:
        if part is State.BODY and conn.framing.expects_continue:
            conn.sock.try_sendall(_CONTINUE)
        limits, now = self._limits, self._clock()
        seconds = limits.body_seconds if part is State.BODY else limits.head_seconds
        if part is State.IDLE and conn.keep_alive:
            seconds = limits.keepalive_seconds + limits.keepalive_margin_seconds
        deadline = now + seconds
        if self._is_stopping:
            was_receiving = conn.state in _RECEIVING
            deadline = min(deadline, conn.deadline if was_receiving else now + limits.stop_seconds)
        self._waiting.enter(conn, part, EVENT_READ, deadline)

    def _refuse(self, conn: Connection) -> None:
        """Answer a request that arrives too slowly."""
        conn.sock.try_sendall(_REQUEST_TIMEOUT)
        if self._is_stopping:
            self._close(conn)
        else:
            self._linger(conn)

    # Sending

    def _send_rest(self, conn: Connection) -> None:
        if conn.sock.unsent:
            deadline = self._clock() + self._limits.response_seconds
            self._waiting.enter(conn, State.SENDING, EVENT_WRITE, deadline)
            self._limit_unsent()
        else:
            self._settle(conn)

    def _send(self, conn: Connection) -> None:
        try:
            conn.sock.flush()
        except OSError:
            self._close(conn)
            return
        if not conn.sock.unsent:
            self._settle(conn)

    def _limit_unsent(self) -> None:
        sending = self._waiting.sending()
        total = sum(conn.sock.unsent for conn in sending)
        for conn in sending:
            if total <= self._limits.unsent_bytes:
                break
            total -= conn.sock.unsent
            self._close(conn)

    def _settle(self, conn: Connection) -> None:
        """Go on after a response that was sent."""
        if conn.keep_alive:
            self._advance(conn)
        else:
            self._linger(conn)

    def _linger(self, conn: Connection) -> None:
        """Close after the client: were bytes of it unread, the kernel would cut the response."""
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._close(conn)
            return
        deadline = self._clock() + self._limits.linger_seconds
        self._waiting.enter(conn, State.LINGERING, EVENT_READ, deadline)

    def _drain(self, conn: Connection) -> None:
        if conn.sock.receive() == b"":
            self._close(conn)

    # Streams

    def open_stream(
        self, conn: Connection, wake: Notify, on_close: Notify, farewell: bytes
    ) -> Stream | None:
        """Open a stream on a dispatched connection, in its thread; None where there is no place.

        `wake` has the loop call `send_stream`; `on_close` is run once, after the stream's end.
        """
        return self._streams.open(conn, wake, on_close, farewell)

    def send_stream(self, conn: Connection) -> None:
        """Send what the application has put on a stream; nothing if that has ended meanwhile."""
        if conn.state is State.STREAMING:
            self._streams.send(conn)

    def _begin_stream(self, conn: Connection) -> None:
        self._size -= 1
        conn.sock.give_up_after(self._limits.response_seconds)
        self._waiting.enter(conn, State.STREAMING, EVENT_READ, math.inf)
        if self._is_stopping:
            self._streams.end(conn)
        else:
            self._streams.send(conn)

    def _after_stream(self, conn: Connection) -> None:
        self._size += 1
        self._waiting.dispatch(conn)
        self._streams.release(conn)
        self._send_rest(conn)

    # Events and deadlines

    def _on_event(self, conn: Connection) -> None:
        match conn.state:
            case State.IDLE | State.HEAD | State.BODY:
                self._receive(conn)
            case State.SENDING:
                self._send(conn)
            case State.LINGERING:
                self._drain(conn)
            case State.STREAMING:
                self._streams.on_event(conn)
            case State.DISPATCHED:
                self._waiting.watch(conn, 0)  # what the client sends early is received later
                self.take_finished()
            case State.CLOSED:
                pass  # an earlier event of the same iteration has closed it
            case _ as unreachable:
                assert_never(unreachable)

    def _on_deadline(self, conn: Connection) -> None:
        match conn.state:
            case State.IDLE:
                self._receive(conn)  # a request that has just arrived is not cut off
                if conn.state is State.IDLE:
                    self._close(conn)
            case State.HEAD | State.BODY:
                self._refuse(conn)
            case State.SENDING | State.LINGERING | State.STREAMING:
                self._close(conn)
            case State.DISPATCHED | State.CLOSED:
                pass  # another deadline of the same iteration has changed the state
            case _ as unreachable:
                assert_never(unreachable)

    def _close(self, conn: Connection) -> None:
        if conn.state is not State.STREAMING:
            self._size -= 1
        self._waiting.close(conn)
        self._streams.release(conn)
        conn.sock.close()
