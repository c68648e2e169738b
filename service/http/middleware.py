"""What every request passes on its way in and out.

In: the request id, the host it names, the media types it accepts. Out: the request id, the
security headers, one line in the log. The log has method, path, status and time: no query, no
header, no body, so no token and no card.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from dataclasses import dataclass
from typing import Self

from flask import Flask, Response, g, request
from werkzeug.exceptions import NotAcceptable

from service.config import Config
from service.errors import ForeignHostError
from service.http.openapi.blueprint import media_types

_LOG = logging.getLogger("service.access")
_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
_UNBOUND = ("0.0.0.0", "::", "[::]")  # noqa: S104 - only compared with
# A name or an address, as RFC 3986 has it; empty is allowed.
_HOST = re.compile(r"([a-z0-9._~!$&'()*+,;=-]|%[0-9a-f]{2})*|\[[0-9a-f:.]+\]")
_PROBES = ("/healthz", "/readyz")
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}


@dataclass(frozen=True, slots=True)
class ServedHosts:
    """The host names under which requests are answered; each of `below` begins with a dot."""

    names: frozenset[str]
    below: tuple[str, ...]
    any_host: bool

    @classmethod
    def of(cls, config: Config) -> Self:
        """The local names, the address that is bound, and those of the settings."""
        bound = config.host.lower()
        bound = f"[{bound}]" if ":" in bound else bound
        allowed = frozenset(config.allowed_hosts)
        below = tuple(name for name in allowed if name.startswith("."))
        names = {*_LOCAL_HOSTS, *allowed, *(name.removeprefix(".") for name in below)}
        own = () if bound in _UNBOUND else (bound,)
        return cls(frozenset((*names, *own)), below, "*" in allowed)

    def __contains__(self, host: str) -> bool:
        return self.any_host or host in self.names or host.endswith(self.below)


def install(app: Flask, config: Config) -> None:
    """Let every request of the application pass; call it when all operations are registered."""
    hosts = ServedHosts.of(config)
    accepted_types = media_types(app)

    def check_request() -> None:
        g.began = time.perf_counter()
        given = request.headers.get("X-Request-Id", "")
        g.request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(16)
        _check_host(hosts)
        _check_accept(accepted_types.get((request.endpoint, request.method), ()))

    app.before_request(check_request)
    app.after_request(_finish_response)


def _check_host(hosts: ServedHosts) -> None:
    """Refuse another host than those; a probe may name any, if only it is a host at all."""
    named = request.environ.get("HTTP_HOST")
    if named is None:
        return
    host = re.sub(r":\d*$", "", named.lower())
    if not _HOST.fullmatch(host) or not (host in hosts or request.path in _PROBES):
        raise ForeignHostError(host)


def _check_accept(available: tuple[str, ...]) -> None:
    """Refuse a caller that takes none of the media types which an operation has."""
    accepted = request.accept_mimetypes
    if available and accepted and not accepted.best_match(available):
        raise NotAcceptable


def _finish_response(response: Response) -> Response:
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
