"""Answers that are lost on their way cause no double move and no false refusal.

A proxy between service and store, and one between client and service, hand on every request,
wait until the answer is there, so that the request has been carried out, and then close both
sides without a word of it. What follows is the service's retry with the record of the commit,
and the client's with its key. Now and then the store's answers fail to come for longer than the
service is ready to wait: then it has to say that the outcome is unknown, and no more than that.
Moves without a key are made, or of unknown outcome; a refusal of one that was due is a violation.
"""

from __future__ import annotations

import random
import select
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Container
from contextlib import closing, suppress
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from service.runtime.embedded_server import throwaway_server
from tests.chaos.traffic.linearizability import Record
from tests.chaos.traffic.load import Habits, play
from tests.chaos.traffic.wire import HttpWire
from tests.chaos.trial import Outcome, Trial
from tests.system.launch import Launch

_CHUNK = 1 << 16
COMMIT = b"EVAL"
"""What the request of a commit holds, be it EVAL or EVALSHA."""
_ERROR = b"-"
_HABITS = Habits(keyless=0.3)
_STORE_SHARE, _HTTP_SHARE = 0.2, 0.05
_DROUGHT_SECONDS = 2.2  # longer than the service tries


class Cutter:
    """A proxy that swallows answers to requests which hold a word, by chance, and hangs up.

    `target` connects to the server. As a context manager it listens at `port` on loopback.
    After the cuts of the numbers in `droughts` no answer passes for a while.
    """

    def __init__(
        self,
        target: Callable[[], socket.socket],
        word: bytes,
        share: float,
        rng: random.Random,
        droughts: Container[int] = (),
    ) -> None:
        self.cuts = 0
        self.cuts_in_droughts = 0
        self._target = target
        self._word = word
        self._share = share
        self._droughts = droughts
        self._rng = rng
        self._lock = threading.Lock()
        self._dry_until = 0.0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with closing(client), suppress(OSError), closing(self._target()) as server:
            asked = b""
            while True:
                ready, _, _ = select.select([client, server], [], [])
                if client in ready:
                    request = client.recv(_CHUNK)
                    server.sendall(request)
                    asked += request
                if server in ready:
                    answer = server.recv(_CHUNK)
                    if not answer or self._swallows(asked, answer):
                        return
                    client.sendall(answer)
                    asked = b""
                elif not request:
                    return

    def _swallows(self, asked: bytes, answer: bytes) -> bool:
        if self._word not in asked or answer.startswith(_ERROR):
            return False
        with self._lock:
            now = time.monotonic()
            if now < self._dry_until:
                self.cuts_in_droughts += 1
                return True
            if self._rng.random() >= self._share:
                return False
            self.cuts += 1
            if self.cuts in self._droughts:
                self._dry_until = now + _DROUGHT_SECONDS
            return True


def unix_target(url: str) -> Callable[[], socket.socket]:
    """Connects to the Unix socket of an embedded server."""
    path = url.removeprefix("unix://")

    def connect() -> socket.socket:
        server = socket.socket(socket.AF_UNIX)
        server.connect(path)
        return server

    return connect


def tcp_target(url: str) -> Callable[[], socket.socket]:
    """Connects to where a URL of HTTP points."""
    parts = urlsplit(url)
    return lambda: socket.create_connection((parts.hostname, parts.port))


def run(cuts: int = 500, droughts: int = 5, clients: int = 6, seed: int = 1) -> Outcome:
    """Cut so many answers of the store while games are played, so many droughts among them."""
    record, rng = Record(), random.Random(seed)
    dry = {cuts * (number + 1) // (droughts + 1) for number in range(droughts)}
    with (
        tempfile.TemporaryDirectory() as folder,
        throwaway_server() as server,
        Cutter(unix_target(server.url), COMMIT, _STORE_SHARE, rng, dry) as store,
        Launch(
            Path(folder), LOG_LEVEL="CRITICAL", REDIS_URL=f"redis://127.0.0.1:{store.port}/0"
        ) as service,
        Cutter(tcp_target(service.url()), b"POST", _HTTP_SHARE, rng) as web,
    ):
        play(
            HttpWire(f"http://127.0.0.1:{web.port}"),
            record,
            _HABITS,
            f"cut {seed}",
            clients=clients,
            enough=lambda: store.cuts >= cuts,
            to_the_end=False,
        )
    tally = record.tally
    done = (
        f"{store.cuts} answers of the store lost and {store.cuts_in_droughts} in droughts,"
        f" {web.cuts} of the service; {record.moves} moves acknowledged,"
        f" {tally['keyless']} sent without a key, {tally['unknown']} of unknown outcome"
    )
    return Outcome(done, [f"seed {seed}: {violation}" for violation in record.violations()])


TRIALS = (
    Trial(
        "a lost answer makes no move twice and refuses none that was made",
        "a proxy cuts connections between execution and answer, another before the client",
        run,
    ),
)
