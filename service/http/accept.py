"""Which of an operation's media types a caller gets, by the `Accept` of the request."""

from __future__ import annotations

from functools import lru_cache

from flask import Request
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

_ANYTHING = "*/*"
_JUDGED_HEADERS = 256
"""The most values of `Accept` whose verdicts are remembered."""


def preferred_type(request: Request, available: tuple[str, ...]) -> str | None:
    """The media type that a request prefers, the first of those it likes best; None if no one fits.

    Parameters but `q` are not compared: `text/csv;charset=utf-8` asks for `text/csv`, and every
    text that is sent is UTF-8. werkzeug would find that nothing fits.
    """
    stated: str = request.environ.get("HTTP_ACCEPT", _ANYTHING)
    if stated == _ANYTHING:
        return available[0]
    return stated if stated in available else _preferred(stated, available)


@lru_cache(_JUDGED_HEADERS)
def _preferred(stated: str, available: tuple[str, ...]) -> str | None:
    ranges = parse_accept_header(stated, MIMEAccept)
    if not ranges:
        return available[0]
    plain = MIMEAccept([(each.partition(";")[0], weight) for each, weight in ranges])
    return plain.best_match(available)
