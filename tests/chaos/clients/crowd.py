"""A crowd of slow clients: each holds a connection, and opens another when that is closed.

Behaviour (what is sent at once, and what byte by byte) -> Crowd (all of them, in one thread)
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

_ROUND_SECONDS = 0.1
_BYTE_SECONDS = 1.0
_SMALL_BUFFER = 4096


@dataclass(frozen=True)
class Behaviour:
    """How a client is slow, and within how many seconds the service must close its connection.

    Without such a bound the client never reads, and itself opens another connection after a while.
    """

    name: str
    first: bytes = b""
    byte_by_byte: bytes = b""
    max_seconds: float | None = None


@dataclass(eq=False)
class _Client:
    behaviour: Behaviour
    sock: socket.socket
    opened: float = field(default_factory=time.monotonic)
    sent_singly: int = 0

    @property
    def age(self) -> float:
        return time.monotonic() - self.opened


class Crowd:
    """Slow clients of one address, which connect and disconnect with the context manager."""

    def __init__(
        self, address: tuple[str, int], behaviours: Iterable[Behaviour], open_seconds: float = 5.0
    ) -> None:
        self.lifetimes: list[tuple[Behaviour, float]] = []
        """How long each connection lasted that the service closed."""
        self.failures: list[str] = []
        self._address = address
        self._behaviours = list(behaviours)
        self._open_seconds = open_seconds
        self._clients: set[_Client] = set()
        self._selector = selectors.DefaultSelector()
        self._reconnecting = True
        self._is_closing = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        for behaviour in self._behaviours:
            self._connect(behaviour)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_closing.set()
        self._thread.join()
        for client in self._clients:
            client.sock.close()
        self._selector.close()

    def all_closed(self, seconds: float) -> bool:
        """Open no more connections, wait until all are closed, and return whether they are."""
        self._reconnecting = False
        deadline = time.monotonic() + seconds
        while self._clients and time.monotonic() < deadline:
            time.sleep(_ROUND_SECONDS)
        return not self._clients

    def outliving(self, slack: float) -> list[str]:
        """Name each connection that was open for longer than its bound and `slack`."""
        ages = [*self.lifetimes, *((client.behaviour, client.age) for client in set(self._clients))]
        return [
            f"{behaviour.name} was open for {age:.1f} s"
            for behaviour, age in ages
            if behaviour.max_seconds is not None and age > behaviour.max_seconds + slack
        ]

    def _run(self) -> None:
        while not self._is_closing.is_set():
            for key, _ in self._selector.select(_ROUND_SECONDS):
                self._read(key.data)
            for client in list(self._clients):
                self._send_next_byte(client)
                if client.behaviour.max_seconds is None and client.age > self._open_seconds:
                    self._disconnect(client)

    def _connect(self, behaviour: Behaviour) -> None:
        with socket.socket() as sock:
            if behaviour.max_seconds is None:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SMALL_BUFFER)
            sock.settimeout(5)
            try:
                sock.connect(self._address)
                sock.sendall(behaviour.first)
            except OSError as error:
                self.failures.append(f"{behaviour.name} cannot connect: {error}")
                return
            client = _Client(behaviour, sock.dup())
        client.sock.setblocking(False)
        self._clients.add(client)
        if behaviour.max_seconds is not None:
            self._selector.register(client.sock, selectors.EVENT_READ, client)

    def _read(self, client: _Client) -> None:
        try:
            ended = not client.sock.recv(65_536)
        except BlockingIOError:
            return
        except OSError:
            ended = True
        if ended:
            self.lifetimes.append((client.behaviour, client.age))
            self._disconnect(client)

    def _send_next_byte(self, client: _Client) -> None:
        rest = client.behaviour.byte_by_byte
        if client.sent_singly < min(len(rest), int(client.age / _BYTE_SECONDS)):
            with contextlib.suppress(OSError):  # its end shows when it is read
                client.sock.send(rest[client.sent_singly : client.sent_singly + 1])
            client.sent_singly += 1

    def _disconnect(self, client: _Client) -> None:
        if client.behaviour.max_seconds is not None:
            self._selector.unregister(client.sock)
        client.sock.close()
        self._clients.remove(client)
        if self._reconnecting:
            self._connect(client.behaviour)
