"""A proxy between the browser and the service: it cuts, refuses, and answers in its place."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

_HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding"}
_RESET = struct.pack("ii", 1, 0)
"""Of SO_LINGER: what closes the connection is a reset, as where a net is cut."""


@dataclass(frozen=True)
class Request:
    """What the browser asked for."""

    method: str
    path: str
    accept: str

    @property
    def is_stream(self) -> bool:
        return "text/event-stream" in self.accept


@dataclass(frozen=True)
class Reply:
    """What the proxy answers in the service's place."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


Rule = Callable[[Request], Reply | None]
"""Answers in the service's place; where it gives nothing, the request is passed on."""


def problem(status: int, code: str, detail: str, **headers: str) -> Reply:
    """A problem as the service tells one; `_` in a header's name stands for `-`."""
    body = {"type": f"/v1/problems/{code}", "title": code, "status": status}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(
        status,
        json.dumps({**body, "detail": detail, "code": code}).encode(),
        {"Content-Type": "application/problem+json", **named},
    )


BAD_GATEWAY = Reply(502, b"<html>Bad Gateway</html>", {"Content-Type": "text/html"})


class FaultyProxy(ThreadingHTTPServer):
    """Passes every request on to a port of this machine, unless it is told otherwise."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, service: str, rule: Rule | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.service = service
        self.rule = rule
        self.asked: list[Request] = []
        self.loses_answers = False
        self._is_cut = False
        self._lock = threading.Lock()
        self._open: dict[socket.socket, Request | None] = {}
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self._reset(list(self._open))
        self.server_close()

    @property
    def streams(self) -> list[str]:
        """The paths of the streams that are open now."""
        with self._lock:
            return [each.path for each in self._open.values() if each and each.is_stream]

    def cut(self) -> None:
        """Reset every connection, and each new one."""
        self._is_cut = True
        self._reset(list(self._open))

    def mend(self) -> None:
        """Let connections pass again."""
        self._is_cut = False

    def cut_streams(self) -> int:
        """Reset the connections of streams, and those alone; return how many there were."""
        with self._lock:
            cut = [each for each, asked in self._open.items() if asked and asked.is_stream]
        self._reset(cut)
        return len(cut)

    def note(self, connection: socket.socket, request: Request | None) -> None:
        """Keep what a connection is used for."""
        with self._lock:
            self._open[connection] = request
        if request:
            self.asked.append(request)

    def forget(self, connection: socket.socket) -> None:
        """A connection has ended."""
        with self._lock:
            self._open.pop(connection, None)

    def verify_request(self, request: object, client_address: object) -> bool:
        assert isinstance(request, socket.socket)
        if self._is_cut:
            self._reset([request])
        return not self._is_cut

    def handle_error(self, request: object, client_address: object) -> None:
        """Connections that end in the middle are what it is for."""

    def _reset(self, connections: list[socket.socket]) -> None:
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FaultyProxy

    def setup(self) -> None:
        super().setup()
        self.server.note(self.connection, None)

    def finish(self) -> None:
        self.server.forget(self.connection)
        super().finish()

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def pass_on(self) -> None:
        """Answer a request."""
        request = Request(self.command, self.path, self.headers.get("Accept", ""))
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.note(self.connection, request)
        reply = self.server.rule(request) if self.server.rule else None
        if reply is None:
            reply = self._relay(request, body)
        if reply:
            self.send_response(reply.status)
            for name, value in {**reply.headers, "Content-Length": str(len(reply.body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

    do_GET = do_HEAD = do_POST = do_DELETE = do_OPTIONS = pass_on  # noqa: N815

    def _relay(self, request: Request, body: bytes) -> Reply | None:
        """Ask the service; a stream is passed on as it comes, all else is returned whole."""
        upstream = http.client.HTTPConnection(self.server.service, timeout=60)
        headers = {
            name: self.headers[name] for name in self.headers if name.lower() not in _HOP_BY_HOP
        }
        with contextlib.closing(upstream):
            try:
                upstream.request(request.method, request.path, body or None, headers)
                answer = upstream.getresponse()
                named = {
                    name: value
                    for name, value in answer.getheaders()
                    if name.lower() not in (*_HOP_BY_HOP, "content-length")
                }
                if request.is_stream and answer.status == 200:
                    self._stream(upstream, answer, named)
                    return None
                reply = Reply(answer.status, answer.read(), named)
            except (OSError, http.client.HTTPException):
                return BAD_GATEWAY
        if self.server.loses_answers:
            raise ConnectionAbortedError
        return reply

    def _stream(
        self,
        upstream: http.client.HTTPConnection,
        answer: http.client.HTTPResponse,
        headers: dict[str, str],
    ) -> None:
        self.close_connection = True
        self.send_response(answer.status)
        for name, value in {**headers, "Connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()
        source = upstream.sock
        threading.Thread(target=_close_after, args=(self.connection, source), daemon=True).start()
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            while part := answer.read1():
                self.wfile.write(part)


def _close_after(browser: socket.socket, service: socket.socket) -> None:
    """End the service's side of a stream when the browser has ended its own."""
    with contextlib.suppress(OSError):
        browser.recv(1)
    with contextlib.suppress(OSError):
        service.shutdown(socket.SHUT_RDWR)
