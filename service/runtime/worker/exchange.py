"""What gunicorn sees of a connection while a thread answers one request of it.

gunicorn parses the bytes that request framing has cut out, and no others; where it needs more of
them or leaves some, the two do not agree where the request ends, and the connection is closed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Protocol, cast

from gunicorn.config import Config
from gunicorn.http import RequestParser
from gunicorn.http.errors import LimitRequestHeaders, ParseException
from gunicorn.http.wsgi import Response
from gunicorn.workers.gthread import TConn

from service.runtime.worker.connection import Connection
from service.runtime.worker.framing import MAX_HEAD_BYTES, FramedRequest
from service.runtime.worker.streams import Stream

_SLICE_BYTES = 8_192  # gunicorn copies what it has been given and not used yet, for every chunk


class UnreadableBodyError(OSError):
    """The body of a request is not what its head says."""


class Exchange(TConn):
    """One request of a connection, and the response to it."""

    def __init__(self, cfg: Config, conn: Connection, request: FramedRequest) -> None:
        # gunicorn only calls what `BufferedSocket` has.
        super().__init__(cfg, cast("Any", conn.sock), conn.client, conn.server)
        self.connection = conn
        self._began = time.monotonic()
        self.is_complete = request.is_complete
        self.initialized = True  # gunicorn has nothing to prepare
        self._request = request
        self._withheld = 0
        self._ran_out = False
        self.parser = self._parser = RequestParser(cfg, self._pieces(), conn.client)

    @property
    def waited(self) -> float:
        """For how many seconds the request has been complete."""
        return time.monotonic() - self._began

    @property
    def data(self) -> bytes:
        """What was received of the request."""
        return self._request.data

    def framing_agrees(self) -> bool:
        """Read what the application left of the body, and tell whether that ends with the framing.

        Only then does the next request begin where this one is taken to end.
        """
        try:
            self._parser.finish_body()
        except OSError:
            return False
        rest = self._withheld or self._parser.unreader.take_buffered()
        return self.is_complete and not (self._ran_out or rest)

    def _pieces(self) -> Iterator[bytes]:
        data = self._request.data
        for end in range(_SLICE_BYTES, len(data) + _SLICE_BYTES, _SLICE_BYTES):
            self._withheld = max(0, len(data) - end)
            yield data[end - _SLICE_BYTES : end]
        self._ran_out = True
        if not self._request.has_head:
            raise LimitRequestHeaders(f"more than {MAX_HEAD_BYTES} bytes")


class _Reader(Protocol):
    def read(self, size: int) -> bytes:
        """Read up to so many bytes."""


class BodyReader:
    """A reader of gunicorn's whose errors of parsing are `UnreadableBodyError`."""

    def __init__(self, reader: _Reader) -> None:
        self._reader = reader

    def read(self, size: int) -> bytes:
        """Read up to so many bytes."""
        try:
            return self._reader.read(size)
        except ParseException as error:
            raise UnreadableBodyError(str(error)) from error


class KeepAliveResponse(Response):
    """A response that says for how long its connection is kept."""

    def default_headers(self) -> list[str]:
        """Return the headers of the connection."""
        headers = super().default_headers()
        if not self.should_close():
            headers.append(f"Keep-Alive: timeout={self.cfg.keepalive}\r\n")
        return headers

    def open_stream(self, stream: Stream) -> bool:
        """Send the head of a stream's response; return False if it is not one of a stream."""
        if self.status_code != HTTPStatus.OK or self.req.method == "HEAD":
            return False
        if self.response_length is not None:
            return False
        self.send_headers()
        stream.opened(is_chunked=self.chunked)
        return True
