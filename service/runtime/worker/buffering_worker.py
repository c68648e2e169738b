"""The worker: its event loop does all waiting for clients, and its threads answer the requests.

    acceptor -> event loop -> a thread answers, mostly the loop's own -> event loop

A slow client costs a file descriptor and some memory, but never a thread. While answers are quick,
the event loop's thread gives them itself, one after the other: threads that work at the same time
compete for the interpreter's lock, which costs more than it gains. Once an answer takes long,
another thread runs the loop, and gunicorn's threads answer for a while.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable
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
from service.runtime.worker.leader_follower import Call, LeaderFollower
from service.runtime.worker.limits import Limits, file_limit, streams
from service.runtime.worker.streams import OPEN_STREAM, Notify, Stream
from service.runtime.worker.turns import Turns, caller_of

WAITED = "runtime.waited_seconds"
"""The WSGI environment's name of how long a request has waited for a thread, in seconds."""
_POLL_SECONDS = 0.5
_HEARTBEAT_SECONDS = 1.0


class BufferingWorker(ThreadWorker):
    """A `gthread` worker that slow clients cannot stop."""

    _next_heartbeat = 0.0
    _stops_by: float | None = None
    """When a stop ends at the latest; None while there is none."""

    def init_signals(self) -> None:
        """Have signals end the waiting of the main thread, so that it runs their handlers.

        gunicorn has SIGTERM and SIGUSR1 not do so; Python itself goes on with what was interrupted.
        """
        super().init_signals()
        for number in (signal.SIGTERM, signal.SIGUSR1):
            signal.siginterrupt(number, True)

    def run(self) -> None:
        """Serve until asked to stop, and then until every request that waits is answered."""
        wake_ups = self.method_queue
        self._loop = EventLoop(
            self.poller, self._limits(), self._dispatch, self.tpool.submit, wake_ups.defer
        )
        callback = partial(wake_ups.run_callbacks, None)
        self.poller.register(cast("int", wake_ups.fileno()), EVENT_READ, callback)
        self._acceptor = Acceptor(self.poller, self._loop, self.sockets)
        proxies = Config.from_environ(os.environ).trusted_proxies
        self._turns = Turns[Exchange](lambda each: caller_of(each.client, each.data, proxies))
        self._unassigned = 0
        self._waiting = set[Exchange]()
        self._tick = getattr(self.wsgi, "extensions", {}).get("tick")
        self._threads = LeaderFollower(self._step)
        self._threads.run()
        if self._tick is not None:
            self._tick(0)
        self._acceptor.close()
        self._loop.close()
        self.tpool.shutdown(wait=False)
        wake_ups.close()
        self.poller.close()

    def _limits(self) -> Limits:
        return Limits(
            # One byte more than it takes is let through to the service, which refuses that itself.
            body_bytes=Config.from_environ(os.environ).max_body_bytes + 1,
            connections=self.worker_connections,
            streams=streams(file_limit()),
            keepalive_seconds=self.cfg.keepalive,
        )

    def _step(self, may_answer: bool) -> Call | None:
        """Act on events; return one request's answer to be given in this thread, if it may be."""
        if self._stops_by is None and not (self.alive and self._is_supervised()):
            self._begin_stop()
        self._loop.poll(0 if self._unassigned else _POLL_SECONDS)
        self._acceptor.resume_if_due()
        if self._stops_by is not None and self._has_stopped(self._stops_by):
            self._threads.end()
            return None
        if may_answer and self._unassigned:
            self._unassigned -= 1
            return self._answer_next
        while self._unassigned:
            self._unassigned -= 1
            self.tpool.submit(self._answer_next)
        return None

    def _begin_stop(self) -> None:
        self.alive = False
        self._stops_by = time.monotonic() + self.cfg.graceful_timeout
        self._acceptor.stop()
        self._loop.stop()

    def _has_stopped(self, stops_by: float) -> bool:
        is_empty = self._acceptor.has_closed and self._loop.is_empty
        return is_empty or time.monotonic() >= stops_by

    def _is_supervised(self) -> bool:
        """Report to gunicorn's master and to the metrics once a second; whether the master lives.

        gunicorn's own workers do it at every event, in two system calls.
        """
        now = time.monotonic()
        if now < self._next_heartbeat:
            return True
        self._next_heartbeat = now + _HEARTBEAT_SECONDS
        self.notify()
        if self._tick is not None:
            self._tick(len(self._waiting))
        return bool(self.is_parent_alive())

    def _dispatch(self, conn: Connection, request: FramedRequest) -> None:
        exchange = Exchange(self.cfg, conn, request)
        self._waiting.add(exchange)
        self._turns.add(exchange)
        self._unassigned += 1

    def _answer_next(self) -> None:
        """Answer the request whose turn it is, and give its connection back; in any thread."""
        exchange = self._turns.take()
        keep_alive = False
        self._waiting.discard(exchange)
        try:
            keep_alive = self.handle(exchange) is True
        except Exception:
            # gunicorn's own handling has failed; the worker's other connections must not suffer.
            self.log.exception("Error handling request")
        finally:
            self._loop.finish(exchange.connection, keep_alive=keep_alive)

    def handle_request(self, req: Request, conn: Exchange) -> bool:  # type: ignore[override]
        """Have the application answer a request; return whether the connection may be kept.

        Runs in any thread. gunicorn's hooks and its access log are left out.
        """
        if req.body is not None:
            req.body.reader = cast("Any", BodyReader(req.body.reader))
        response, environ = cast(
            "tuple[KeepAliveResponse, dict[str, Any]]",
            wsgi.create(req, conn.sock, conn.client, conn.server, self.cfg, KeepAliveResponse),
        )
        environ["wsgi.multithread"] = True
        environ[OPEN_STREAM] = partial(self._open_stream, conn.connection)
        environ[WAITED] = conn.waited
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

    def _open_stream(
        self, conn: Connection, on_close: Notify, farewell: bytes = b""
    ) -> Stream | None:
        wake = partial(self.method_queue.defer, self._loop.send_stream, conn)
        return self._loop.open_stream(conn, wake, on_close, farewell)
