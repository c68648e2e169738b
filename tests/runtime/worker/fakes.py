"""A network that is not there: sockets, a poller and a clock that a test moves by hand."""

from __future__ import annotations

import errno
import itertools
import selectors
from collections import deque
from collections.abc import Callable
from typing import Any

from service.runtime.worker.connection import Connection, State
from service.runtime.worker.event_loop import EventLoop
from service.runtime.worker.framing import FramedRequest
from service.runtime.worker.limits import Limits
from service.runtime.worker.streams import Stream


class FakeClock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class FakeSocket:
    """The service's end of a connection; the test plays the client."""

    _numbers = itertools.count(1_000)

    def __init__(self) -> None:
        self.sent = bytearray()
        self.room: float = float("inf")
        """How many bytes the client will still take."""
        self.is_open = True
        self.is_shut = False
        self.client_is_gone = False
        self.options: dict[tuple[int, int], int] = {}
        self._arrived: deque[bytes] = deque()
        self._number = next(self._numbers)

    def arrives(self, *pieces: bytes) -> None:
        """Have the client send; an empty piece is its end."""
        self._arrived.extend(pieces)

    @property
    def is_readable(self) -> bool:
        return bool(self._arrived) or self.client_is_gone

    @property
    def is_writable(self) -> bool:
        return self.room > 0 or self.client_is_gone

    def recv(self, _size: int) -> bytes:
        assert self.is_open
        if self._arrived:
            return self._arrived.popleft()
        raise ConnectionResetError if self.client_is_gone else BlockingIOError

    def send(self, data: Any) -> int:
        assert self.is_open
        assert not self.is_shut
        if self.client_is_gone:
            raise BrokenPipeError
        taken = int(min(len(data), self.room))
        if data and not taken:
            raise BlockingIOError
        self.sent += memoryview(data)[:taken]
        self.room -= taken
        return taken

    def shutdown(self, _how: int) -> None:
        if self.client_is_gone:
            raise OSError(errno.ENOTCONN, "not connected")
        self.is_shut = True

    def close(self) -> None:
        self.is_open = False

    def fileno(self) -> int:
        return self._number if self.is_open else -1

    def setblocking(self, flag: bool) -> None:
        assert not flag

    def setsockopt(self, level: int, name: int, value: int) -> None:
        self.options[level, name] = value


class FakePoller:
    """Reports the sockets that are ready, as often as it is asked (level-triggered)."""

    def __init__(self) -> None:
        self.watched: dict[Any, tuple[int, Callable[[], object]]] = {}
        self.sockets: dict[int, Any] = {}

    def register(self, fileobj: Any, events: int, data: Any) -> None:
        assert fileobj.fileno() >= 0, "a closed file cannot be watched"
        assert fileobj not in self.watched
        self.watched[fileobj] = (events, data)

    def modify(self, fileobj: Any, events: int, data: Any) -> None:
        assert fileobj in self.watched
        self.watched[fileobj] = (events, data)

    def unregister(self, fileobj: Any) -> None:
        del self.watched[fileobj]

    def select(self, timeout: float | None) -> list[tuple[selectors.SelectorKey, int]]:
        return [
            (selectors.SelectorKey(fileobj, fileobj.fileno(), events, data), events)
            for fileobj, (events, data) in self.watched.items()
            if self._is_ready(self.sockets[fileobj.fileno()], events)
        ]

    @staticmethod
    def _is_ready(sock: Any, events: int) -> bool:
        if events & selectors.EVENT_READ and sock.is_readable:
            return True
        return bool(events & selectors.EVENT_WRITE) and sock.is_writable


class FakeWorker:
    """An event loop whose requests a test answers by hand."""

    def __init__(self, **limits: Any) -> None:
        self.clock = FakeClock()
        self.poller = FakePoller()
        self.limits = Limits(**{"connections": 100, "streams": 10, "body_bytes": 100} | limits)
        self.dispatched: dict[FakeSocket, tuple[Connection, FramedRequest]] = {}
        self.connections: dict[FakeSocket, Connection] = {}
        self.wakes: deque[Connection] = deque()
        self.calls: deque[Callable[[], None]] = deque()
        """What threads have the loop call at once."""
        self.loop = EventLoop(
            self.poller,
            self.limits,
            self._dispatch,
            lambda call: call(),
            self.calls.append,
            self.clock,
        )

    def connect(self, *pieces: bytes, sock: FakeSocket | None = None) -> FakeSocket:
        """Have a client connect, which has sent these pieces already."""
        sock = sock or FakeSocket()
        self.poller.sockets[sock.fileno()] = sock
        sock.arrives(*pieces)
        self.loop.add(sock, ("client", 1), ("server", 2))
        self._note(sock)
        return sock

    def turn(self, seconds: float = 0.0) -> None:
        """Let time pass, and the event loop see it."""
        self.clock.now += seconds
        while self.wakes:
            self.loop.send_stream(self.wakes.popleft())
        self.loop.poll(0)

    def receive(self, sock: FakeSocket, *pieces: bytes) -> None:
        """Have pieces arrive one after the other."""
        for piece in pieces:
            sock.arrives(piece)
            self.turn()

    def answer(self, sock: FakeSocket, data: bytes = b"answer", *, keep_alive: bool = True) -> None:
        """Answer the request of a connection, as a thread would."""
        conn, _ = self.dispatched.pop(sock)
        conn.sock.sendall(data)
        self.loop.finish(conn, keep_alive=keep_alive)
        self.wake()

    def wake(self) -> None:
        """Let the loop make the calls that threads asked for; it is taken to be asleep else."""
        while self.calls:
            self.calls.popleft()()

    def open_stream(
        self, sock: FakeSocket, on_close: Callable[[], None], farewell: bytes = b""
    ) -> Stream | None:
        """Open a stream on a dispatched connection, as its thread would."""
        conn, _ = self.dispatched[sock]
        return self.loop.open_stream(conn, lambda: self.wakes.append(conn), on_close, farewell)

    def state(self, sock: FakeSocket) -> State:
        """Where a connection stands."""
        return self._note(sock).state

    def _note(self, sock: FakeSocket) -> Connection:
        for fileobj, (_, data) in self.poller.watched.items():
            if fileobj.fileno() == sock.fileno():
                self.connections[sock] = data.args[0]
        return self.connections[sock]

    def _dispatch(self, conn: Connection, request: FramedRequest) -> None:
        sock: FakeSocket = conn.sock._sock
        self.connections[sock] = conn
        self.dispatched[sock] = (conn, request)


LINE = b"POST / HTTP/1.1\r\nHost: localhost\r\n"
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
SIZED = LINE + b"Content-Length: 4\r\n\r\n"
EXPECTING = LINE + b"Expect: 100-continue\r\nContent-Length: 4\r\n\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
RECEIVING = {State.IDLE: (), State.HEAD: (LINE,), State.BODY: (SIZED + b"fo",)}


def connected_in(worker: FakeWorker, state: State) -> FakeSocket:
    """A connection that has come to a state by itself."""
    sock = worker.connect(*RECEIVING.get(state, (GET,)))
    if state is State.SENDING:
        sock.room = 3
        worker.answer(sock)
    elif state is State.LINGERING:
        worker.answer(sock, keep_alive=False)
    elif state is State.STREAMING:
        begin_stream(worker, sock)
    assert worker.state(sock) is state
    return sock


def begin_stream(worker: FakeWorker, sock: FakeSocket) -> None:
    stream = worker.open_stream(sock, lambda: None)
    assert stream is not None
    stream.opened(is_chunked=True)
    worker.answer(sock, b"head")


WAITING = [*RECEIVING, State.SENDING, State.LINGERING, State.STREAMING]
