"""The limits of one worker: how much it holds, and how long it waits for a client."""

from __future__ import annotations

import resource
from contextlib import suppress
from dataclasses import dataclass

_CONNECTIONS = 1_000
_STREAMS = 4_000
_FILES = 16_384


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How many connections and bytes one worker holds, and for how many seconds it waits.

    `streams` are beside the `connections`. A part of a request has its seconds from the end of the
    part before, so that bytes that arrive one by one gain none.
    """

    body_bytes: int
    connections: int
    streams: int
    unsent_bytes: int = 64 * 2**20
    stream_unsent_bytes: int = 256 * 2**10
    head_seconds: float = 10.0
    body_seconds: float = 20.0
    response_seconds: float = 60.0
    linger_seconds: float = 2.0
    keepalive_seconds: float = 75.0
    # A client may use the announced time to its end, and its request then needs time to arrive.
    keepalive_margin_seconds: float = 5.0
    # A connection that was used just now will be used again: it is not the first to be closed.
    idle_grace_seconds: float = 2.0
    stop_seconds: float = 2.0
    expiry_seconds: float = 0.5


def raise_file_limit() -> int:
    """Let this process and its children open more files, if they may; how many each may open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return file_limit()


def file_limit() -> int:
    """How many files a process may open, as far as it matters here."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _FILES if soft == resource.RLIM_INFINITY else min(_FILES, soft)


def connections(files: int) -> int:
    """The most connections of a worker that may open so many files, streams aside."""
    return min(_CONNECTIONS, files // 3)


def streams(files: int) -> int:
    """The most streams of such a worker; the store's connections find room beside both."""
    return min(_STREAMS, files // 2)
