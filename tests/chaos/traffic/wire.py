"""Requests to the service and answers, the way between them, and a client that insists."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any, Protocol
from urllib.parse import urlsplit

import orjson

from tests.chaos.traffic.linearizability import Acknowledged, Kind, Record

_ANSWER_SECONDS = 20.0
INSIST_SECONDS = 60.0
_PAUSE_SECONDS = 0.05


class LostError(Exception):
    """The connection ended before the answer was there."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asks for."""

    method: str
    path: str
    token: str | None = None
    body: Mapping[str, Any] | None = None
    key: str | None = None
    if_match: str | None = None

    @property
    def is_repeatable(self) -> bool:
        """Whether it may be sent again when nobody knows what became of it."""
        return self.method == "GET" or self.key is not None

    @property
    def headers(self) -> dict[str, str]:
        """The headers that are needed."""
        given = {
            "Content-Type": self.body and "application/json",
            "Authorization": self.token and f"Bearer {self.token}",
            "Idempotency-Key": self.key,
            "If-Match": self.if_match,
        }
        return {name: value for name, value in given.items() if value}

    @property
    def content(self) -> bytes:
        """The body as it is sent."""
        return b"" if self.body is None else orjson.dumps(self.body)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; two answers are the same if all of it is."""

    status: int
    etag: str | None
    body: bytes

    @property
    def told(self) -> Any:
        """The body's JSON."""
        return orjson.loads(self.body)

    @property
    def code(self) -> str:
        """What is said in a word: the problem's code, or the status."""
        return self.told["code"] if self.status >= 400 else str(self.status)


class Wire(Protocol):
    """A way to the service."""

    def send(self, request: Request) -> Answer:
        """The answer; raises LostError."""


@dataclass(frozen=True, slots=True)
class HttpWire:
    """Calls a service at its address, each time by a new connection."""

    url: str

    def send(self, request: Request) -> Answer:
        connection = HTTPConnection(urlsplit(self.url).netloc, timeout=_ANSWER_SECONDS)
        headers = {"Connection": "close", **request.headers}
        try:
            connection.request(request.method, request.path, request.content, headers)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers.get("ETag"), answer.read())
        except (OSError, HTTPException) as error:
            raise LostError(str(error)) from error
        finally:
            connection.close()


class UnansweredError(Exception):
    """A request was repeated until its time was over."""


class RefusedError(Exception):
    """Something was refused that nothing may refuse."""


class Client:
    """Sends requests until they are answered, and records what they told."""

    def __init__(self, wire: Wire, record: Record, insist_seconds: float = INSIST_SECONDS) -> None:
        self._wire = wire
        self._record = record
        self._insist_seconds = insist_seconds

    def move(self, game: str, request: Request, name: str) -> Answer | None:
        """The answer to what makes a version; None where its outcome is unknown."""
        begun = time.monotonic()
        try:
            answer = self.insist(request)
        except UnansweredError:
            self._record.unknown(game, name, begun)
            raise
        if answer is None:
            self._record.unknown(game, name, begun)
        elif answer.status in (200, 201):
            told = answer.told
            self._record.saw(game or told["game"]["id"], Kind.MOVE, name, begun, told["game"])
            version, events = told["game"]["version"], told["events"]
            self._record.acknowledge(told["game"]["id"], Acknowledged(name, version, events))
        return answer

    def look(self, game: str, token: str | None = None) -> Answer:
        """The game as a seat or a spectator sees it."""
        begun = time.monotonic()
        answer = self.read(f"/v1/games/{game}", token)
        self._record.saw(game, Kind.READ, "", begun, answer.told)
        return answer

    def read(self, path: str, token: str | None = None) -> Answer:
        """The answer to a read, which nothing may refuse."""
        answer = self.insist(Request("GET", path, token))
        if answer is None or answer.status != 200:
            raise RefusedError(f"GET {path} was answered {answer}")
        return answer

    def insist(self, request: Request) -> Answer | None:
        """The answer, the request being repeated while it is lost or the store is away.

        None where it was lost and must not be repeated; "nothing was changed" is no loss.
        """
        deadline = time.monotonic() + self._insist_seconds
        while time.monotonic() < deadline:
            code = "lost"
            try:
                answer = self._wire.send(request)
                if answer.status != 503:
                    return answer
                code = answer.code
            except LostError:
                pass
            self._record.count(code)
            if code != "storage-unavailable" and not request.is_repeatable:
                return None
            time.sleep(_PAUSE_SECONDS)
        raise UnansweredError(f"not answered in {self._insist_seconds:.0f} s: {request}")
