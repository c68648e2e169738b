"""A stop ends streams cleanly and completes waiting calls; after the next start they go on.

The service is stopped by SIGTERM while games are played and watched, and started again on the same
data and port. Nobody cuts a connection here, so none may end but by the last chunk of its body.
"""

from __future__ import annotations

import json
import math
import random
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from tests.chaos.trial import Outcome, Trial
from tests.chaos.watching.games import WatchedGames
from tests.chaos.watching.watched_games import summary
from tests.nodes import wait_for
from tests.system.launch import Launch

_MOST_MOVES_BETWEEN = 20
_STOP_SECONDS = 12.0
_IDLE = 4
"""Streams, and waiting calls."""
_WAIT_SECONDS = 25
_OPEN_SECONDS = 0.5
_NEW = b'{"seats": [{"kind": "human"}, {"kind": "human"}]}'
_LAST_SEQ = 1
"""Of such a game: its first human has joined."""
_EMPTY_PAGE = {"events": [], "last_seq": _LAST_SEQ, "more": False}


class Idle:
    """Streams and waiting calls on a game that waits, open until the service stops."""

    def __init__(self, url: str) -> None:
        self._url = url
        created = _sent(url, "POST", "/v1/games", {"Content-Type": "application/json"}, _NEW)
        self._path = f"/v1/games/{json.loads(created)['game']['id']}/events"
        self._pool = ThreadPoolExecutor(2 * _IDLE)
        stream = {"Accept": "text/event-stream"}
        self._streams = [self._pool.submit(self._get, "", stream) for _ in range(_IDLE)]
        wait = f"?after={_LAST_SEQ}&wait={_WAIT_SECONDS}"
        self._calls = [self._pool.submit(self._get, wait, {}) for _ in range(_IDLE)]
        time.sleep(_OPEN_SECONDS)

    def violations(self) -> Iterator[str]:
        """What is wrong with the ends of them all."""
        for stream in self._streams:
            yield from _failures(stream, lambda body: body.startswith(b"retry: 1000\n\nid: "))
        for call in self._calls:
            yield from _failures(call, lambda body: json.loads(body) == _EMPTY_PAGE)
        self._pool.shutdown()

    def _get(self, query: str, headers: Mapping[str, str]) -> bytes:
        return _sent(self._url, "GET", self._path + query, headers)


def _sent(
    url: str, method: str, path: str, headers: Mapping[str, str], content: bytes | None = None
) -> bytes:
    """The whole body of a success; raises HTTPException if it is cut."""
    connection = HTTPConnection(urlsplit(url).netloc, timeout=2 * _WAIT_SECONDS)
    with closing(connection):
        connection.request(method, path, content, headers)
        answer = connection.getresponse()
        body = answer.read()
        if answer.status >= HTTPStatus.MULTIPLE_CHOICES:
            raise HTTPException(f"{answer.status} {body!r:.200}")
        return body


def _failures(answer: Future[bytes], is_right: Callable[[bytes], bool]) -> Iterator[str]:
    try:
        body = answer.result()
    except (OSError, HTTPException) as error:
        yield f"an idle answer was not completed: {error!r}"
        return
    if not is_right(body):
        yield f"an idle answer ended as {body!r:.200}"


def run(stops: int = 20, seed: int = 1) -> Outcome:
    """Stop the service so many times while games are played and watched."""
    rng, violations, slowest = random.Random(f"watched stops {seed}"), list[str](), 0.0
    with tempfile.TemporaryDirectory() as folder, ExitStack() as running:
        service = running.enter_context(_launched(folder, "0"))
        url = service.url()
        games = WatchedGames(url, random.Random(seed), most_lag=math.inf)
        is_enough = threading.Event()
        with ThreadPoolExecutor(1) as pool:
            playing = pool.submit(games.play, is_enough.is_set)
            try:
                for _ in range(stops):
                    idle = Idle(url)
                    _wait_for_moves(games, playing, rng)
                    began = time.monotonic()
                    service.send(signal.SIGTERM)
                    if code := service.ended():
                        violations.append(f"ended with code {code}: {service.output[-500:]}")
                    slowest = max(slowest, time.monotonic() - began)
                    violations += idle.violations()
                    service = running.enter_context(_launched(folder, str(urlsplit(url).port)))
                    service.url()
            finally:
                is_enough.set()
            playing.result()
    violations += games.violations
    if slowest > _STOP_SECONDS:
        violations.append(f"a stop took {slowest:.1f} s")
    if broken := games.counts["connections broken"]:
        violations.append(f"{broken} answers ended before their last chunk")
    done = (
        f"{stops} stops of at most {slowest:.1f} s, {games.counts['connections ended']} streams"
        f" ended and resumed, {stops * _IDLE} idle streams and as many waiting calls ended;"
        f" {summary(games)}"
    )
    return Outcome(done, [f"seed {seed}: {each}" for each in violations])


def _wait_for_moves(games: WatchedGames, playing: Future[None], rng: random.Random) -> None:
    enough = games.moves + rng.randint(1, _MOST_MOVES_BETWEEN)
    wait_for(lambda: playing.done() or games.moves >= enough, "moves between", 2 * _WAIT_SECONDS)


def _launched(folder: str, port: str) -> Launch:
    return Launch(Path(folder), LOG_LEVEL="CRITICAL", PORT=port, WORKERS="2")


TRIALS = (
    Trial(
        "A stop ends streams cleanly and completes waiting calls; a new start goes on with them.",
        "SIGTERM during watched games, and a start on the same data and port",
        run,
    ),
)
