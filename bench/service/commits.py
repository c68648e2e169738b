"""Moves as a store sees them, without a service: what one server takes from many connections.

A move is one read of the game and its key, then one commit by the service's own script. Sizes are
those of a game against three `medium`; draws and discards alternate.
"""

from __future__ import annotations

import secrets
import selectors
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import hiredis

from bench.service.clients import UnexpectedAnswerError
from bench.service.servers import Address
from service.store import keys, records
from service.store.connections.connection import Command
from service.store.connections.packer import Packer
from service.store.models import Commit, MoveKey, StoredGame
from service.store.scripts import commit_script

_PIECE = 262_144
_ANSWER_SECONDS = 30.0
_STATE, _META, _RECORD, _EVENT = 760, 60, 900, 14
"""Bytes."""
_EVENTS = (1, 8)
"""Of a draw, of a discard with three turns after it."""
_DAY = 86_400
_NOW = 1_800_000_000


@dataclass(slots=True)
class _Player:
    """A connection that plays one game, and the commands that it has yet to send, last first."""

    connection: socket.socket
    steps: list[tuple[bytes, int]]
    reader: hiredis.Reader
    awaited: int = 0
    began: float = 0.0

    def send(self) -> None:
        """Send the next commands."""
        packed, self.awaited = self.steps.pop()
        self.began = perf_counter()
        self.connection.sendall(packed)

    def has_answers(self) -> bool:
        """Take what has arrived; tell whether that was all; raises UnexpectedAnswerError."""
        self.reader.feed(self.connection.recv(_PIECE))
        while self.awaited:
            answer = self.reader.gets()
            if answer is False:
                return False
            if isinstance(answer, Exception):
                raise UnexpectedAnswerError(f"the store answered {answer}")
            self.awaited -= 1
        return True


def play(address: Address, connections: int, moves: int) -> tuple[float, list[float]]:
    """Moves a second by so many connections, and the seconds of each read and commit.

    The server must know the script.
    """
    with selectors.DefaultSelector() as selector:
        players = [_player(address, moves) for _ in range(connections)]
        for player in players:
            selector.register(player.connection, selectors.EVENT_READ, player)
        start = perf_counter()
        waits = _exchange(selector, players)
        return connections * moves / (perf_counter() - start), waits


def _exchange(selector: selectors.BaseSelector, players: Sequence[_Player]) -> list[float]:
    waits: list[float] = []
    for player in players:
        player.send()
    while selector.get_map():
        ready = selector.select(_ANSWER_SECONDS)
        if not ready:
            raise UnexpectedAnswerError(f"no answer within {_ANSWER_SECONDS:.0f} s")
        for key, _ in ready:
            player = key.data
            if not player.has_answers():
                continue
            waits.append(perf_counter() - player.began)
            if player.steps:
                player.send()
            else:
                selector.unregister(player.connection)
                player.connection.close()
    return waits


def _player(address: Address, moves: int) -> _Player:
    game_id, logged = secrets.token_urlsafe(16), 0
    steps: list[tuple[bytes, int]] = []
    for version in range(1, moves + 1):
        key = MoveKey("owner-of-16-char", secrets.token_bytes(12), _NOW)
        events = [secrets.token_bytes(_EVENT) for _ in range(_EVENTS[version % len(_EVENTS)])]
        state = StoredGame(version, secrets.token_bytes(_STATE), secrets.token_bytes(_META))
        commit = Commit(
            *(game_id, version - 1, state, events, logged, key, secrets.token_bytes(_RECORD)),
            *(_DAY, 14 * _DAY),
        )
        logged += len(events)
        steps += [(_read(game_id, key), 2), (_write(commit), 1)]
    connection = socket.create_connection(address, _ANSWER_SECONDS)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return _Player(connection, steps[::-1], hiredis.Reader())


def _read(game_id: str, key: MoveKey) -> bytes:
    game = ("HMGET", keys.game_key(game_id), "version", "state", "meta")
    return _packed(game) + _packed(records.lookup(game_id, key))


def _write(commit: Commit) -> bytes:
    arguments = commit_script.commit_arguments(commit, guarded=False, confirmed=False)
    return _packed(("EVALSHA", commit_script.SHA, *arguments))


def _packed(command: Command) -> bytes:
    return b"".join(Packer().pack(*command))
