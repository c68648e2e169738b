"""An HTTP client that repeats requests until they are answered, and adds them to a history.

Client (repeats a request) -> Transport (sends it once) -> Answer, or LostAnswerError
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any, Protocol
from urllib.parse import urlsplit

import orjson

from tests.chaos.traffic.history import History
from tests.chaos.traffic.linearizability import AcknowledgedMove, Kind

_ANSWER_SECONDS = 20.0
REPEAT_SECONDS = 60.0
"""How long a request is repeated before its client gives up."""
_PAUSE_SECONDS = 0.05


class LostAnswerError(Exception):
    """The connection ended before the answer arrived."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request; a repeated request is the same value."""

    method: str
    path: str
    token: str | None = None
    body: Mapping[str, Any] | None = None
    key: str | None = None
    if_match: str | None = None

    @property
    def is_repeatable(self) -> bool:
        """Whether it may be sent again while its outcome is unknown."""
        return self.method == "GET" or self.key is not None

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the request."""
        given = {
            "Content-Type": self.body and "application/json",
            "Authorization": self.token and f"Bearer {self.token}",
            "Idempotency-Key": self.key,
            "If-Match": self.if_match,
        }
        return {name: value for name, value in given.items() if value}

    @property
    def content(self) -> bytes:
        """The body as bytes."""
        return b"" if self.body is None else orjson.dumps(self.body)


@dataclass(frozen=True, slots=True)
class Answer:
    """The status, ETag and body of an answer, and after how many seconds to repeat the request."""

    status: int
    etag: str | None
    body: bytes
    retry_after: int | None = None

    @property
    def json(self) -> Any:
        """The decoded body."""
        return orjson.loads(self.body)

    @property
    def code(self) -> str:
        """The problem's code; the status of a success."""
        return self.json["code"] if self.status >= 400 else str(self.status)


class Transport(Protocol):
    """A way to send one request to the service."""

    def send(self, request: Request) -> Answer:
        """The answer; raises LostAnswerError."""


@dataclass(frozen=True, slots=True)
class HttpTransport:
    """Sends each request to a URL on a new connection."""

    url: str

    def send(self, request: Request) -> Answer:
        connection = HTTPConnection(urlsplit(self.url).netloc, timeout=_ANSWER_SECONDS)
        headers = {"Connection": "close", **request.headers}
        try:
            connection.request(request.method, request.path, request.content, headers)
            answer = connection.getresponse()
            after = answer.headers.get("Retry-After", "")
            return Answer(
                answer.status,
                answer.headers.get("ETag"),
                answer.read(),
                int(after) if after.isdigit() else None,
            )
        except (OSError, HTTPException) as error:
            raise LostAnswerError(str(error)) from error
        finally:
            connection.close()


class UnansweredError(Exception):
    """A request was repeated for a minute without an answer."""


class UnexpectedRefusalError(Exception):
    """A request that must succeed was refused."""


class Client:
    """Sends requests until they are answered, and adds the operations to the history."""

    def __init__(
        self, transport: Transport, history: History, repeat_seconds: float = REPEAT_SECONDS
    ) -> None:
        self._wire = transport
        self._history = history
        self._repeat_seconds = repeat_seconds

    def move(self, game: str, request: Request, name: str) -> Answer | None:
        """The answer to a request that makes a version; None if its outcome is unknown."""
        invoked = time.monotonic()
        try:
            answer = self.send_until_answered(request)
        except UnansweredError:
            self._history.add_unknown_outcome(game, name, invoked)
            raise
        if answer is None:
            self._history.add_unknown_outcome(game, name, invoked)
        elif answer.status in (200, 201):
            body = answer.json
            self._history.add_operation(
                game or body["game"]["id"], Kind.MOVE, name, invoked, body["game"]
            )
            version, events = body["game"]["version"], body["events"]
            self._history.add_acknowledged(
                body["game"]["id"], AcknowledgedMove(name, version, events)
            )
        return answer

    def read_game(self, game: str, token: str | None = None) -> Answer:
        """The game as a seat or a spectator sees it."""
        invoked = time.monotonic()
        answer = self.read(f"/v1/games/{game}", token)
        self._history.add_operation(game, Kind.READ, "", invoked, answer.json)
        return answer

    def read(self, path: str, token: str | None = None) -> Answer:
        """The answer to a read, which must succeed."""
        answer = self.send_until_answered(Request("GET", path, token))
        if answer is None or answer.status != 200:
            raise UnexpectedRefusalError(f"GET {path} was answered {answer}")
        return answer

    def send_until_answered(self, request: Request) -> Answer | None:
        """The answer; the request is repeated while answers are lost or the store is unavailable.

        None where the answer was lost and the request has no key to be repeated with. After the
        problem `storage-unavailable` any request may be repeated, since nothing was changed.
        """
        deadline = time.monotonic() + self._repeat_seconds
        while time.monotonic() < deadline:
            code = "lost"
            try:
                answer = self._wire.send(request)
                if answer.status != 503:
                    return answer
                code = answer.code
            except LostAnswerError:
                pass
            self._history.count(code)
            if code != "storage-unavailable" and not request.is_repeatable:
                return None
            time.sleep(_PAUSE_SECONDS)
        raise UnansweredError(f"not answered in {self._repeat_seconds:.0f} s: {request}")
