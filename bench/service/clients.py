"""Clients on kept connections, cheap enough not to be what is measured.

One thread waits for all of them. Requests are composed before the clock starts, and answers are
parsed after it has stopped.
"""

from __future__ import annotations

import re
import selectors
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from types import TracebackType
from typing import Self

from bench.service.servers import Address

_HEAD_END = b"\r\n\r\n"
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_ETAG = re.compile(rb"\r\netag: *([^\r]+)", re.IGNORECASE)
_PIECE = 262_144
_ANSWER_SECONDS = 30.0
_NOT_MODIFIED = 304


class UnexpectedAnswerError(Exception):
    """An answer with another status than expected, or none at all."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, and how many seconds it took."""

    status: int
    head: bytes
    body: bytes
    seconds: float

    @property
    def size(self) -> int:
        """Its bytes."""
        return len(self.head) + len(_HEAD_END) + len(self.body)

    @property
    def etag(self) -> str:
        """Its entity tag; raises UnexpectedAnswerError."""
        found = _ETAG.search(self.head)
        if not found:
            raise UnexpectedAnswerError("an answer has no ETag")
        return found[1].decode()


def request(
    method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> bytes:
    """A request as it goes over the wire."""
    lines = {"Host": "localhost", "Accept": "*/*", "User-Agent": "bench", **(headers or {})}
    if body:
        lines["Content-Type"] = "application/json"
    if method == "POST":
        lines["Content-Length"] = str(len(body))
    fields = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"{method} {path} HTTP/1.1\r\n{fields}\r\n".encode() + body


@dataclass(slots=True)
class _Client:
    """A connection, what has arrived of an answer, and which request it is the answer to."""

    connection: socket.socket
    number: int = 0
    began: float = 0.0
    received: bytearray = field(default_factory=bytearray)

    def is_open(self) -> bool:
        """Whether the server has neither closed it nor sent what nobody asked for."""
        self.connection.setblocking(False)
        try:
            self.connection.recv(1)
        except BlockingIOError:
            return True
        except OSError:
            return False
        finally:
            self.connection.setblocking(True)
        return False


class Clients:
    """A number of clients of one server; in a `with` they close their connections at its end."""

    def __init__(self, address: Address, count: int) -> None:
        self._address = address
        self._clients: list[_Client | None] = [None] * count

    def run(self, requests: Sequence[bytes], expected: int = 200) -> tuple[list[Answer], float]:
        """The answers to these requests in their order, and the seconds for all of them.

        Each client has one request under way. Raises UnexpectedAnswerError where a status is not
        the expected one.
        """
        clients = self._connected()[: len(requests)]
        with selectors.DefaultSelector() as selector:
            for client in clients:
                selector.register(client.connection, selectors.EVENT_READ, client)
            start = perf_counter()
            answers = _exchange(selector, clients, requests)
            seconds = perf_counter() - start
        return [_checked(answers[number], expected) for number in range(len(requests))], seconds

    def ask(self, asked: bytes, expected: int = 200) -> Answer:
        """The answer to one request."""
        return self.run([asked], expected)[0][0]

    def close(self) -> None:
        """Close every connection."""
        for client in self._clients:
            if client is not None:
                client.connection.close()
        self._clients = [None] * len(self._clients)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _connected(self) -> list[_Client]:
        """Every client, connected anew where the server has closed the connection."""
        clients = []
        for client in self._clients:
            if client is not None and client.is_open():
                clients.append(client)
                continue
            if client is not None:
                client.connection.close()
            connection = socket.create_connection(self._address, _ANSWER_SECONDS)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            clients.append(_Client(connection))
        self._clients = [*clients]
        return clients


def _exchange(
    selector: selectors.BaseSelector, clients: Sequence[_Client], requests: Sequence[bytes]
) -> dict[int, Answer]:
    """The answers by the numbers of their requests."""
    answers: dict[int, Answer] = {}
    for number, client in enumerate(clients):
        _send(client, number, requests)
    following = len(clients)
    while len(answers) < len(requests):
        ready = selector.select(_ANSWER_SECONDS)
        if not ready:
            raise UnexpectedAnswerError(f"no answer within {_ANSWER_SECONDS:.0f} s")
        for key, _ in ready:
            client = key.data
            if (answer := _received(client)) is None:
                continue
            answers[client.number] = answer
            if following < len(requests):
                _send(client, following, requests)
                following += 1
    return answers


def _send(client: _Client, number: int, requests: Sequence[bytes]) -> None:
    client.number = number
    client.began = perf_counter()
    client.connection.sendall(requests[number])


def _received(client: _Client) -> Answer | None:
    """The answer of a client, once all of it has arrived; raises UnexpectedAnswerError."""
    piece = client.connection.recv(_PIECE)
    if not piece:
        raise UnexpectedAnswerError("the server closed a connection instead of answering")
    client.received += piece
    end = client.received.find(_HEAD_END)
    if end < 0:
        return None
    head = bytes(client.received[:end])
    status = int(head[9:12])
    length = 0 if status == _NOT_MODIFIED else _content_length(head)
    body = bytes(client.received[end + len(_HEAD_END) :])
    if len(body) < length:
        return None
    client.received.clear()
    return Answer(status, head, body, perf_counter() - client.began)


def _content_length(head: bytes) -> int:
    found = _LENGTH.search(head)
    if not found:
        raise UnexpectedAnswerError("an answer has no Content-Length")
    return int(found[1])


def _checked(answer: Answer, expected: int) -> Answer:
    if answer.status != expected:
        text = answer.body[:300].decode(errors="replace")
        raise UnexpectedAnswerError(f"{answer.status} instead of {expected}: {text}")
    return answer
