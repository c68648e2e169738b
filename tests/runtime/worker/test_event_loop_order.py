"""The event loop under any order of what clients, threads and time do."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from tests.runtime.worker.fakes import EXPECTING, GET, LINE, SIZED, FakeSocket, FakeWorker
from tests.scale import scaled

PIECES = [GET, GET[:9], GET[9:], SIZED, b"four", b"fo", LINE, b"\r\n", b"\n", EXPECTING, b"x" * 90]


class AnyOrder(RuleBasedStateMachine):
    """Whatever clients, threads and time do: all is counted right, and all ends."""

    socks = Bundle("socks")

    def __init__(self) -> None:
        super().__init__()
        self.worker = FakeWorker(
            connections=4, streams=2, unsent_bytes=20, stream_unsent_bytes=10, head_seconds=10.0
        )
        self.all: list[FakeSocket] = []
        self.closed_streams = 0
        self.opened_streams = 0

    @rule(target=socks, pieces=st.lists(st.sampled_from(PIECES), max_size=2))
    def connect(self, pieces: list[bytes]) -> FakeSocket:
        sock = FakeSocket()
        self.all.append(sock)
        return self.worker.connect(*pieces, sock=sock)

    @rule(sock=socks, piece=st.sampled_from([*PIECES, b""]))
    def client_sends(self, sock: FakeSocket, piece: bytes) -> None:
        sock.arrives(piece)

    @rule(sock=socks, room=st.sampled_from([0, 1, 5, 1_000]))
    def client_takes(self, sock: FakeSocket, room: int) -> None:
        sock.room = room

    @rule(sock=socks)
    def client_resets(self, sock: FakeSocket) -> None:
        sock.client_is_gone = True

    @rule(seconds=st.sampled_from([0.0, 0.3, 1.0, 5.0, 30.0, 90.0]))
    def turn(self, seconds: float) -> None:
        self.worker.turn(seconds)

    @rule(sock=socks, size=st.sampled_from([0, 1, 15]), keep_alive=st.booleans())
    def thread_answers(self, sock: FakeSocket, size: int, keep_alive: bool) -> None:
        if sock in self.worker.dispatched:
            self._answer(sock, size, keep_alive)

    def _answer(self, sock: FakeSocket, size: int, keep_alive: bool) -> None:
        conn, _ = self.worker.dispatched.pop(sock)
        try:
            conn.sock.sendall(b"x" * size)
        except OSError:
            keep_alive = False
        self.worker.loop.finish(conn, keep_alive=keep_alive)
        self.worker.wake()

    @rule(sock=socks, chunked=st.booleans())
    def thread_opens_a_stream(self, sock: FakeSocket, chunked: bool) -> None:
        if sock not in self.worker.dispatched:
            return
        stream = self.worker.open_stream(sock, self._stream_closed)
        if stream is not None:
            self.opened_streams += 1
            stream.opened(is_chunked=chunked)
            self._answer(sock, 0, keep_alive=True)

    def _stream_closed(self) -> None:
        self.closed_streams += 1

    @rule(sock=socks, size=st.integers(0, 12), ends=st.booleans())
    def application_sends(self, sock: FakeSocket, size: int, ends: bool) -> None:
        conn = self.worker.connections.get(sock)
        if conn is not None and conn.stream is not None:
            conn.stream.send(b"x" * size)
            if ends:
                conn.stream.end()

    @rule()
    def stop(self) -> None:
        self.worker.loop.stop()

    @invariant()
    def the_open_ones_that_no_thread_has_are_watched_and_no_closed_one(self) -> None:
        watched = {fileobj.fileno() for fileobj in self.worker.poller.watched}
        is_open = {sock.fileno() for sock in self.all if sock.is_open}
        with_threads = {sock.fileno() for sock in self.worker.dispatched}
        assert is_open - with_threads <= watched <= is_open

    @invariant()
    def every_open_stream_is_counted(self) -> None:
        streams = sum(conn.stream is not None for conn in self.worker.connections.values())
        assert streams == self.opened_streams - self.closed_streams <= 2

    def teardown(self) -> None:
        for _ in range(20):
            for sock in list(self.worker.dispatched):
                self._answer(sock, 0, keep_alive=False)
            self.worker.loop.stop()
            self.worker.turn(100.0)
        assert self.worker.loop.is_empty
        assert not any(sock.is_open for sock in self.all)
        assert self.opened_streams == self.closed_streams


TestAnyOrder: Callable[..., object] = AnyOrder.TestCase
AnyOrder.TestCase.settings = settings(
    max_examples=scaled(500), stateful_step_count=40, deadline=None
)
