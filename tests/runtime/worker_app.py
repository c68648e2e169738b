"""A small application for a real worker: it answers at once, slowly, badly, or with a stream."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from service.runtime.streams import OPEN_STREAM

_closed: list[str] = []


def app(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
    """Answer by path."""
    path = environ["PATH_INFO"]
    if path in {"/events", "/poll"}:
        return _stream(environ, start_response)
    body = {
        "/": b"hello",
        "/closed": b"\n".join(each.encode() for each in _closed),
        "/echo": b"",
        "/scheme": environ["wsgi.url_scheme"].encode(),
        "/slow": b"slow",
        "/breaks": b"",
    }[path]
    if path == "/echo":
        body = _read(environ)
    if path == "/slow":
        time.sleep(0.5)
    length = "1000" if path == "/breaks" else str(len(body))
    start_response("200 OK", [("Content-Length", length)])
    return _breaking() if path == "/breaks" else [body]


def _read(environ: dict[str, Any]) -> bytes:
    try:
        body: bytes = environ["wsgi.input"].read()
    except OSError as error:
        return type(error).__name__.encode()
    return body


def _breaking() -> Iterable[bytes]:
    yield b"begun"
    raise ValueError("after the head was sent")


def _stream(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
    query = environ["QUERY_STRING"]
    stream = environ[OPEN_STREAM](lambda: _closed.append(query))
    if stream is None:
        start_response("429 Too Many Requests", [("Content-Length", "0")])
        return []
    if query == "refused":
        start_response("409 Conflict", [("Content-Length", "2")])
        return [b"no"]
    start_response("200 OK", [("Content-Type", "text/event-stream")])
    if environ["PATH_INFO"] == "/poll":
        threading.Timer(0.1, lambda: (stream.send(b"answer"), stream.end())).start()
    elif query == "endless":
        threading.Thread(target=_flood, args=(stream,), daemon=True).start()
    else:
        stream.send(b"first;")
        threading.Timer(0.1, lambda: stream.send(b"second;")).start()
    return []


def _flood(stream: Any) -> None:
    while stream.send(b"x" * 10_000):
        time.sleep(0.001)
