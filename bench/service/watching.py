"""Streams of events as clients hold them open, and how soon an event reaches them."""

from __future__ import annotations

import re
import selectors
import socket
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from time import perf_counter

from bench.service.clients import Answer, UnexpectedAnswerError, request
from bench.service.games import Game
from bench.service.servers import Address

_SECONDS = 30.0
_PIECE = 262_144
_OK = b"HTTP/1.1 200 "
_HEAD_END = b"\r\n\r\n"
_EVENT = b"event:"
_SNAPSHOT_END = b"}\n\n\r\n"
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


def open_streams(stack: ExitStack, address: Address, games: Iterable[Game]) -> list[socket.socket]:
    """A stream of each game, as a spectator, with the game as it is received already.

    Raises UnexpectedAnswerError.
    """
    streams = []
    for game in games:
        stream = stack.enter_context(socket.create_connection(address, _SECONDS))
        path = f"/v1/games/{game.id}/events"
        stream.sendall(request("GET", path, {"Accept": "text/event-stream"}))
        _receive_until(stream, _SNAPSHOT_END)
        streams.append(stream)
    return streams


def _receive_until(stream: socket.socket, end: bytes) -> None:
    received = bytearray()
    while not received.endswith(end):
        piece = stream.recv(_PIECE)
        received += piece
        if not piece or not received.startswith(_OK[: len(received)]):
            raise UnexpectedAnswerError(f"no stream: {bytes(received[:300])!r}")


@dataclass(frozen=True, slots=True)
class Told:
    """When a move's answer and its events arrived, in s after the move was sent.

    `first` and `last` of those who watch the game.
    """

    answer: float
    first: float
    last: float


def told(connection: socket.socket, game: Game, watching: Sequence[socket.socket]) -> Told:
    """Make the next move of a game by a connection while others watch it."""
    received = bytearray()
    answered = 0.0
    seen: dict[socket.socket, float] = {}
    with selectors.DefaultSelector() as selector:
        for each in (connection, *watching):
            selector.register(each, selectors.EVENT_READ, each)
        began = perf_counter()
        connection.sendall(game.move())
        while not answered or len(seen) < len(watching):
            ready = selector.select(_SECONDS)
            if not ready:
                raise UnexpectedAnswerError("somebody who watches was not told of a move")
            for key, _ in ready:
                piece = key.data.recv(_PIECE)
                now = perf_counter() - began
                if key.data is connection:
                    received += piece
                    answered = now if _is_complete(received) else 0.0
                elif _EVENT in piece:
                    seen.setdefault(key.data, now)
    game.moved(_answer(received, answered))
    return Told(answered, min(seen.values()), max(seen.values()))


def _is_complete(received: bytearray) -> bool:
    head, end, body = received.partition(_HEAD_END)
    length = _LENGTH.search(head)
    return bool(end) and (length is None or len(body) >= int(length[1]))


def _answer(received: bytearray, seconds: float) -> Answer:
    """The answer to a move; raises UnexpectedAnswerError if it was refused."""
    head, _, body = bytes(received).partition(_HEAD_END)
    if not head.startswith(_OK):
        raise UnexpectedAnswerError(f"a move was refused: {body[:300]!r}")
    return Answer(int(head[9:12]), head, body, seconds)
