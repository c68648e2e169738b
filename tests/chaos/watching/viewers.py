"""Viewers of a game: by a stream that is resumed, or by one call that waits after another.

Each has a thread of its own, and comes back where its connection was cut or its answer has ended.
It keeps what it received with the time; `judgement` compares that with the replay of the game.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

_SILENT_SECONDS = 20.0
"""A stream gets a comment more often than that, and a waiting call its answer."""
_PAUSE_SECONDS = 0.05
_WAIT_SECONDS = 3
_PIECE = 65_536
_RESET = struct.pack("ii", 1, 0)
ENDS = ("game_finished", "game_abandoned")


@dataclass(frozen=True, slots=True)
class Seen:
    """An event, and when it arrived (s since 1970)."""

    event: Mapping[str, Any]
    at: float

    @property
    def seq(self) -> int:
        """The seq of the event."""
        return int(self.event["seq"])


class Viewer(ABC):
    """Somebody who watches a game as a seat, or as a spectator (None), to its end.

    `position`: the seq of the newest event; `first`: the seq that everything was to be seen from.
    `counts`: of its connections, by how they ended; `broken` is one whose answer was not complete.
    """

    def __init__(self, url: str, game_id: str, seat: int | None, token: str | None) -> None:
        self.seat = seat
        self.seen: list[Seen] = []
        self.violations: list[str] = []
        self.counts: Counter[str] = Counter()
        self.is_refused = False
        """Whether the token was refused, which ends it, too."""
        self.first = 1
        self.position = 0
        self.began = time.time()
        self._address = urlsplit(url).netloc
        self._path = f"/v1/games/{game_id}/events"
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._socket: socket.socket | None = None
        self._is_answered = False
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def name(self) -> str:
        """Who it is and how it watches."""
        who = "a spectator" if self.seat is None else f"seat {self.seat}"
        return f"{who} by {self.how}"

    @property
    @abstractmethod
    def how(self) -> str:
        """How it watches, as one word."""

    def cut(self) -> bool:
        """Cut its connection abruptly, if it has one; its thread then resets it."""
        sock = self._socket
        if sock is None:
            return False
        with contextlib.suppress(OSError):  # it has just been closed
            sock.shutdown(socket.SHUT_RD)
        return True

    def wait_for_end(self, seconds: float) -> None:
        """Wait until it has seen the end of the game; else that is a violation."""
        if not self._is_over.wait(seconds):
            self.violations.append(f"saw no end, only {self.position} events")
            self.stop()
        self._thread.join()

    def stop(self) -> None:
        """Watch no more."""
        self._is_over.set()
        self.cut()

    @abstractmethod
    def _follow(self) -> None:
        """Send one request, and take its answer; raises OSError and HTTPException."""

    def _run(self) -> None:
        while not self._is_over.is_set():
            try:
                self._follow()
            except (OSError, HTTPException):
                self.counts["broken" if self._is_answered else "lost"] += 1
            except (ValueError, KeyError) as error:
                self.violations.append(f"cannot read what arrived: {error!r}")
                self._is_over.set()
            self._is_over.wait(_PAUSE_SECONDS)

    @contextmanager
    def _answer(self, query: str, headers: Mapping[str, str]) -> Iterator[HTTPResponse]:
        self._is_answered = False
        connection = HTTPConnection(self._address, timeout=_SILENT_SECONDS)
        connection.connect()
        sock = self._socket = connection.sock
        try:
            connection.request("GET", self._path + query, headers={**self._headers, **headers})
            with connection.getresponse() as answer:
                self._is_answered = True
                yield answer
        finally:
            self._socket = None
            with contextlib.suppress(OSError):  # the answer has ended, and the connection with it
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            connection.close()

    def _refused(self, answer: HTTPResponse) -> None:
        """Take an answer that is none of events."""
        self.counts[str(answer.status)] += 1
        if answer.status in (429, 503):
            return
        self.is_refused = answer.status == 401
        if answer.status not in (204, 401):
            self.violations.append(f"was answered {answer.status} {answer.read()!r:.200}")
        self._is_over.set()

    def _take(self, event: Mapping[str, Any]) -> None:
        self.seen.append(Seen(event, time.time()))
        self.position = int(event["seq"])


class StreamViewer(Viewer):
    """Watches by a stream; resumes it by the id of the last event.

    With `from_now` it begins with the game as it is, else with the first event.
    """

    how = "stream"

    def __init__(
        self,
        url: str,
        game_id: str,
        seat: int | None,
        token: str | None,
        *,
        from_now: bool = False,
    ) -> None:
        self._last_id = None if from_now else "0"
        super().__init__(url, game_id, seat, token)

    def _follow(self) -> None:
        headers = {"Accept": "text/event-stream"}
        if self._last_id is not None:
            headers["Last-Event-ID"] = self._last_id
        with self._answer("", headers) as answer:
            if answer.status != 200:
                self._refused(answer)
                return
            rest = b""
            while part := answer.read1(_PIECE):
                *blocks, rest = (rest + part).split(b"\n\n")
                for block in blocks:
                    self._take_block(block.decode())
            self.counts["ended"] += 1
            if rest:
                self.violations.append(f"a stream has ended within an event: {rest!r:.80}")

    def _take_block(self, block: str) -> None:
        fields = dict(line.split(":", 1) for line in block.split("\n"))
        if "data" not in fields:
            self.counts["comments" if "" in fields else "retry"] += 1
            return
        kind, event = fields["event"].strip(), json.loads(fields["data"])
        if kind == "snapshot":
            self._take_snapshot(int(fields["id"]), event)
        else:
            if (int(fields["id"]), kind) != (event["seq"], event["type"]):
                self.violations.append(f"an event has the id and type of another: {block:.120}")
            self._take(event)
        self._last_id = fields["id"].strip()

    def _take_snapshot(self, seq: int, view: Mapping[str, Any]) -> None:
        if self._last_id is not None:
            self.violations.append(f"a stream was not resumed at {self._last_id} of {seq}")
        if (view["you"] and view["you"]["seat"]) != self.seat:
            self.violations.append("the game as it is was shown as another sees it")
        self.first, self.position = seq + 1, seq


class WaitingViewer(Viewer):
    """Watches by calls that each wait for the next event."""

    how = "calls"

    def _follow(self) -> None:
        with self._answer(f"?after={self.position}&wait={_WAIT_SECONDS}", {}) as answer:
            if answer.status != 200:
                self._refused(answer)
                return
            page = json.loads(answer.read())
        self.counts["pages" if page["events"] else "empty pages"] += 1
        for event in page["events"]:
            self._take(event)
        if self.seen and self.seen[-1].event["type"] in ENDS:
            self._is_over.set()
