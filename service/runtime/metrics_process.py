"""The process that shows the metrics of all workers: `GET /metrics`, and nothing else.

It reads the files in the folder that PROMETHEUS_MULTIPROC_DIR names, in which the workers count,
and listens at the socket whose file number is its one argument. A process of its own: no worker
that is busy or dies keeps a scraper waiting.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Iterable
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.multiprocess import MultiProcessCollector

from service.config import Config
from service.logs.formats import set_up

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_PATH = "/metrics"
_CLIENT_SECONDS = 10.0
_LOG = logging.getLogger("service.metrics")


class _Handler(WSGIRequestHandler):
    """Reads a request, for so many seconds at most, and logs nothing."""

    timeout = _CLIENT_SECONDS

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it has
        """Log nothing: a scraper comes every few seconds."""


class _Server(ThreadingMixIn, WSGIServer):
    """A server on a socket that is bound already; a thread answers each connection."""

    daemon_threads = True

    def __init__(self, listener: socket.socket) -> None:
        host, port = listener.getsockname()[:2]
        self.address_family = listener.family
        super().__init__((host, port), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.server_name, self.server_port = host, port
        self.setup_environ()

    def handle_error(self, request: object, client_address: object) -> None:
        """Log what a connection has ended with."""
        _LOG.warning("a connection has failed", exc_info=True)


def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Answer one request: the sums over all processes as they are now."""
    if environ["PATH_INFO"] != _PATH:
        start_response("404 Not Found", [("Content-Type", "text/plain")])
        return [b"metrics are at /metrics\n"]
    try:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)
        answer: Iterable[bytes] = make_wsgi_app(registry)(environ, start_response)
    except Exception:  # noqa: BLE001 - the next scrape may succeed
        _LOG.exception("the metrics cannot be read")
        start_response("503 Service Unavailable", [("Content-Type", "text/plain")])
        return [b"the metrics cannot be read; the log says why\n"]
    return answer


def main() -> None:
    """Serve until killed."""
    set_up(Config.from_environ(os.environ))
    server = _Server(socket.socket(fileno=int(sys.argv[1])))
    server.set_app(application)
    server.serve_forever()


if __name__ == "__main__":
    main()
