"""The web server: one gunicorn process over a socket that is bound before anything else starts.

Binding here and not in gunicorn tells a taken port at once, and makes port 0 (any free one)
known; gunicorn inherits the socket.
"""

from __future__ import annotations

import contextlib
import errno
import http.client
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from service.config import Config
from service.runtime.parent_death import die_with_parent

_BACKLOG = 2_048
_PROBE_PATH = "/healthz"
_PROBE_SECONDS = 1.0
_HEADERS = {"Host": "localhost", "Connection": "close"}
_HOME = str(Path(__file__).resolve().parents[2])
_ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, never bound


class WebServerError(Exception):
    """The web server cannot listen or has ended by itself."""


class WebServer:
    """The gunicorn process of one service, on the host and port of its settings."""

    def __init__(self, config: Config) -> None:
        """Bind the address, or raise `WebServerError`; connections wait until `spawn`."""
        self._listener = bound(config.host, config.port)
        self._address: tuple[str, int] = self._listener.getsockname()[:2]
        self._process: subprocess.Popen[bytes] | None = None
        self.last_answer = "none"

    @property
    def port(self) -> int:
        """Give the port that is bound."""
        return self._address[1]

    @property
    def probe(self) -> str:
        """Give the request whose success is the proof that it serves."""
        return f"GET {self.url}{_PROBE_PATH}"

    @property
    def url(self) -> str:
        """Give the address for a browser on this machine."""
        host, port = self._local_address
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def spawn(self, environ: Mapping[str, str]) -> None:
        """Start gunicorn with `environ`, and hand the socket over to it."""
        listener = self._listener.fileno()
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-P", "-m", "service.runtime.gunicorn_program"),
                *("--config", "python:service.runtime.gunicorn_conf"),
                *("--bind", f"fd://{listener}", "service.wsgi:app"),
            ],
            env={**environ, "PYTHONPATH": search_path(environ)},
            stdin=subprocess.DEVNULL,
            pass_fds=[listener],
            start_new_session=True,  # Ctrl-C is the supervisor's to pass on
            # Safe while no other thread runs, and the supervisor has none.
            preexec_fn=partial(die_with_parent, signal.SIGKILL, os.getpid()),  # noqa: PLW1509
        )
        self._listener.close()  # only gunicorn may hold it, or a stopped service would still accept

    def is_running(self) -> bool:
        """Tell whether gunicorn lives."""
        return self._process is not None and self._process.poll() is None

    def check(self) -> None:
        """Raise `WebServerError` if gunicorn has ended."""
        if self._process is not None and (code := self._process.poll()) is not None:
            raise WebServerError(f"the web server ended by itself, with code {code}")

    def is_serving(self) -> bool:
        """Tell whether a request is answered by now; raise `WebServerError` if gunicorn ended."""
        self.check()
        try:
            status, reason = self._get(_PROBE_PATH, _PROBE_SECONDS)
        except (OSError, http.client.HTTPException) as error:
            self.last_answer = f"none ({str(error).strip()})"
            return False
        self.last_answer = f"{status} {reason}"
        return status == http.client.OK

    def ask_to_stop(self) -> None:
        """Have gunicorn end once the requests under way are answered."""
        self._send(signal.SIGTERM)

    def ask_to_hurry(self) -> None:
        """Have gunicorn end without waiting for anything."""
        self._send(signal.SIGQUIT)

    def close(self) -> None:
        """End what is left of gunicorn and its workers on the spot."""
        self._listener.close()
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    @property
    def _local_address(self) -> tuple[str, int]:
        host, port = self._address
        return _ANY_ADDRESS.get(host, host), port

    def _get(self, path: str, timeout_seconds: float) -> tuple[int, str]:
        """Give the status of the answer and its reason; raise what the client raises."""
        connection = http.client.HTTPConnection(*self._local_address, timeout=timeout_seconds)
        with contextlib.closing(connection):
            connection.request("GET", path, headers=_HEADERS)
            answer = connection.getresponse()
            answer.read()
            return answer.status, answer.reason

    def _send(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)


def search_path(environ: Mapping[str, str]) -> str:
    """Give the path on which a child finds this very package, whatever the current folder holds."""
    given = environ.get("PYTHONPATH")
    return f"{_HOME}{os.pathsep}{given}" if given else _HOME


def bound(host: str, port: int, prefix: str = "") -> socket.socket:
    """Give a socket that listens at an address, or raise `WebServerError`.

    `prefix`: what the names of its settings begin with.
    """
    place = f"{host}:{port}"
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with contextlib.ExitStack() as on_failure:
            listener = on_failure.enter_context(socket.socket(family, kind, protocol))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(_BACKLOG)
            on_failure.pop_all()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            problem = f"{place} is taken; stop what listens there or set {prefix}PORT"
        else:
            problem = (
                f"cannot listen at {place}: {error.strerror}; set {prefix}HOST or {prefix}PORT"
            )
        raise WebServerError(problem) from None
    return listener
