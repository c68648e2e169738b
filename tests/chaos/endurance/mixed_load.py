"""A steady mix of all that clients do: whole games, polls, streams, refused calls, bad connections.

Every client has a thread of its own and makes a step at a fixed pace, however fast the answers are.
So two parts of a run have the same load, as long as the service keeps up. The games have two rounds
and two humans, who move with keys; a rematch follows every third, and every fifth is deleted.
"""

from __future__ import annotations

import itertools
import random
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

import requests

from tests.chaos.clients.crowd import Behaviour, Crowd
from tests.chaos.endurance.tables import (
    Caller,
    Table,
    UnexpectedAnswerError,
    bearer,
    moves,
    open_table,
    rematch,
)

_JSON = {"Content-Type": "application/json"}
_REVIEWS, _REMATCHES, _DELETIONS = 0.3, 1 / 3, 1 / 5
_WAIT_SECONDS = 2
_LEAST_STREAM, _MOST_STREAM = 1.0, 5.0  # seconds
_RESET = struct.pack("ii", 1, 0)
_HAND = {"cards": ["7H", "8H", "9H", "5D", "JK", "2C"], "wild_rank": "5"}
_REFUSED: Sequence[tuple[int, str, str, Mapping[str, str], bytes]] = (
    (400, "POST", "/v1/games", _JSON, b'{"seats":'),
    (400, "GET", "/v1/problems", {"Host": "other.example"}, b""),
    (404, "GET", "/v1/games/none", {}, b""),
    (404, "GET", "/v1/nothing", {}, b""),
    (405, "PUT", "/v1/games", _JSON, b"{}"),
    (406, "GET", "/v1/problems", {"Accept": "image/png"}, b""),
    (413, "POST", "/v1/games", _JSON, b" " * 20_000),
    (415, "POST", "/v1/games", {"Content-Type": "text/plain"}, b"{}"),
    (422, "POST", "/v1/games", _JSON, b'{"jokers": 3}'),
    (403, "POST", "/v1/games", {**_JSON, "Origin": "https://other.example"}, b"{}"),
)
_LARGE = b"GET /v1/docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n"
_BEHAVIOURS = (
    Behaviour("a silent client", max_seconds=10),
    Behaviour("half a head", b"POST /v1/games HTTP/1.1\r\nHost: lo", max_seconds=10),
    Behaviour("a large response not read", _LARGE + b"\r\n"),
    Behaviour("a client that does not close", _LARGE + b"Connection: close\r\n\r\n"),
)


@dataclass(frozen=True)
class Mix:
    """How many clients there are of each kind, and the seconds from one step to the next."""

    players: int = 6
    move_seconds: float = 0.3
    watchers: int = 12
    waiting: int = 4
    slow: int = 16
    poll_seconds: float = 0.15
    create_seconds: float = 0.5
    refused_seconds: float = 0.2
    cut_seconds: float = 0.5


Client = Callable[[Caller, random.Random], Iterator[None]]
"""Acts by and by: one step before each of its pauses."""


class MixedLoad:
    """The clients; they act while the context lasts. What goes wrong is in `violations`."""

    def __init__(self, url: str, mix: Mix, seed: int) -> None:
        self.counts: Counter[str] = Counter()
        self.violations: list[str] = []
        self.url = url
        self._mix = mix
        self._seed = seed
        self._numbers = itertools.count()
        self._over = threading.Event()
        self._threads: list[threading.Thread] = []
        self._playing: list[Table] = []
        parts = urlsplit(url)
        self._address = (str(parts.hostname), int(parts.port or 0))
        self._crowd = ExitStack()

    @property
    def calls(self) -> int:
        """How many calls were answered so far."""
        return sum(self.counts[status] for status in [*self.counts] if status.isdigit())

    def __enter__(self) -> Self:
        mix = self._mix
        behaviours = itertools.islice(itertools.cycle(_BEHAVIOURS), mix.slow)
        self._crowd.enter_context(Crowd(self._address, behaviours))
        for _ in range(mix.players):
            self.start(mix.move_seconds, self._play)
        self.start(mix.create_seconds, self._create)
        self.start(mix.poll_seconds, self._poll)
        self.start(mix.refused_seconds, self._be_refused)
        self.start(mix.cut_seconds, self._cut)
        for _ in range(mix.watchers):
            self.start(0.1, self._watch)
        for _ in range(mix.waiting):
            self.start(0.1, self._wait)
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()
        self._crowd.close()

    def start(self, seconds: float, client: Client) -> None:
        """Let a client act, one step in so many seconds."""
        rng = random.Random(f"{self._seed}/{next(self._numbers)}")
        thread = threading.Thread(target=self._run, args=(seconds, client, rng), daemon=True)
        self._threads.append(thread)
        thread.start()

    def _run(self, seconds: float, client: Client, rng: random.Random) -> None:
        due = time.monotonic()
        with Caller(self.url, self.counts, rng) as caller:
            steps = client(caller, rng)
            while not self._over.wait(max(0.0, due - time.monotonic())):
                try:
                    next(steps)
                except (UnexpectedAnswerError, requests.RequestException, OSError) as error:
                    self.violations.append(f"{error!r:.400}")
                    return
                due = max(due + seconds, time.monotonic())

    def _play(self, caller: Caller, rng: random.Random) -> Iterator[None]:
        """Play one whole game after another."""
        table, is_rematch = None, False
        while True:
            yield
            table = rematch(caller, table) if table and is_rematch else open_table(caller)
            self._playing.append(table)
            for _ in moves(caller, table, rng):
                yield
            self._playing.remove(table)
            caller.get(f"{table.path}/replay")
            caller.get(f"{table.path}/scores", table.tokens[1])
            if rng.random() < _REVIEWS:
                yield
                caller.get(f"{table.path}/review?seat={rng.randrange(3)}")
            self.counts["games"] += 1
            is_rematch = rng.random() < _REMATCHES
            if not is_rematch and rng.random() < _DELETIONS:
                yield
                caller.send("DELETE", table.path, bearer(table.tokens[0]), None, (204,))

    def _create(self, caller: Caller, _rng: random.Random) -> Iterator[None]:
        """Create games that nobody plays."""
        while True:
            caller.post("/v1/games", None, None)
            self.counts["unplayed"] += 1
            yield

    def _poll(self, caller: Caller, _rng: random.Random) -> Iterator[None]:
        """Look at games again and again, and mostly find that nothing has changed."""
        while True:
            for table in [*self._playing]:
                token = table.tokens[0]
                with suppress(UnexpectedAnswerError):  # it was deleted meanwhile
                    tag = caller.get(table.path, token).headers["ETag"]
                    caller.get(table.path, token, If_None_Match=tag)
                yield
                caller.send("POST", "/v1/evaluations", {}, _HAND, (200, 429))
            yield

    def _be_refused(self, caller: Caller, _rng: random.Random) -> Iterator[None]:
        for status, method, path, headers, body in itertools.cycle(_REFUSED):
            caller.send(method, path, headers, body or None, (status,))
            self.counts["refused"] += 1
            yield

    def _cut(self, _caller: Caller, rng: random.Random) -> Iterator[None]:
        """Send a request and reset the connection before the answer is there."""
        for kind in itertools.cycle(("POST /v1/games", "GET /v1/rules", "GET /v1/openapi.json")):
            with socket.create_connection(self._address) as sock:
                head = f"{kind} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
                sock.sendall(head.encode()[: rng.choice((30, len(head)))])
                time.sleep(rng.choice((0.0, 0.002)))
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            self.counts["cut"] += 1
            yield

    def _watch(self, _caller: Caller, rng: random.Random) -> Iterator[None]:
        """Watch a game by a stream for some seconds, then close it or reset it."""
        while True:
            yield
            if self._playing:
                table = rng.choice([*self._playing])
                seconds = rng.uniform(_LEAST_STREAM, _MOST_STREAM)
                self._stream(table, table.tokens.get(rng.randrange(3)), seconds, rng.random() < 0.5)
                self.counts["streams"] += 1

    def _stream(self, table: Table, token: str | None, seconds: float, is_reset: bool) -> None:
        head = [f"GET {table.path}/events HTTP/1.1", "Host: localhost", "Accept: text/event-stream"]
        head += [f"{name}: {value}" for name, value in bearer(token).items()]
        end = time.monotonic() + seconds
        with socket.create_connection(self._address, timeout=0.5) as sock:
            sock.sendall("\r\n".join([*head, "", ""]).encode())
            while time.monotonic() < end and not self._over.is_set():
                with suppress(TimeoutError):
                    if not sock.recv(65_536):
                        break
            if is_reset:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)

    def _wait(self, caller: Caller, rng: random.Random) -> Iterator[None]:
        """Wait for the next event of a game, call after call."""
        while True:
            yield
            if self._playing:
                table = rng.choice([*self._playing])
                with suppress(UnexpectedAnswerError):  # it was deleted
                    last = caller.get(f"{table.path}/events?limit=1").json()["last_seq"]
                    caller.get(f"{table.path}/events?after={last}&wait={_WAIT_SECONDS}")
                    self.counts["waits"] += 1
