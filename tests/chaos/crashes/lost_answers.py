"""A lost answer never makes a move twice, and never makes the service refuse a legal move.

One proxy stands between service and store, another between client and service. A proxy forwards a
request and waits for the answer, so that the request has been executed; then it closes both
connections without forwarding the answer. The service has to retry with the idempotency record of
the commit, and the client with its key. In an outage the store's answers are lost for longer than
the service retries: then it has to answer that the outcome is unknown.
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

from tests.chaos.traffic.history import History
from tests.chaos.traffic.http_client import HttpTransport
from tests.chaos.traffic.load import Workload, run_load
from tests.chaos.trial import Outcome, Trial
from tests.nodes import throwaway_server
from tests.system.launch import Launch

_CHUNK = 1 << 16
COMMIT_COMMAND = b"EVAL"
"""The part that EVAL and EVALSHA, the commands of a commit, have in common."""
_ERROR = b"-"
_WORKLOAD = Workload(keyless=0.3)
_STORE_SHARE, _HTTP_SHARE = 0.2, 0.05
_OUTAGE_SECONDS = 2.2  # longer than the service retries


class CuttingProxy:
    """A proxy that drops a share of the answers and closes both connections with them.

    It considers only answers to requests that contain `word`. `target` connects to the server. As a
    context manager it listens at `port` on loopback. `outages` are numbers of cuts after which all
    considered answers are dropped for `_OUTAGE_SECONDS`.
    """

    def __init__(
        self,
        target: Callable[[], socket.socket],
        word: bytes,
        share: float,
        rng: random.Random,
        outages: Container[int] = (),
    ) -> None:
        self.cuts = 0
        self.cuts_in_outages = 0
        self._target = target
        self._word = word
        self._share = share
        self._outages = outages
        self._rng = rng
        self._lock = threading.Lock()
        self._outage_until = 0.0
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
            request = b""
            while True:
                ready, _, _ = select.select([client, server], [], [])
                if client in ready:
                    received = client.recv(_CHUNK)
                    server.sendall(received)
                    request += received
                if server in ready:
                    answer = server.recv(_CHUNK)
                    if not answer or self._drops(request, answer):
                        return
                    client.sendall(answer)
                    request = b""
                elif not received:
                    return

    def _drops(self, request: bytes, answer: bytes) -> bool:
        """Whether the answer is to be lost; an error of the store never is."""
        if self._word not in request or answer.startswith(_ERROR):
            return False
        with self._lock:
            now = time.monotonic()
            if now < self._outage_until:
                self.cuts_in_outages += 1
                return True
            if self._rng.random() >= self._share:
                return False
            self.cuts += 1
            if self.cuts in self._outages:
                self._outage_until = now + _OUTAGE_SECONDS
            return True


def unix_target(url: str) -> Callable[[], socket.socket]:
    """A function that connects to the Unix socket of an embedded server."""
    path = url.removeprefix("unix://")

    def connect() -> socket.socket:
        server = socket.socket(socket.AF_UNIX)
        server.connect(path)
        return server

    return connect


def tcp_target(url: str) -> Callable[[], socket.socket]:
    """A function that connects to the host and port of an HTTP URL."""
    parts = urlsplit(url)
    return lambda: socket.create_connection((parts.hostname, parts.port))


def run(cuts: int = 500, outages: int = 5, clients: int = 6, seed: int = 1) -> Outcome:
    """Drop so many answers of the store while games are played; some of them begin an outage."""
    history, rng = History(), random.Random(seed)
    outage_numbers = {cuts * (number + 1) // (outages + 1) for number in range(outages)}
    with (
        tempfile.TemporaryDirectory() as folder,
        throwaway_server() as server,
        CuttingProxy(
            unix_target(server.url), COMMIT_COMMAND, _STORE_SHARE, rng, outage_numbers
        ) as store,
        Launch(
            Path(folder),
            LOG_LEVEL="CRITICAL",
            WORKERS="2",
            REDIS_URL=f"redis://127.0.0.1:{store.port}/0",
        ) as service,
        CuttingProxy(tcp_target(service.url()), b"POST", _HTTP_SHARE, rng) as web,
    ):
        run_load(
            HttpTransport(f"http://127.0.0.1:{web.port}"),
            history,
            _WORKLOAD,
            f"cut {seed}",
            clients=clients,
            enough=lambda: store.cuts >= cuts,
            to_the_end=False,
        )
    violations = [f"seed {seed}: {violation}" for violation in history.violations()]
    return Outcome(_summary(history, store, web), violations)


def _summary(history: History, store: CuttingProxy, web: CuttingProxy) -> str:
    counts = history.counts
    return (
        f"{store.cuts} answers of the store lost and {store.cuts_in_outages} more in outages,"
        f" {web.cuts} answers of the service lost; {history.moves} moves acknowledged,"
        f" {counts['keyless']} sent without a key, {counts['unknown']} of unknown outcome"
    )


TRIALS = (
    Trial(
        "A lost answer makes no move twice, and no legal move is refused because of it.",
        "Proxies before the store and before the client close connections instead of answering",
        run,
    ),
)
