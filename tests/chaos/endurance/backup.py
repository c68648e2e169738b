"""A backup that is taken during play has every move that was answered before, and is played on.

The commands are those of `docs/operations.md`, "Back up". Clients play with keys all the time. Of
each backup a second service is started: what was answered before the first command is there, its
newest request is recognised, and the game goes on with the same token.
"""

from __future__ import annotations

import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.chaos.traffic.history import History
from tests.chaos.traffic.http_client import (
    Answer,
    Client,
    HttpTransport,
    Request,
    UnexpectedRefusalError,
)
from tests.chaos.trial import Outcome, Trial
from tests.nodes import Node, wait_for
from tests.system.launch import Launch

_PAGE = Path(__file__).parents[3] / "docs" / "operations.md"
_FENCED = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_NEW = {"seats": [{"kind": "human"}, {"kind": "ai", "level": "easy"}], "rounds": {"last": 3}}
_EXPIRED = "idempotency-key-expired"
_FEWEST_MOVES, _MOST_MOVES = 20, 60


def commands() -> tuple[list[str], list[str], list[str], list[str]]:
    """What an operator is told to run: to copy, to serve, to take a snapshot, and to load it."""
    section = _PAGE.read_text().partition("\n## Back up\n")[2].partition("\n## ")[0]
    copy, serve, snapshot, load = (block.splitlines() for block in _FENCED.findall(section))
    return copy, serve, snapshot, load


@dataclass
class Game:
    """One game: its path, its human's token, and each answered move in order."""

    path: str
    token: str
    made: list[tuple[Request, Answer]] = field(default_factory=list)


class Player:
    """Plays one game after another with keys."""

    def __init__(self, url: str, rng: random.Random) -> None:
        self.games: list[Game] = []
        self._client = Client(HttpTransport(url), History())
        self._rng = rng

    def play(self, is_over: threading.Event) -> None:
        """Play until it is over."""
        while not is_over.is_set():
            created = self._sent(Request("POST", "/v1/games", None, _NEW, self._key())).json
            game = Game(f"/v1/games/{created['game']['id']}", created["token"])
            self.games.append(game)
            view = created["game"]
            while view["status"] == "playing" and not is_over.is_set():
                view = self.move(game, view)

    def move(self, game: Game, view: dict[str, Any]) -> dict[str, Any]:
        """Make the next move; the view after it."""
        if view["turn"]["phase"] == "draw":
            what, body = "draw", {"source": self._rng.choice(view["you"]["legal"]["draw"])}
        else:
            what, body = "discard", {"card": view["you"]["arrangement"]["discard"]}
        request = Request("POST", f"{game.path}/{what}", game.token, body, self._key())
        answer = self._sent(request)
        game.made.append((request, answer))
        moved: dict[str, Any] = answer.json["game"]
        return moved

    def _sent(self, request: Request) -> Answer:
        answer = self._client.send_until_answered(request)
        if answer is None or answer.status >= 300:
            raise UnexpectedRefusalError(f"{request} was answered {answer}")
        return answer

    def _key(self) -> str:
        return f"{self._rng.getrandbits(192):048x}"


@dataclass(frozen=True)
class Answered:
    """The moves of a game that were answered at some time."""

    game: Game
    made: Sequence[tuple[Request, Answer]]


class Play:
    """Players who play all the time."""

    def __init__(self, url: str, clients: int, rng: random.Random) -> None:
        self._players = [Player(url, random.Random(rng.random())) for _ in range(clients)]

    def answered(self) -> list[Answered]:
        """Every game with a move, and its moves so far."""
        games = [game for player in self._players for game in [*player.games]]
        return [Answered(game, [*game.made]) for game in games if game.made]

    def wait_for_moves(self, count: int) -> None:
        """Wait for so many more moves."""
        enough = self._moves() + count
        wait_for(lambda: self._moves() >= enough, "more moves", seconds=120)

    def _moves(self) -> int:
        return sum(len(each.made) for each in self.answered())

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Play meanwhile."""
        is_over = threading.Event()
        with ThreadPoolExecutor(len(self._players)) as pool:
            playing = [pool.submit(player.play, is_over) for player in self._players]
            try:
                yield
            finally:
                is_over.set()
            for each in playing:
                each.result()


def restored_violations(url: str, answered: Sequence[Answered], rng: random.Random) -> list[str]:
    """What a service lacks of what was answered before its backup."""
    return [
        f"{each.game.path}: {violation}"
        for each in answered
        for violation in _violations(HttpTransport(url), url, each, rng)
    ]


def _violations(
    transport: HttpTransport, url: str, answered: Answered, rng: random.Random
) -> Iterator[str]:
    game, (request, last) = answered.game, answered.made[-1]
    read = transport.send(Request("GET", game.path, game.token))
    if read.status != 200:
        yield f"is answered {read.status} {read.body!r:.200}"
        return
    if read.json["version"] < last.json["game"]["version"]:
        yield f"is at version {read.json['version']}, before {last.json['game']['version']}"
    log = transport.send(Request("GET", f"{game.path}/events?limit=1000", game.token)).json
    events = {event["seq"]: event for event in log["events"]}
    for _, answer in answered.made:
        lost = [each for each in answer.json["events"] if events.get(each["seq"]) != each]
        if lost:
            yield f"lacks {lost[0]}"
            return
    again = transport.send(request)
    if again != last and again.code != _EXPIRED:
        yield f"answers the repeated request with {again.status} {again.body!r:.200}"
    if read.json["status"] == "playing":
        moved = Player(url, rng).move(Game(game.path, game.token), read.json)
        if moved["version"] <= read.json["version"]:
            yield "does not go on"


def of_embedded_servers(backups: int = 5, clients: int = 6, seed: int = 1) -> Outcome:
    """Copy the data of an embedded server so many times during play, and serve each copy."""
    rng, violations, moves = random.Random(f"backup {seed}"), list[str](), 0
    (copy,), (serve,), _, _ = commands()
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        service = running.enter_context(Launch(folder, LOG_LEVEL="CRITICAL", WORKERS="2"))
        play = Play(service.url(), clients, rng)
        running.enter_context(play.going_on())
        for number in range(backups):
            play.wait_for_moves(rng.randint(_FEWEST_MOVES, _MOST_MOVES))
            answered = play.answered()
            place = folder / f"backup-{number}"
            _run(_with_place(copy, place), service.data_dir)
            play.wait_for_moves(1)
            settings = dict(word.split("=") for word in _with_place(serve, place)[:1])
            with Launch(folder, LOG_LEVEL="CRITICAL", WORKERS="2", **settings) as restored:
                violations += restored_violations(restored.url(), answered, rng)
            moves += sum(len(each.made) for each in answered)
    return _outcome(backups, moves, violations)


def _with_place(command: str, place: Path) -> list[str]:
    return shlex.split(command.replace("/backups/monday", str(place)))


def _run(words: Sequence[str], data_dir: Path) -> None:
    program, *arguments = words
    assert program == "three-thirteen"
    command = [sys.executable, "-m", "service", *arguments]
    environ = {**os.environ, "DATA_DIR": str(data_dir)}
    done = subprocess.run(
        command, env=environ, capture_output=True, text=True, check=False, cwd=_PAGE.parents[1]
    )
    assert done.returncode == 0, done.stderr


def of_own_servers(backups: int = 5, clients: int = 6, seed: int = 1) -> Outcome:
    """Take so many snapshots of a server during play, and load each into another server."""
    rng, violations, moves = random.Random(f"snapshot {seed}"), list[str](), 0
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        node = Node(folder / "server", ("--appendonly", "yes"))
        node.start()
        running.callback(node.kill)
        service = running.enter_context(_over(folder, node))
        play = Play(service.url(), clients, rng)
        running.enter_context(play.going_on())
        for number in range(backups):
            play.wait_for_moves(rng.randint(_FEWEST_MOVES, _MOST_MOVES))
            answered = play.answered()
            snapshot = _snapshot(node)
            play.wait_for_moves(1)
            with (
                _loaded(folder / f"restored-{number}", snapshot) as other,
                _over(folder, other) as restored,
            ):
                violations += restored_violations(restored.url(), answered, rng)
            moves += sum(len(each.made) for each in answered)
    return _outcome(backups, moves, violations)


def _over(folder: Path, node: Node) -> Launch:
    url = f"redis://{node.address}/0"
    return Launch(folder, LOG_LEVEL="CRITICAL", WORKERS="2", REDIS_URL=url)


def _words(command: str, program: str) -> list[str]:
    first, *words = shlex.split(command)
    assert first == program
    return words


def _snapshot(node: Node) -> bytes:
    """Take a snapshot as the page says, and wait for it."""
    save, ask = (_words(command, "valkey-cli") for command in commands()[2])
    node.execute(*save)

    def is_there() -> bool:
        info = node.execute(*ask)
        return info["rdb_bgsave_in_progress"] == 0 and info["rdb_last_bgsave_status"] == "ok"

    wait_for(is_there, "a snapshot")
    return (node.folder / "dump.rdb").read_bytes()


@contextmanager
def _loaded(folder: Path, snapshot: bytes) -> Iterator[Node]:
    """A server with the data of a snapshot, as the page says."""
    start, then = commands()[3]
    folder.mkdir()
    (folder / "dump.rdb").write_bytes(snapshot)
    _dir, _place, *options = _words(start, "valkey-server")
    node = Node(folder, tuple(options))
    node.start()
    try:
        node.execute(*_words(then, "valkey-cli"))
        yield node
    finally:
        node.kill()


def _outcome(backups: int, moves: int, violations: list[str]) -> Outcome:
    return Outcome(f"{backups} backups with {moves} answered moves in all", violations)


TRIALS = (
    Trial(
        "A backup of the embedded server has every move answered before it, and is played on",
        "the documented commands during play, 5 times; each copy served and compared",
        of_embedded_servers,
    ),
    Trial(
        "So does a snapshot of an own server",
        "the documented commands during play, 5 times; each snapshot loaded and compared",
        of_own_servers,
    ),
)
