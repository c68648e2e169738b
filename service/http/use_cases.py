"""The use cases of the running application, as `create_app` has put them together."""

from __future__ import annotations

from flask import current_app, request

from service.games.queries import Queries
from service.games.transactions import Transactions
from service.games.watching.watcher import OpenSink
from service.games.watching.watchers import Watchers

_OPEN_STREAM = "runtime.open_stream"
"""Where the web server offers that an answer's body goes on after its request."""


def transactions() -> Transactions:
    """The changing use cases."""
    changing: Transactions = current_app.extensions["transactions"]
    return changing


def queries() -> Queries:
    """The reading use cases."""
    reading: Queries = current_app.extensions["queries"]
    return reading


def watchers() -> Watchers:
    """The watching use cases."""
    watching: Watchers = current_app.extensions["watchers"]
    return watching


def open_sink() -> OpenSink | None:
    """What opens the body of the current request's answer; None where it has to be complete."""
    if request.method == "HEAD":
        return None
    sink: OpenSink | None = request.environ.get(_OPEN_STREAM)
    return sink
