"""The limits of one worker: how much it holds, and how long it waits for a client."""

from dataclasses import dataclass


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
