"""The proxies in front of the service: the setting TRUSTED_PROXIES.

A proxy says in X-Forwarded-For, -Proto and -Host for whom it asks. Any client can send these
headers too, so they count only as far as the setting says: each of so many proxies adds one value
at the end, and a header with fewer values is not used. Address, scheme and host of a request are
then those that the outermost of these proxies saw.
"""

from __future__ import annotations

import ipaddress
import logging
import re
import threading
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from werkzeug.middleware.proxy_fix import ProxyFix

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_LOG = logging.getLogger("service.proxies")
_UNUSED = (
    "a request from %s has X-Forwarded-For, which is not used: if a proxy sent it, all its clients "
    "count as one address; set TRUSTED_PROXIES to the number of proxies in front"
)
_SCHEMES = ("http", "https")
_WITH_PORT = re.compile(r"\[(?P<six>[0-9A-Fa-f:.]+)\](:\d+)?|(?P<four>[0-9.]+):\d+")
_ADDRESSES = 1_024
"""The most addresses that are remembered as they are written in the end."""


def before(app: WSGIApplication, proxies: int) -> WSGIApplication:
    """What requests pass before the application, where so many proxies are trusted."""
    return ForwardedHeaders(app, proxies) if proxies else UnusedHeaders(app)


class ForwardedHeaders:
    """Gives requests the address, the scheme and the host that trusted proxies name."""

    def __init__(self, app: WSGIApplication, proxies: int) -> None:
        self._app = app
        self._fix = ProxyFix(self._checked, x_for=proxies, x_proto=proxies, x_host=proxies)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request as if the client itself had sent it."""
        return self._fix(environ, start_response)

    def _checked(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Put what is no address and no scheme back; the host is checked with all others."""
        seen = environ["werkzeug.proxy_fix.orig"]
        named = environ.get("REMOTE_ADDR") or ""
        environ["REMOTE_ADDR"] = _address(named) or seen["REMOTE_ADDR"]
        if environ["wsgi.url_scheme"] not in _SCHEMES:
            environ["wsgi.url_scheme"] = seen["wsgi.url_scheme"]
        return self._app(environ, start_response)


class UnusedHeaders:
    """Leaves requests as they are, and logs once that forwarded headers come and are not used."""

    def __init__(self, app: WSGIApplication) -> None:
        self._app = app
        self._is_settled = False
        self.claim: Callable[[], bool] = partial(threading.Lock().acquire, blocking=False)
        """Whether this process is to log it; True once, in one of the processes that share it."""

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        if "HTTP_X_FORWARDED_FOR" in environ and not self._is_settled:
            self._is_settled = True
            if self.claim():
                _LOG.warning(_UNUSED, environ.get("REMOTE_ADDR"))
        return self._app(environ, start_response)


@lru_cache(_ADDRESSES)
def _address(named: str) -> str | None:
    """An address without the port that some proxies add; None if it is no address."""
    found = _WITH_PORT.fullmatch(named)
    try:
        return str(ipaddress.ip_address(found["six"] or found["four"] if found else named))
    except ValueError:
        return None
