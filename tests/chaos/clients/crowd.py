"""A crowd of slow clients: each keeps a connection in its manner and takes another when that ends.

Manner (what is sent at once, and what byte by byte) -> Crowd (all of them, in one thread)
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
_DROP_SECONDS = 1.0
_SMALL_BUFFER = 4096


@dataclass(frozen=True)
class Manner:
    """A way to be slow, and within how many seconds the service must have closed the connection.

    Without such a bound the client never reads, and itself takes another connection after a while.
    """

    name: str
    first: bytes = b""
    drops: bytes = b""
    bound: float | None = None


@dataclass(eq=False)
class _Client:
    manner: Manner
    sock: socket.socket
    opened: float = field(default_factory=time.monotonic)
    dropped: int = 0

    @property
    def age(self) -> float:
        return time.monotonic() - self.opened


class Crowd:
    """Slow clients of one address; as a context manager it is there at once, and gone after."""

    def __init__(
        self, address: tuple[str, int], manners: Iterable[Manner], stay: float = 5.0
    ) -> None:
        self.lifetimes: list[tuple[Manner, float]] = []
        """How long each connection lasted that the service closed."""
        self.failures: list[str] = []
        self._address = address
        self._manners = list(manners)
        self._stay = stay
        self._clients: set[_Client] = set()
        self._selector = selectors.DefaultSelector()
        self._returning = True
        self._leaving = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        for manner in self._manners:
            self._come(manner)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._leaving.set()
        self._thread.join()
        for client in self._clients:
            client.sock.close()
        self._selector.close()

    def empties(self, seconds: float) -> bool:
        """Take no more connections, and wait until all are closed; tell whether they are."""
        self._returning = False
        deadline = time.monotonic() + seconds
        while self._clients and time.monotonic() < deadline:
            time.sleep(_ROUND_SECONDS)
        return not self._clients

    def outliving(self, slack: float) -> list[str]:
        """Name each connection that was open for longer than its bound and `slack`."""
        ages = [*self.lifetimes, *((client.manner, client.age) for client in set(self._clients))]
        return [
            f"{manner.name} was open for {age:.1f} s"
            for manner, age in ages
            if manner.bound is not None and age > manner.bound + slack
        ]

    def _run(self) -> None:
        while not self._leaving.is_set():
            for key, _ in self._selector.select(_ROUND_SECONDS):
                self._read(key.data)
            for client in list(self._clients):
                self._drip(client)
                if client.manner.bound is None and client.age > self._stay:
                    self._go(client)

    def _come(self, manner: Manner) -> None:
        with socket.socket() as sock:
            if manner.bound is None:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SMALL_BUFFER)
            sock.settimeout(5)
            try:
                sock.connect(self._address)
                sock.sendall(manner.first)
            except OSError as error:
                self.failures.append(f"{manner.name} cannot connect: {error}")
                return
            client = _Client(manner, sock.dup())
        client.sock.setblocking(False)
        self._clients.add(client)
        if manner.bound is not None:
            self._selector.register(client.sock, selectors.EVENT_READ, client)

    def _read(self, client: _Client) -> None:
        try:
            ended = not client.sock.recv(65_536)
        except BlockingIOError:
            return
        except OSError:
            ended = True
        if ended:
            self.lifetimes.append((client.manner, client.age))
            self._go(client)

    def _drip(self, client: _Client) -> None:
        drops = client.manner.drops
        if client.dropped < min(len(drops), int(client.age / _DROP_SECONDS)):
            with contextlib.suppress(OSError):  # its end shows when it is read
                client.sock.send(drops[client.dropped : client.dropped + 1])
            client.dropped += 1

    def _go(self, client: _Client) -> None:
        if client.manner.bound is not None:
            self._selector.unregister(client.sock)
        client.sock.close()
        self._clients.remove(client)
        if self._returning:
            self._come(client.manner)
