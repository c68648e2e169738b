"""The examples in Python play whole games against the real server, on a bad network, too."""

from __future__ import annotations

import ast
import json
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests

from tests.system.launch import Launch

EXAMPLES = Path(__file__).parents[3] / "examples"
README = EXAMPLES.parent / "README.md"
SECONDS = 120
_HUMAN = {"kind": "human"}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with Launch(tmp_path_factory.mktemp("service"), LOG_LEVEL="WARNING") as service:
        yield service.url()
        assert "Traceback" not in service.output


def run(name: str, *arguments: str) -> str:
    """What an example prints, which must end well and complain of nothing."""
    program = [sys.executable, "-W", "error", str(EXAMPLES / name), *arguments]
    ended = subprocess.run(program, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


def results(printed: str) -> list[dict[str, Any]]:
    """The results of games that stand at the ends of the lines."""
    lines = [line[line.index("{") :] for line in printed.splitlines() if "'winner'" in line]
    return [ast.literal_eval(line) for line in lines]


def test_the_readme_lists_every_example_and_each_is_short() -> None:
    text = README.read_text()
    for example in EXAMPLES.iterdir():
        if example.is_file():
            assert f"`{example.name}`" in text, f"{README} does not name {example.name}"
            assert len(example.read_text().splitlines()) < 100, example.name


def test_play_py_plays_a_whole_game_in_nine_lines(url: str) -> None:
    (result,) = results(run("play.py", url))
    assert len(result["totals"]) == 4
    steps = (EXAMPLES / "play.py").read_text().rpartition("\n\n\n")[2]
    assert len(steps.splitlines()) <= 9


def test_two_humans_wait_join_poll_and_play(url: str) -> None:
    printed = run("two_humans.py", url)
    waited, nothing, joined, something = printed.splitlines()[:4]
    assert "the game is waiting" in waited
    assert nothing.endswith("False")
    assert "the game is playing" in joined
    assert something.endswith("True")
    of_ann, of_bo = results(printed)
    assert of_ann == of_bo
    assert len(of_ann["totals"]) == 3


class Creator:
    """The human of seat 0, who plays until the game is over."""

    def __init__(self, url: str, **options: Any) -> None:
        seats = [_HUMAN, _HUMAN, {"kind": "ai", "level": "easy"}]
        body = {"seats": seats} | options
        created = requests.post(f"{url}/v1/games", json=body, timeout=10).json()
        self.game_id: str = created["game"]["id"]
        self.invite: str = created["invites"][0]["code"] if created["invites"] else ""
        self._path = f"{url}/v1/games/{self.game_id}"
        self._auth = {"Authorization": f"Bearer {created['token']}"}

    def play(self) -> dict[str, Any]:
        """Play whenever it is seat 0's turn; the game's result."""
        seen = self._send("GET", "")
        while seen["status"] != "finished":
            if seen["turn"] and seen["turn"]["seat"] == 0:
                drawn = self._send("POST", "/draw", source="stock")["game"]
                card = drawn["you"]["arrangement"]["discard"]
                seen = self._send("POST", "/discard", card=card)["game"]
            else:
                time.sleep(0.02)
                seen = self._send("GET", "")
        result: dict[str, Any] = seen["result"]
        return result

    def names(self) -> list[str]:
        return [seat["name"] for seat in self._send("GET", "")["seats"]]

    def _send(self, method: str, path: str, **body: str) -> Any:
        answer = requests.request(
            method, self._path + path, json=body or None, headers=self._auth, timeout=20
        )
        assert answer.status_code == 200, answer.text
        return answer.json()


def play_with_bot(creator: Creator, bot_url: str) -> None:
    """Let the bot and the creator play to the end, the bot under an address of its own."""
    with ThreadPoolExecutor(1) as pool:
        bot = pool.submit(run, "bot.py", creator.game_id, creator.invite, bot_url)
        result = creator.play()
        assert results(bot.result()) == [result]
        assert creator.names()[1] == "Bot"


def test_the_bot_plays_a_whole_game_against_a_human(url: str) -> None:
    play_with_bot(Creator(url), url)


class BadNetwork(BaseHTTPRequestHandler):
    """Passes requests on; some are refused before that, and some answers are lost."""

    protocol_version = "HTTP/1.1"
    target: str
    numbers: Iterator[int]
    faults: Counter[str]

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        match next(self.numbers) % 9:
            case 1:
                self._refuse(503)
            case 3:
                self._refuse(429)
            case fault:
                del self.headers["Host"]
                sent = dict(self.headers.items())
                answer = requests.request(
                    self.command, self.target + self.path, data=body, headers=sent, timeout=20
                )
                if fault == 5:
                    self.faults[f"lost {self.command}"] += 1
                    self.close_connection = True
                else:
                    named = {name: answer.headers.get(name) for name in ("ETag", "Content-Type")}
                    self._send(answer.status_code, answer.content, named)

    def _refuse(self, status: int) -> None:
        self.faults[str(status)] += 1
        self._send(status, b'{"detail": "Wait."}', {"Retry-After": "0"})

    def _send(self, status: int, body: bytes, headers: dict[str, Any]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            if value is not None:
                self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def bad_network(url: str) -> Iterator[tuple[str, Counter[str]]]:
    """An address of the service behind a bad network, and the faults that were made there."""
    faults: Counter[str] = Counter()
    made = {"target": url, "numbers": count(), "faults": faults}
    handler = type("ThisNetwork", (BadNetwork,), made)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as network:
        serving = Thread(target=network.serve_forever)
        serving.start()
        try:
            yield f"http://127.0.0.1:{network.server_port}", faults
        finally:
            network.shutdown()
            serving.join()


def test_the_bot_plays_on_where_requests_are_refused_and_answers_lost(url: str) -> None:
    with bad_network(url) as (network_url, faults):
        play_with_bot(Creator(url), network_url)
    assert set(faults) == {"503", "429", "lost GET", "lost POST"}


class CutConnection(StreamRequestHandler):
    """Passes a request on, and so many bytes of its answer; each time some more."""

    target: tuple[str, int]
    numbers: Iterator[int]

    def handle(self) -> None:
        head = b"".join(iter(self.rfile.readline, b"\r\n")) + b"\r\n"
        left = 900 + 300 * next(self.numbers)
        with socket.create_connection(self.target) as service:
            service.sendall(head)
            while left and (part := service.recv(left)):
                self.wfile.write(part)
                left -= len(part)


@contextmanager
def cut_connections(url: str) -> Iterator[tuple[str, Iterator[int]]]:
    """An address of the service where answers are cut, and a count of the connections there."""
    place, numbers = urlsplit(url), count()
    made = {"target": (place.hostname, place.port), "numbers": numbers}
    with ThreadingTCPServer(("127.0.0.1", 0), type("Cut", (CutConnection,), made)) as network:
        network.daemon_threads = True  # a game that nobody ends holds its connection
        serving = Thread(target=network.serve_forever)
        serving.start()
        try:
            yield f"http://127.0.0.1:{network.server_address[1]}", numbers
        finally:
            network.shutdown()
            serving.join()


def test_a_spectator_sees_each_event_once_although_connections_are_cut(url: str) -> None:
    creator = Creator(url, seats=[_HUMAN, {"kind": "ai"}], rounds={"first": 1, "last": 2})
    with cut_connections(url) as (cut_url, connections), ThreadPoolExecutor(1) as pool:
        watching = pool.submit(run, "watch.py", creator.game_id, cut_url)
        creator.play()
        printed = watching.result().splitlines()
        assert next(connections) > 3

    events = requests.get(f"{url}/v1/games/{creator.game_id}/events?limit=1000", timeout=10)
    for line, event in zip(printed, events.json()["events"], strict=True):
        seq, kind, fields = line.split(" ", 2)
        assert json.loads(fields) | {"seq": int(seq), "type": kind, "at": event["at"]} == event


@pytest.mark.parametrize(
    ("arguments", "said"),
    [((), "GAME_ID [http"), (("no-game", "{url}"), "No game")],
)
def test_a_spectator_is_told_why_there_is_nothing_to_watch(
    url: str, arguments: tuple[str, ...], said: str
) -> None:
    program = [sys.executable, str(EXAMPLES / "watch.py"), *(e.format(url=url) for e in arguments)]
    ended = subprocess.run(program, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert ended.returncode == 1
    assert said in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "said"), [((), "GAME_ID INVITE"), (("{game_id}", "none", "{url}"), "invite")]
)
def test_the_bot_says_why_it_cannot_join(url: str, arguments: tuple[str, ...], said: str) -> None:
    given = [each.format(game_id=Creator(url).game_id, url=url) for each in arguments]
    program = [sys.executable, str(EXAMPLES / "bot.py"), *given]
    ended = subprocess.run(program, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert ended.returncode == 1
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
