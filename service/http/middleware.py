"""What every request passes on its way in and out.

In: the request id, the host that it names, the origin that it comes from, the media types that it
accepts. Out: the request id, the security headers, what a web page may read, one line in the log
(`request_log`).
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Self

from flask import Flask, Request, Response
from flask.globals import app_ctx, request_ctx
from werkzeug.exceptions import NotAcceptable

from service.config import Config
from service.errors import ForeignHostError
from service.http.accept import preferred_type
from service.http.openapi.blueprint import media_types
from service.http.origins import Origins, is_preflight, preflight_answer, refuse_foreign
from service.http.request_log import PROBES, REPORT, RequestReport, write_line

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
_UNBOUND = ("0.0.0.0", "::", "[::]")  # noqa: S104 - only compared with
# A name or an address, as RFC 3986 has it; empty is allowed.
_HOST = re.compile(r"([a-z0-9._~!$&'()*+,;=-]|%[0-9a-f]{2})*|\[[0-9a-f:.]+\]")
_JUDGED_HOSTS = 256
"""The most hosts whose verdicts are remembered."""
_SPECIAL_STATUS = (204, 304)
"""Those without a body; no operation answers with one below 200."""
_ADDRESSES = ("Location", "Content-Location")
"""The headers that werkzeug rewrites, unless it would leave them as they are."""
_PLAIN_ADDRESS = re.compile(r"/[A-Za-z0-9._~/-]*")
_HEADERS = {
    name.lower(): (name, value)
    for name, value in (
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Frame-Options", "DENY"),
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
    )
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
    report: RequestReport | None = app.extensions.get(REPORT)
    judge = lru_cache(_JUDGED_HOSTS)(partial(_judge, ServedHosts.of(config)))
    origins = Origins(config)
    accepted_types = media_types(app)

    def check_request() -> Response | None:
        request = request_ctx.request
        _identify(request)
        if report is not None:
            report.begin(request)
        verdict = origins.judge(request.environ, request.path)
        app_ctx.g.added_headers = verdict.headers
        _check_host(request, judge)
        if is_preflight(request.environ):
            return preflight_answer(verdict)
        refuse_foreign(request, verdict)
        _check_accept(request, accepted_types.get((request.endpoint, request.method), ()))
        return None

    app.before_request(check_request)
    app.response_class = SentResponse


class SentResponse(Response):
    """A response that is sent with what every answer has.

    Flask's `after_request` would write each header into an object that is copied for the sending.
    """

    def get_wsgi_response(
        self, environ: WSGIEnvironment
    ) -> tuple[Iterable[bytes], str, list[tuple[str, str]]]:
        """The body, the status and the headers as they are sent; writes the line of the log."""
        body, status, headers = self._plain(environ) or super().get_wsgi_response(environ)
        request, passing = request_ctx.request, app_ctx.g
        report: RequestReport | None = app_ctx.app.extensions.get(REPORT)
        if "request_id" not in passing:  # an error came before everything else
            _identify(request)
            if report is not None:
                report.begin(request)
        headers += _common_headers(headers, passing.request_id)
        headers += passing.get("added_headers", ())
        if report is None:
            write_line(request, self.status_code, passing.began, passing.request_id)
        else:
            report.end(request, self.status_code, passing.began)
        return body, status, headers

    def _plain(
        self, environ: WSGIEnvironment
    ) -> tuple[Iterable[bytes], str, list[tuple[str, str]]] | None:
        """What werkzeug makes of an answer whose body is one text of known length; else None.

        It would go over the headers twice more, and through the body with two iterators.
        """
        body, headers = self.response, list(self.headers)
        if type(body) is not list or len(body) != 1 or self._on_close:
            return None
        if self.status_code in _SPECIAL_STATUS or environ["REQUEST_METHOD"] == "HEAD":
            return None
        values = dict(headers)
        if "Content-Length" not in values or type(body[0]) is not bytes:
            return None
        if not all(_PLAIN_ADDRESS.fullmatch(values.get(name, "/")) for name in _ADDRESSES):
            return None
        return body, self.status, headers


def _identify(request: Request) -> None:
    """Remember when the request began, and the id that its caller gave it, or else a new one."""
    passing = app_ctx.g
    passing.began = time.perf_counter()
    given: str = request.environ.get("HTTP_X_REQUEST_ID", "")
    passing.request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(16)


def _judge(hosts: ServedHosts, named: str) -> tuple[str, bool, bool]:
    """A host as a request names it, without its port; whether it is one; whether it is served."""
    host = re.sub(r":\d*$", "", named.lower())
    return host, _HOST.fullmatch(host) is not None, host in hosts


def _check_host(request: Request, judge: Callable[[str], tuple[str, bool, bool]]) -> None:
    """Refuse a host that is not served; a probe may name any, if only it is a host at all."""
    named = request.environ.get("HTTP_HOST")
    if named is None:
        return
    host, is_host, is_served = judge(named)
    if not is_host or not (is_served or request.path in PROBES):
        raise ForeignHostError(host)


def _check_accept(request: Request, available: tuple[str, ...]) -> None:
    """Refuse a caller that takes none of the media types which an operation has."""
    if available and preferred_type(request, available) is None:
        raise NotAcceptable


def _common_headers(own: list[tuple[str, str]], request_id: str) -> list[tuple[str, str]]:
    """The request's id, and each security header that an answer does not have already."""
    present = {name.lower() for name, _ in own}
    added = [header for name, header in _HEADERS.items() if name not in present]
    return [("X-Request-Id", request_id), *added]
