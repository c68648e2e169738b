"""Slow clients stop nobody: a healthy client gets its responses in time whatever others do.

The others are silent, send parts of requests, send byte by byte, do not read their responses, or do
not close. The service disconnects those that send too slowly, and holds no file or thread of them.
"""

from __future__ import annotations

import http.client
import itertools
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.chaos.clients.crowd import Behaviour, Crowd
from tests.chaos.trial import Outcome, Trial
from tests.system.launch import Launch

_HEAD_SECONDS = 10.0
_BODY_SECONDS = 20.0
_SLACK_SECONDS = 2.5
_LIMIT_SECONDS = 1.0
_GIVE_UP_SECONDS = 10.0
_SPARE_FILES = 16  # connections to the store are made when they are first needed
_SPARE_THREADS = 10

_POST = b"POST /v1/games HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
_SIZED = b"Content-Length: 60\r\n\r\n"
_CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
_BODY = b'{"seats": [{"kind": "human"},'
_LARGE = b"GET /v1/docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n"
_SILENT = Behaviour("a silent client", max_seconds=_HEAD_SECONDS)
_SENDERS = (
    Behaviour("half a request line", b"GET /v1/ga", max_seconds=_HEAD_SECONDS),
    Behaviour("half a head", _POST[:-20], max_seconds=_HEAD_SECONDS),
    Behaviour("a head byte by byte", _POST, b"X-Drops: " + b"x" * 300, max_seconds=_HEAD_SECONDS),
    Behaviour("half a body", _POST + _SIZED + _BODY, max_seconds=_BODY_SECONDS),
    Behaviour(
        "half a chunked body", _POST + _CHUNKED + b"3c\r\n" + _BODY, max_seconds=_BODY_SECONDS
    ),
    Behaviour("a body byte by byte", _POST + _SIZED, _BODY, max_seconds=_BODY_SECONDS),
    Behaviour(
        "a body announced and not sent",
        _POST + b"Expect: 100-continue\r\n" + _SIZED,
        max_seconds=_BODY_SECONDS,
    ),
)
_READERS = (
    Behaviour("a large response not read", _LARGE + b"\r\n"),
    Behaviour("many large responses not read", (_LARGE + b"\r\n") * 20),
    Behaviour("an answered client that does not close", _LARGE + b"Connection: close\r\n\r\n"),
    Behaviour("an old client that does not close", b"GET /healthz HTTP/1.0\r\n\r\n"),
)


def slow_senders(
    silent: int = 200, half_sent: int = 200, requests: int = 2_000, watched: float = 30.0
) -> Outcome:
    """Play amid silent clients and parts of requests; then watch those for some seconds."""
    with _service() as service:
        before = _files_and_threads(service)
        behaviours = [*[_SILENT] * silent, *itertools.islice(itertools.cycle(_SENDERS), half_sent)]
        with Crowd(_address(service), behaviours) as crowd:
            times, breaches = _play_measured(service, requests)
            if not breaches and crowd.all_closed(watched):
                breaches += _leaks(before, _files_and_threads(service))
            breaches += crowd.outliving(_SLACK_SECONDS) + crowd.failures
    ages = [age for behaviour, age in crowd.lifetimes if behaviour is not _SILENT]
    closed = f"; {len(ages)} closed after {min(ages):.1f} to {max(ages):.1f} s" if ages else ""
    return Outcome(f"{silent} silent, {half_sent} half-sent, {_summary(times)}{closed}", breaches)


def slow_readers(readers: int = 200, requests: int = 2_000) -> Outcome:
    """Play amid clients that do not read their responses or do not close."""
    with _service() as service:
        behaviours = itertools.islice(itertools.cycle(_READERS), readers)
        with Crowd(_address(service), behaviours) as crowd:
            times, breaches = _play_measured(service, requests)
    return Outcome(f"{readers} slow readers, {_summary(times)}", breaches + crowd.failures)


class _Healthy:
    """Plays, in turn on a new connection and on a kept one, and measures every response."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.times: list[float] = []
        self._address = address
        self._path = ""
        self._kept = self._connection()

    def close(self) -> None:
        """Close the kept connection."""
        self._kept.close()

    def play(self) -> None:
        """Read the game and move, on each kind of connection."""
        for fresh in (True, False):
            self._view = self._request("GET", self._path, None, fresh)
            if self._view["status"] != "playing":
                self.begin()
            what, body = self._move()
            self._view = self._request("POST", f"{self._path}/{what}", body, fresh)["game"]

    def _move(self) -> tuple[str, dict[str, str]]:
        if self._view["turn"]["phase"] == "draw":
            return "draw", {"source": "stock"}
        return "discard", {"card": self._view["you"]["arrangement"]["discard"]}

    def begin(self) -> None:
        """Create a game."""
        seats = [{"kind": "human"}, {"kind": "ai", "level": "hard"}]
        self._headers = {"Content-Type": "application/json"}
        created = self._request("POST", "/v1/games", {"seats": seats}, fresh=True)
        self._view = created["game"]
        self._path = f"/v1/games/{self._view['id']}"
        self._headers |= {"Authorization": f"Bearer {created['token']}"}

    def _request(self, method: str, path: str, body: object, fresh: bool) -> Any:
        begun = time.monotonic()
        connection = self._connection() if fresh else self._kept
        connection.request(method, path, json.dumps(body) if body else None, self._headers)
        with connection.getresponse() as response:
            text = response.read()
        if fresh:
            connection.close()
        self.times.append(time.monotonic() - begun)
        if response.status >= 300:
            raise OSError(f"{method} {path} was answered {response.status}")
        return json.loads(text)

    def _connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(*self._address, timeout=_GIVE_UP_SECONDS)


def _play_measured(service: Launch, requests: int) -> tuple[list[float], list[str]]:
    """Return how long each response took, and what is wrong with that."""
    with closing(_Healthy(_address(service))) as healthy:
        times = healthy.times
        try:
            healthy.begin()
            while len(times) < requests:
                healthy.play()
        except (OSError, http.client.HTTPException) as error:
            return times, [f"request {len(times) + 1} of the healthy client failed: {error!r}"]
    slowest = _slowest(times)
    late = [f"p99 is {slowest:.3f} s"] if slowest >= _LIMIT_SECONDS else []
    return times, late


def _slowest(times: list[float]) -> float:
    return statistics.quantiles(times, n=100)[98]


def _summary(times: list[float]) -> str:
    if len(times) < 2:
        return f"{len(times)} requests"
    middle, slowest = statistics.median(times) * 1000, _slowest(times) * 1000
    return f"{len(times)} requests: p50 {middle:.1f} ms, p99 {slowest:.1f} ms"


@contextmanager
def _service() -> Iterator[Launch]:
    with tempfile.TemporaryDirectory() as folder, Launch(Path(folder), WORKERS="2") as service:
        service.url()
        yield service


def _address(service: Launch) -> tuple[str, int]:
    place = urlsplit(service.url())
    return str(place.hostname), int(place.port or 0)


def _files_and_threads(service: Launch) -> dict[int, tuple[int, int]]:
    """How many files and threads each worker has, where that can be seen."""
    places = [Path(f"/proc/{pid}") for pid in service.workers()]
    return {
        int(place.name): (
            len(list((place / "fd").iterdir())),
            len(list((place / "task").iterdir())),
        )
        for place in places
        if place.exists()
    }


def _leaks(before: dict[int, tuple[int, int]], after: dict[int, tuple[int, int]]) -> list[str]:
    if before.keys() != after.keys():
        return [f"the workers {list(before)} have become {list(after)}"]
    return [
        f"worker {pid} had {before[pid]} files and threads, and has {files, threads}"
        for pid, (files, threads) in after.items()
        if files > before[pid][0] + _SPARE_FILES or threads > before[pid][1] + _SPARE_THREADS
    ]


TRIALS = (
    Trial(
        "Clients that send slowly or never stop nobody, and are disconnected",
        "`test_connections.py`",
        slow_senders,
    ),
    Trial(
        "Clients that read slowly or do not close stop nobody",
        "`test_connections.py`",
        slow_readers,
    ),
)
