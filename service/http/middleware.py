"""What every request passes on its way in and out.

In: the host it names, the request id, the media types it accepts. Out: the request id, the
security headers, one line in the log. The log has method, path, status and time: no query, no
header, no body, so no token and no card.
"""

from __future__ import annotations

import logging
import re
import secrets
import time

from flask import Flask, Response, g, request
from werkzeug.exceptions import NotAcceptable

from service.config import Config
from service.errors import ForeignHostError

_LOG = logging.getLogger("service.access")
_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
_UNBOUND = ("0.0.0.0", "::", "[::]")  # noqa: S104 - only compared with
_JSON = "application/json"
_PROBES = ("/healthz", "/readyz")
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}


def install(app: Flask, config: Config) -> None:
    """Let every request of the application pass the gate."""
    hosts = _served_hosts(config)

    def enter() -> None:
        _begin()
        host = _named_host()
        if host is not None and host not in hosts:
            raise ForeignHostError(host)
        _check_accept(app)

    app.before_request(enter)
    app.after_request(_leave)


def _served_hosts(config: Config) -> frozenset[str]:
    bound = config.host.lower()
    bound = f"[{bound}]" if ":" in bound else bound
    own = () if bound in _UNBOUND else (bound,)
    return frozenset((*_LOCAL_HOSTS, *own, *config.allowed_hosts))


def _named_host() -> str | None:
    """The request's host without its port, None where it names none."""
    named = request.environ.get("HTTP_HOST")
    return None if named is None else re.sub(r":\d*$", "", named.lower())


def _begin() -> None:
    g.began = time.perf_counter()
    given = request.headers.get("X-Request-Id", "")
    g.request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(16)


def _check_accept(app: Flask) -> None:
    """Refuse a caller that does not take JSON, where an operation answers in it."""
    known = request.endpoint is not None and request.endpoint in app.extensions["operations"]
    accepted = request.accept_mimetypes
    if known and accepted and not accepted.best_match([_JSON]):
        raise NotAcceptable


def _leave(response: Response) -> Response:
    response.headers["X-Request-Id"] = g.request_id
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    spent = (time.perf_counter() - g.began) * 1000
    level = logging.DEBUG if request.path in _PROBES else logging.INFO
    _LOG.log(
        level,
        "%s %s %d %.1f ms id=%s",
        request.method,
        _printable(request.path),
        response.status_code,
        spent,
        g.request_id,
    )
    return response


def _printable(path: str) -> str:
    """A path that cannot forge lines of the log."""
    return path.encode("unicode_escape").decode("ascii")[:200]
