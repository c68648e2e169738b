"""A small application for a real worker: it answers at once, when released, badly, or by a stream.

`/number` is the number of its answer. `/held` says in the folder HELD that it has begun, and
answers once a file there releases it.
"""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from service.runtime.worker.streams import OPEN_STREAM

_closed: list[str] = []
_numbers = itertools.count(1)


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
        "/held": b"held",
        "/pid": str(os.getpid()).encode(),
        "/number": b"",
        "/breaks": b"",
    }[path]
    if path == "/echo":
        body = _read(environ)
    if path == "/number":
        body = str(next(_numbers)).encode()
    if path == "/held":
        _hold(Path(os.environ["HELD"]))
    length = "1000" if path == "/breaks" else str(len(body))
    start_response("200 OK", [("Content-Length", length)])
    return _breaking() if path == "/breaks" else [body]


def _hold(folder: Path) -> None:
    (folder / "begun").touch()
    while not (folder / "released").exists():
        time.sleep(0.005)


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
    elif query.startswith("long="):
        stream.send(b"x" * int(query.removeprefix("long=")))
        stream.end()
    elif query == "endless":
        threading.Thread(target=_flood, args=(stream,), daemon=True).start()
    else:
        stream.send(b"first;")
        threading.Timer(0.1, lambda: stream.send(b"second;")).start()
    return []


def _flood(stream: Any) -> None:
    while stream.send(b"x" * 10_000):
        time.sleep(0.001)
