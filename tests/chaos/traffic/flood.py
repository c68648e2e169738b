"""A flood of creations from one address, while others play.

With limits, as they are by default, others play on nearly as quickly: their moves are measured in
turn without and with the flood. Without limits the flood meets the cap of memory: new games are
refused, the store stays below its `maxmemory`, and the games under way end.
"""

from __future__ import annotations

import secrets
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson
import requests

from tests.chaos.traffic.flooder import flooding
from tests.chaos.trial import Outcome, Trial
from tests.nodes import Node, lone_node, wait_for
from tests.system.launch import Launch

_FLOODER = "203.0.113.9"
_CONNECTIONS = 50
_MOST_RATIO = 2.0
_CREATIONS_A_MINUTE = 600
_SAMPLE_SECONDS = 0.1
_FILL_SECONDS = 120.0
_SMALL_MB, _AMPLE_MB = 16, 256
_FILLED = 0.8
"""Of a small store, before the flood."""
_GAME = {"seats": [{"kind": "human"}, {"kind": "ai", "level": "medium"}]}


@dataclass
class Player:
    """One person at an address of their own who plays game after game over one connection."""

    url: str
    address: str
    think_seconds: float
    rounds: int
    seconds: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    refusals: Counter[str] = field(default_factory=Counter)
    finished: int = 0

    def play(self, over: threading.Event) -> None:
        """Play until it is over; then the game under way is played to its end."""
        self._connection = HTTPConnection(urlsplit(self.url).netloc, timeout=30)
        while not over.is_set():
            rounds = {"rounds": {"first": 1, "last": self.rounds}}
            status, answer = self._send("/v1/games", _GAME | rounds)
            if status == 201:
                self._play_game(answer)
            else:
                self.refusals[answer["code"]] += 1
                over.wait(0.5)
        self._connection.close()

    def _play_game(self, created: dict[str, Any]) -> None:
        view, token = created["game"], created["token"]
        while view["status"] == "playing":
            if view["turn"]["phase"] == "draw":
                path, body = "draw", {"source": "stock"}
            else:
                path, body = "discard", {"card": view["you"]["arrangement"]["discard"]}
            before = time.perf_counter()
            status, answer = self._send(f"/v1/games/{view['id']}/{path}", body, token)
            self.seconds.append(time.perf_counter() - before)
            if status != 200:
                self.failures.append(f"a {path} of a game under way was answered {answer}")
                return
            view = answer["game"]
            time.sleep(self.think_seconds)
        self.finished += 1

    def _send(
        self, path: str, body: dict[str, Any], token: str | None = None
    ) -> tuple[int, dict[str, Any]]:
        headers = {"Content-Type": "application/json", "X-Forwarded-For": self.address}
        headers["Idempotency-Key"] = secrets.token_urlsafe(24)
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        self._connection.request("POST", path, orjson.dumps(body), headers)
        answer = self._connection.getresponse()
        return answer.status, orjson.loads(answer.read())


class Memory:
    """The most memory that a store was seen to use."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.most = 0
        self.limit = node.execute("INFO", "memory")["maxmemory"]

    def watch(self, over: threading.Event) -> None:
        """Look until it is over."""
        while not over.wait(_SAMPLE_SECONDS):
            self.most = max(self.most, self._node.execute("INFO", "memory")["used_memory"])

    def fill(self, share: float) -> None:
        """Leave no more room than there is above this share."""
        self._node.execute("SETRANGE", "filler", int(share * self.limit), "x")

    @property
    def percent(self) -> float:
        """Of what it may use."""
        return 100 * self.most / self.limit


@dataclass
class Trying:
    """The service with players at it, whose store is watched."""

    url: str
    players: list[Player]
    memory: Memory

    def percentile_99(self, seconds: float) -> float:
        """The 99th percentile of the moves that end within the next seconds, in seconds."""
        starts = [len(player.seconds) for player in self.players]
        time.sleep(seconds)
        moves = [
            each
            for player, start in zip(self.players, starts, strict=True)
            for each in player.seconds[start:]
        ]
        return statistics.quantiles(moves, n=100)[98]

    def is_refused(self) -> bool:
        """Whether a new game of yet another person is refused."""
        return requests.post(f"{self.url}/v1/games", timeout=30).status_code == 503

    @property
    def moves(self) -> int:
        """How many moves were made."""
        return sum(len(player.seconds) for player in self.players)


@contextmanager
def playing(
    players: int, think_seconds: float, rounds: int, megabytes: int, **settings: str
) -> Iterator[Trying]:
    """Have so many people play at a service; in the end they finish their games."""
    options = ("--maxmemory", f"{megabytes}mb", "--maxmemory-policy", "noeviction")
    over, done = threading.Event(), threading.Event()
    with (
        tempfile.TemporaryDirectory() as folder,
        lone_node(*options) as node,
        Launch(
            Path(folder),
            REDIS_URL=f"redis://{node.address}",
            WORKERS="2",
            TRUSTED_PROXIES="1",
            LOG_LEVEL="CRITICAL",
            **settings,
        ) as service,
        ThreadPoolExecutor(players + 1) as pool,
    ):
        url = service.url()
        people = [
            Player(url, f"198.51.100.{number}", think_seconds, rounds)
            for number in range(1, players + 1)
        ]
        memory = Memory(node)
        watching = pool.submit(memory.watch, done)
        games = [pool.submit(player.play, over) for player in people]
        try:
            yield Trying(url, people, memory)
        finally:
            over.set()
            for game in games:
                game.result()
            done.set()
            watching.result()


def with_limits(
    phases: int = 8,
    seconds: float = 15,
    players: int = 4,
    rounds: int = 11,
    creations: int = _CREATIONS_A_MINUTE,
    most_ratio: float = _MOST_RATIO,
) -> Outcome:
    """Compare moves without and with the flood, in so many phases of each, in turn.

    `creations`: how many an address may make in a minute.
    """
    quiet, flooded, answers = [], [], Counter[str]()
    began = time.monotonic()
    limits = {"RATE_LIMIT": "on", "RATE_LIMIT_CREATE": str(creations)}
    with playing(players, 0.05, rounds, _AMPLE_MB, **limits) as trying:
        trying.percentile_99(2)  # the first moves of all
        for _ in range(phases):
            quiet.append(trying.percentile_99(seconds))
            with flooding(trying.url, _CONNECTIONS, _FLOODER) as counts:
                flooded.append(trying.percentile_99(seconds))
            answers += counts
        minutes = (time.monotonic() - began) // 60 + 2
    ratio = statistics.median(flooded) / statistics.median(quiet)
    violations = [text for player in trying.players for text in player.failures]
    violations += [
        f"a player met {player.refusals}" for player in trying.players if player.refusals
    ]
    if ratio >= most_ratio:
        violations.append(f"moves took {ratio:.2f} times as long at the 99th percentile")
    if answers["201"] > minutes * creations or not answers["429"]:
        violations.append(f"the flood was answered {dict(answers)} in {minutes:.0f} minutes")
    if others := answers.keys() - {"201", "429"}:
        violations.append(f"the flood was answered {sorted(others)}")
    if trying.memory.percent >= 90:
        violations.append(f"the store was {trying.memory.percent:.0f} % full")
    done = (
        f"{trying.moves} moves by {players}, p99 {1000 * statistics.median(quiet):.1f} ms without"
        f" and {1000 * statistics.median(flooded):.1f} ms with the flood ({ratio:.2f} times);"
        f" {_listed(answers)}"
    )
    return Outcome(done, violations)


def without_limits(seconds: float = 60, players: int = 4, rounds: int = 11) -> Outcome:
    """Flood a small store that no limit protects, and play on to the end of the games.

    The flood lasts for so many seconds from the first game that is refused.
    """
    with playing(players, 0.02, rounds, _SMALL_MB, RATE_LIMIT="off") as trying:
        trying.memory.fill(_FILLED)
        with flooding(trying.url, _CONNECTIONS, _FLOODER) as answers:
            wait_for(trying.is_refused, "a game that is refused", _FILL_SECONDS)
            time.sleep(seconds)
    memory = trying.memory
    violations = [text for player in trying.players for text in player.failures]
    if memory.most >= memory.limit:
        violations.append(f"the store was {memory.percent:.1f} % full")
    if not answers["201"] or not answers["503"]:
        violations.append("the flood did not fill the store")
    if others := answers.keys() - {"201", "503"}:
        violations.append(f"the flood was answered {sorted(others)}")
    met = {code for player in trying.players for code in player.refusals}
    if others := met - {"capacity-reached"}:
        violations.append(f"a player met {sorted(others)}")
    if not all(player.finished for player in trying.players):
        violations.append("a game under way did not end")
    done = (
        f"{trying.moves} moves by {players}, {sum(each.finished for each in trying.players)} games"
        f" ended; {_listed(answers)}; at most {memory.percent:.1f} % of {_SMALL_MB} MB used"
    )
    return Outcome(done, violations)


def _listed(answers: Counter[str]) -> str:
    counts = ", ".join(f"{count} {status}" for status, count in sorted(answers.items()))
    return f"creations of the flood: {counts}"


TRIALS = (
    Trial(
        "a flood of creations from one address does not double the p99 of the others' moves",
        f"{_CONNECTIONS} connections create games in 8 phases of 16, with the default limits",
        with_limits,
    ),
    Trial(
        "without limits a flood fills no store above its cap, and the games under way end",
        f"{_CONNECTIONS} connections create games at a store of {_SMALL_MB} MB, RATE_LIMIT=off",
        without_limits,
    ),
)
