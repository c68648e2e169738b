"""The processes that are measured: the store, the service on it, and the floor on the same one.

The store runs with the service's settings of an embedded server, in a folder that goes away with
it. The service is started as its user starts it, by `python -m service`.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TypeVar

import redis

from bench.service import floor
from service.config import Config
from service.runtime.embedded.embedded_server import EmbeddedServer
from service.runtime.parent_death import die_with_parent
from tests.processes import family

_ROOT = Path(__file__).parents[2]
_START_SECONDS = 60.0
_STOP_SECONDS = 30.0
_POLL_SECONDS = 0.01
_BACKLOG = 2_048
_HOST = "127.0.0.1"
_FLOOR_WORKER = "gthread"
_SERVING = re.compile(r"serving at http://([\w.]+):(\d+)")
_SETTINGS = {setting.name.upper() for setting in fields(Config)}
"""Variables that the measured processes must not inherit."""
Address = tuple[str, int]
Found = TypeVar("Found")


class StartError(Exception):
    """A server did not start; the message has its output."""


@dataclass(frozen=True, slots=True)
class Store:
    """A running store: its URL, its process, a client."""

    url: str
    pid: int
    client: redis.Redis


@dataclass(frozen=True, slots=True)
class Server:
    """A running web server: where it listens, and the processes that answer."""

    address: Address
    workers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Setup:
    """The store with the service and the floor on it, one worker each."""

    store: Store
    product: Server
    floor: Server


@contextmanager
def setup() -> Iterator[Setup]:
    """Start everything, and stop it at the end; raises StartError."""
    with store() as stored, product(stored.url) as served, floor_on(stored) as least:
        yield Setup(stored, served, least)


@contextmanager
def store() -> Iterator[Store]:
    """An empty store."""
    with (
        tempfile.TemporaryDirectory(prefix="three-thirteen-bench-") as folder,
        EmbeddedServer(Path(folder), append_fsync=Config().append_fsync) as server,
        redis.Redis.from_url(server.url) as client,
    ):
        yield Store(server.url, server.pid or 0, client)


@contextmanager
def product(url: str, workers: int = 1) -> Iterator[Server]:
    """The service on the store at a URL."""
    settings = {"REDIS_URL": url, "WORKERS": str(workers), "PORT": "0", "RATE_LIMIT": "off"}
    with _running(["-m", "service"], settings) as process:
        found = process.wait_for(lambda: _SERVING.search(process.said()))
        yield Server((found[1], int(found[2])), process.workers(workers))


@contextmanager
def floor_on(stored: Store) -> Iterator[Server]:
    """The floor on a store."""
    floor.seed(stored.client)
    with socket.create_server((_HOST, 0), backlog=_BACKLOG) as listener:
        command = [
            *("-m", "gunicorn", "--config", "python:service.runtime.gunicorn_conf"),
            *("--worker-class", _FLOOR_WORKER, "--bind", f"fd://{listener.fileno()}"),
            "bench.service.floor:floor()",
        ]
        settings = {floor.STORE_VARIABLE: stored.url, "WORKERS": "1"}
        with _running(command, settings, [listener.fileno()]) as process:
            yield Server((_HOST, listener.getsockname()[1]), process.workers(1))


@dataclass(frozen=True, slots=True)
class _Process:
    """A program that runs, and the file with what it has printed."""

    popen: subprocess.Popen[bytes]
    output: Path

    def said(self) -> str:
        return self.output.read_text(encoding="utf-8", errors="replace")

    def wait_for(self, find: Callable[[], Found | None]) -> Found:
        """What `find` finds in the end; raises StartError."""
        deadline = time.monotonic() + _START_SECONDS
        while not (found := find()):
            if self.popen.poll() is not None or time.monotonic() > deadline:
                raise StartError(f"a server did not start: {self.said()}")
            time.sleep(_POLL_SECONDS)
        return found

    def workers(self, count: int) -> tuple[int, ...]:
        """The process ids of the workers, once so many are there; raises StartError."""
        return self.wait_for(lambda: self._workers(count))

    def _workers(self, count: int) -> tuple[int, ...] | None:
        """The children of gunicorn's first process."""
        gunicorn = [member for member in family(self.popen.pid) if "gunicorn" in member.command]
        parents = {member.pid for member in gunicorn}
        found = tuple(member.pid for member in gunicorn if member.parent in parents)
        return found if len(found) == count else None


@contextmanager
def _running(
    command: Sequence[str], settings: Mapping[str, str], pass_fds: Sequence[int] = ()
) -> Iterator[_Process]:
    """A program in Python, which sees these settings and no others."""
    inherited = {name: value for name, value in os.environ.items() if name not in _SETTINGS}
    with tempfile.NamedTemporaryFile(prefix="three-thirteen-bench-") as output:
        popen = subprocess.Popen(
            [sys.executable, *command],
            cwd=_ROOT,
            env={**inherited, **settings},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=pass_fds,
            preexec_fn=partial(die_with_parent, signal.SIGTERM, os.getpid()),  # noqa: PLW1509
        )
        try:
            yield _Process(popen, Path(output.name))
        finally:
            popen.terminate()
            try:
                popen.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                popen.kill()
                popen.wait()
