"""The worker: gunicorn's threads, with nobody waiting for a client but the event loop.

    accept -> receive -> a thread answers -> send -> receive the next one, or linger and close

A thread gets a request once all of it has arrived, and leaves to the event loop what the client
does not take of the answer at once. So a slow client costs a file descriptor and some memory but
never a thread; each wait for one ends, and where there are too many, the one that has waited
longest goes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import selectors
import socket
import time
from concurrent.futures import Future
from functools import partial

from gunicorn.http import Request
from gunicorn.workers.gthread import ThreadWorker

from service.config import Config
from service.runtime.connection import Connection, Wait
from service.runtime.framing import Progress

# From the end of the part before: what comes byte by byte gets no more.
_REQUEST_SECONDS = {Progress.IDLE: 10.0, Progress.HEAD: 10.0, Progress.BODY: 20.0}
_ANSWER_SECONDS = 60.0
_LINGER_SECONDS = 2.0
_LAST_SECONDS = 2.0  # gunicorn's own cap of the waits that it finds when asked to stop
_LOOK_SECONDS = 0.5
_MAX_UNSENT_BYTES = 64 * 2**20
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_REQUEST_TIMEOUT = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_NOTHING_TO_ACCEPT = (errno.EAGAIN, errno.EWOULDBLOCK, errno.ECONNABORTED)
_NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class BufferingWorker(ThreadWorker):
    """A `gthread` worker that slow clients cannot stop."""

    def init_process(self) -> None:
        """Set up, and serve until the end."""
        # One byte more than it takes is let through to the service, which refuses that itself.
        self._max_body = Config.from_environ(os.environ).max_body_bytes + 1
        self._waiting: dict[Connection, None] = {}  # the longest first
        self._next_look = 0.0
        super().init_process()

    def accept(self, listener: socket.socket) -> None:
        """Let a client in; in a full house, for the one that has waited longest."""
        try:
            sock, client = listener.accept()
        except OSError as error:
            if error.errno in _NO_ROOM:
                self._evict()
            elif error.errno not in _NOTHING_TO_ACCEPT:
                raise
            return
        self.nr_conns += 1
        if self.nr_conns >= self.worker_connections:
            self._evict()
        conn = Connection(self.cfg, sock, client, listener.getsockname(), self._max_body)
        self._receive(conn)

    def _receive(self, conn: Connection) -> None:
        conn.receive()
        self._advance(conn)

    def _advance(self, conn: Connection) -> None:
        """Hand a request to a thread if it is all there, else wait for the rest."""
        match conn.framing.progress:
            case Progress.COMPLETE | Progress.UNPARSEABLE:
                self._stop_waiting(conn)
                self.enqueue_req(conn)
            case Progress.DISCONNECTED:
                self._drop(conn)
            case part if conn.wait is None or conn.wait.part is not part:
                self._await_part(conn, part)

    def _await_part(self, conn: Connection, part: Progress) -> None:
        if part is Progress.BODY and conn.framing.expects_continue:
            _send_now(conn, _CONTINUE)
        is_idle = part is Progress.IDLE and conn.keep_alive
        seconds = self.cfg.keepalive if is_idle else _REQUEST_SECONDS[part]
        on_deadline = self._drop if part is Progress.IDLE else self._refuse
        wait = Wait(self._receive, on_deadline, self._deadline(conn, seconds), part)
        if conn.wait is None:
            self._await(conn, selectors.EVENT_READ, wait)
        else:
            conn.wait = wait

    def _deadline(self, conn: Connection, seconds: float) -> float:
        """Allow so many seconds; once asked to stop, no part that comes gains any."""
        now = time.monotonic()
        if self.alive:
            return now + seconds
        last = now + _LAST_SECONDS if conn.wait is None else conn.wait.deadline
        return min(now + seconds, last)

    def _refuse(self, conn: Connection) -> None:
        """Tell a client that its request came too slowly."""
        self._stop_waiting(conn)
        _send_now(conn, _REQUEST_TIMEOUT)
        if self.alive:
            self._linger(conn)
        else:
            self._drop(conn)

    def handle(self, conn: Connection) -> bool:  # type: ignore[override]  # there are no others
        """Answer a request, in a thread; tell whether the connection serves for another."""
        conn.parse()
        return super().handle(conn) and conn.framing_agrees()

    def handle_request(self, req: Request, conn: Connection) -> bool:  # type: ignore[override]
        """Have the service answer, and then close if the request's end is not known."""
        if conn.is_unparseable:
            req.force_close()
        return super().handle_request(req, conn)

    def finish_request(self, conn: Connection, fs: Future[bool]) -> None:  # type: ignore[override]
        """Take a connection back from its thread."""
        conn.keep_alive = not fs.cancelled() and fs.exception() is None and fs.result()
        if conn.sock.fileno() < 0:  # gunicorn gave it up in the middle of an answer
            self._drop(conn)
        elif conn.sock.unsent:
            deadline = time.monotonic() + _ANSWER_SECONDS
            self._await(conn, selectors.EVENT_WRITE, Wait(self._send, self._drop, deadline))
            self._limit_unsent()
        else:
            self._settle(conn)

    def _send(self, conn: Connection) -> None:
        try:
            conn.sock.flush()
        except OSError:
            self._drop(conn)
            return
        if not conn.sock.unsent:
            self._stop_waiting(conn)
            self._settle(conn)

    def _settle(self, conn: Connection) -> None:
        if conn.keep_alive:
            self._advance(conn)
        else:
            self._linger(conn)

    def _linger(self, conn: Connection) -> None:
        """Close after the client: were bytes of it unread, the kernel would cut the answer off."""
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._drop(conn)
            return
        deadline = time.monotonic() + _LINGER_SECONDS
        self._await(conn, selectors.EVENT_READ, Wait(self._discard, self._drop, deadline))

    def _discard(self, conn: Connection) -> None:
        if conn.drained():
            self._drop(conn)

    def _await(self, conn: Connection, event: int, wait: Wait) -> None:
        self.poller.register(conn.sock, event, partial(self._on_event, conn))
        self._waiting[conn] = None
        conn.wait = wait

    def _on_event(self, conn: Connection, _: socket.socket) -> None:
        if conn.wait is not None:  # another event of the same round may have dropped it
            conn.wait.on_event(conn)

    def _stop_waiting(self, conn: Connection) -> None:
        if conn.wait is not None:
            self.poller.unregister(conn.sock)
            del self._waiting[conn]
            conn.wait = None

    def _drop(self, conn: Connection) -> None:
        self._stop_waiting(conn)
        self.nr_conns -= 1
        conn.close()

    def _evict(self) -> None:
        if self._waiting:
            self._drop(next(iter(self._waiting)))

    def _limit_unsent(self) -> None:
        sending = [conn for conn in self._waiting if conn.sock.unsent]
        total = sum(len(conn.sock.unsent) for conn in sending)
        for conn in sending:
            if total <= _MAX_UNSENT_BYTES:
                break
            total -= len(conn.sock.unsent)
            self._drop(conn)

    def murder_pending(self) -> None:
        """Act for those who have waited until their deadline; gunicorn calls this all the time."""
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + _LOOK_SECONDS
        for conn in list(self._waiting):
            if conn.wait is not None and conn.wait.deadline <= now:
                conn.wait.on_deadline(conn)

    def _cap_keepalive(self, deadline: float) -> None:
        """Let nobody hold up the end whose request is not all there; called when asked to stop."""
        for conn in self._waiting:
            if conn.wait is not None and conn.wait.part is not None:
                conn.wait.deadline = min(conn.wait.deadline, deadline)


def _send_now(conn: Connection, words: bytes) -> None:
    with contextlib.suppress(OSError):  # its end shows when it is read
        conn.sock.sendall(words)
