"""A small application behind a proxy: it says what it sees of a request, and streams."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from service.http import proxies
from service.runtime.worker.streams import OPEN_STREAM, Stream

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_STREAMS: list[Stream] = []


def _answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    path = environ["PATH_INFO"]
    if path == "/stream":
        return _stream(environ, start_response)
    if path == "/release":
        _STREAMS[-1].send(b"data: second\n\n")
        _STREAMS[-1].end()
    seen = {
        "address": environ["REMOTE_ADDR"],
        "scheme": environ["wsgi.url_scheme"],
        "host": environ["HTTP_HOST"],
        "path": path,
        "connection": environ["REMOTE_PORT"],
        "if_match": environ.get("HTTP_IF_MATCH"),
    }
    body = json.dumps(seen).encode()
    start_response(
        "200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    )
    return [body]


def _stream(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Send one event, and the other when `/release` is asked for."""
    stream = environ[OPEN_STREAM](lambda: None)
    _STREAMS.append(stream)
    start_response(
        "200 OK",
        [
            ("Content-Type", "text/event-stream"),
            ("Cache-Control", "no-store"),
            ("X-Accel-Buffering", "no"),
        ],
    )
    stream.send(b"data: first\n\n")
    return []


app = proxies.before(_answer, int(os.environ.get("TRUSTED_PROXIES", "0")))
