"""The worker: gunicorn's threads answer requests, and an event loop does all waiting for clients.

    acceptor -> event loop -> a thread answers -> event loop

A slow client costs a file descriptor and some memory, but never a thread.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from functools import partial
from selectors import EVENT_READ
from typing import Any, cast

from gunicorn.http import Request, wsgi
from gunicorn.workers.gthread import ThreadWorker

from service.config import Config
from service.runtime.worker.acceptor import Acceptor
from service.runtime.worker.connection import Connection
from service.runtime.worker.event_loop import EventLoop
from service.runtime.worker.exchange import BodyReader, Exchange, KeepAliveResponse
from service.runtime.worker.framing import FramedRequest
from service.runtime.worker.limits import Limits
from service.runtime.worker.streams import OPEN_STREAM, Stream

_POLL_SECONDS = 0.5
_HEARTBEAT_SECONDS = 1.0


class BufferingWorker(ThreadWorker):
    """A `gthread` worker that slow clients cannot stop."""

    _next_heartbeat = 0.0

    def run(self) -> None:
        """Serve until asked to stop, and then until every request that waits is answered."""
        wake_ups = self.method_queue
        self._loop = EventLoop(
            self.poller, self._limits(), self._dispatch, self.tpool.submit, wake_ups.defer
        )
        callback = partial(wake_ups.run_callbacks, None)
        self.poller.register(cast("int", wake_ups.fileno()), EVENT_READ, callback)
        acceptor = Acceptor(self.poller, self._loop, self.sockets)
        while self.alive and self._is_supervised():
            self._iterate(acceptor)
        self.alive = False
        acceptor.stop()
        self._loop.stop()
        deadline = time.monotonic() + self.cfg.graceful_timeout
        while not (acceptor.has_closed and self._loop.is_empty) and time.monotonic() < deadline:
            self._iterate(acceptor)
        acceptor.close()
        self._loop.close()
        self.tpool.shutdown(wait=False)
        wake_ups.close()
        self.poller.close()

    def _limits(self) -> Limits:
        return Limits(
            # One byte more than it takes is let through to the service, which refuses that itself.
            body_bytes=Config.from_environ(os.environ).max_body_bytes + 1,
            connections=self.worker_connections,
            streams=max(1, self.worker_connections // 2),
            keepalive_seconds=self.cfg.keepalive,
        )

    def _iterate(self, acceptor: Acceptor) -> None:
        self._loop.poll(_POLL_SECONDS)
        acceptor.resume_if_due()

    def _is_supervised(self) -> bool:
        """Report to gunicorn's master once a second, and return whether the master lives.

        gunicorn's own workers do it at every event, in two system calls.
        """
        now = time.monotonic()
        if now < self._next_heartbeat:
            return True
        self._next_heartbeat = now + _HEARTBEAT_SECONDS
        self.notify()
        return bool(self.is_parent_alive())

    def _dispatch(self, conn: Connection, request: FramedRequest) -> None:
        self.tpool.submit(self._answer, Exchange(self.cfg, conn, request))

    def _answer(self, exchange: Exchange) -> None:
        """Answer a request in a thread, and give its connection back to the event loop."""
        keep_alive = False
        try:
            keep_alive = self.handle(exchange) is True
        finally:
            self._loop.finish(exchange.connection, keep_alive=keep_alive)

    def handle_request(self, req: Request, conn: Exchange) -> bool:  # type: ignore[override]
        """Have the application answer a request; return whether the connection may be kept.

        Runs in a thread. gunicorn's hooks and its access log are left out.
        """
        if req.body is not None:
            req.body.reader = cast("Any", BodyReader(req.body.reader))
        response, environ = cast(
            "tuple[KeepAliveResponse, dict[str, Any]]",
            wsgi.create(req, conn.sock, conn.client, conn.server, self.cfg, KeepAliveResponse),
        )
        environ["wsgi.multithread"] = True
        environ[OPEN_STREAM] = partial(self._open_stream, conn.connection)
        self._count_request()
        if not (self.alive and conn.is_complete):
            response.force_close()
        body = self.wsgi(environ, cast("Any", response.start_response))
        try:
            return self._send(response, body, conn.connection) and conn.framing_agrees()
        finally:
            if hasattr(body, "close"):
                body.close()

    def _send(self, response: KeepAliveResponse, body: Iterable[bytes], conn: Connection) -> bool:
        conn.sock.cork()
        try:
            for part in body:
                response.write(part)
            if conn.stream is None or not response.open_stream(conn.stream):
                response.close()
        except OSError:
            raise
        except Exception:
            if not response.headers_sent:
                raise
            # Another response in the middle of this one would be taken for a part of it.
            self.log.exception("Error handling request")
            return False
        finally:
            conn.sock.uncork()
        return not response.should_close()

    def _count_request(self) -> None:
        self.nr += 1
        if self.nr >= self.max_requests:
            self.alive = False

    def _open_stream(self, conn: Connection, on_close: Callable[[], None]) -> Stream | None:
        wake = partial(self.method_queue.defer, self._loop.send_stream, conn)
        return self._loop.open_stream(conn, wake, on_close)
