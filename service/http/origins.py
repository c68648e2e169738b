"""Which web pages may call: the origin that a browser names, and what its answer says about it.

A browser lets a page of another origin read an answer only if the answer allows it (CORS, the
Fetch standard). It asks before most requests that change something (a preflight), but not before
all: so a foreign origin is also refused, and changes nothing. Requests without `Origin` are no
web page's, or read only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from flask import Request, Response

from service.config import Config
from service.errors import ForeignOriginError

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

Header = tuple[str, str]
ANY = "*"
_LOCAL = re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?")
_DEFAULT_PORT = re.compile(r":(80|443)$")
_SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS"))
_PUBLIC = (
    *("/v1/cards/", "/v1/rules", "/v1/problems", "/v1/openapi.json"),
    *("/verify.mjs", "/verify/"),
)
"""The beginnings of paths whose answers are the same for everybody."""
_METHODS = ("GET", "POST", "DELETE")
_REQUEST_HEADERS = (
    *("Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match"),
    *("Last-Event-ID", "X-Request-Id"),
)
_EXPOSED_HEADERS = (
    *("ETag", "Location", "Retry-After", "Idempotency-Replayed", "X-Request-Id"),
    *("RateLimit", "RateLimit-Policy"),
)
_PREFLIGHT_SECONDS = 7_200
"""For how long a browser may keep the answer to a preflight; none keeps it longer than Chromium."""
_LONGEST_ORIGIN = 300
"""Characters; the name of a host has at most 253."""
_JUDGED_ORIGINS = 1_024
"""The most origins whose verdicts are remembered."""
_EXPOSE = ("Access-Control-Expose-Headers", ", ".join(_EXPOSED_HEADERS))
_VARY = ("Vary", "Origin")
_NONE: tuple[Header, ...] = ()
_ON_PREFLIGHT = (
    ("Access-Control-Allow-Methods", ", ".join(_METHODS)),
    ("Access-Control-Allow-Headers", ", ".join(_REQUEST_HEADERS)),
    ("Access-Control-Max-Age", str(_PREFLIGHT_SECONDS)),
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a request's origin may change something, and the headers that its answer gets."""

    is_allowed: bool
    headers: tuple[Header, ...]


class Origins:
    """The origins whose web pages may call this service."""

    def __init__(self, config: Config) -> None:
        self._is_allowed = lru_cache(_JUDGED_ORIGINS)(
            partial(_is_allowed, frozenset(config.allowed_origins))
        )
        self._allow_any = ANY in config.allowed_origins

    def judge(self, environ: WSGIEnvironment, path: str) -> Verdict:
        """The verdict on a request for a path below the prefix."""
        origin: str | None = environ.get("HTTP_ORIGIN")
        is_allowed = origin is None or self._allow_any or self._may_call(origin, environ)
        if self._allow_any or path.startswith(_PUBLIC):
            return Verdict(is_allowed, _allowing(ANY))
        if origin is None:
            return Verdict(is_allowed, _NONE)
        return Verdict(is_allowed, (*_allowing(origin), _VARY) if is_allowed else (_VARY,))

    def _may_call(self, origin: str, environ: WSGIEnvironment) -> bool:
        # Browsers set it, and no script can.
        if environ.get("HTTP_SEC_FETCH_SITE") == "same-origin":
            return True
        if len(origin) > _LONGEST_ORIGIN:
            return False
        return self._is_allowed(origin.lower(), environ.get("HTTP_HOST", "").lower())


def refuse_foreign(request: Request, verdict: Verdict) -> None:
    """Refuse a request of a foreign web page that might change something."""
    if not verdict.is_allowed and request.method not in _SAFE_METHODS:
        raise ForeignOriginError(request.environ["HTTP_ORIGIN"])


def is_preflight(environ: WSGIEnvironment) -> bool:
    """Whether a request is a browser's question whether it may send another."""
    return (
        environ["REQUEST_METHOD"] == "OPTIONS"
        and "HTTP_ORIGIN" in environ
        and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ
    )


def preflight_answer(verdict: Verdict) -> Response:
    """The answer to such a question, but for the headers of the verdict."""
    answer = Response(status=204)
    if verdict.headers and verdict.headers != (_VARY,):
        answer.headers.extend(_ON_PREFLIGHT)
    return answer


def _is_allowed(allowed: frozenset[str], origin: str, host: str) -> bool:
    scheme, _, named = origin.partition("://")
    own = _DEFAULT_PORT.sub("", named) if scheme in {"http", "https"} else ""
    return (
        (bool(own) and own == _DEFAULT_PORT.sub("", host))
        or origin in allowed
        or _LOCAL.fullmatch(origin) is not None
    )


def _allowing(origin: str) -> tuple[Header, Header]:
    return ("Access-Control-Allow-Origin", origin), _EXPOSE
