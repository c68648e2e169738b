"""The states of connections, without a network: every transition, deadline and limit."""

from __future__ import annotations

import selectors
from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from service.runtime.connection import BufferedSocket, State
from tests.runtime.fakes import FakeSocket, FakeWorker
from tests.scale import scaled

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


# From state to state


def test_a_request_goes_through_every_part_and_its_connection_is_kept() -> None:
    worker = FakeWorker()
    sock = worker.connect()
    states = [worker.state(sock)]
    for piece in (LINE, b"Content-Length: 4\r\n\r\n", b"fo", b"ur"):
        worker.receive(sock, piece)
        states.append(worker.state(sock))
    assert states == [State.IDLE, State.HEAD, State.BODY, State.BODY, State.DISPATCHED]

    _, request = worker.dispatched[sock]
    assert request.data == SIZED + b"four"
    assert request.is_complete
    sock.room = 4
    worker.answer(sock, b"answer")
    assert worker.state(sock) is State.SENDING
    assert sock.sent == b"answ"

    sock.room = 1
    worker.turn()
    assert worker.state(sock) is State.SENDING
    sock.room = 9
    worker.turn()
    assert sock.sent == b"answer"
    assert worker.state(sock) is State.IDLE
    assert not worker.loop.is_empty


def test_a_request_that_is_there_at_once_is_dispatched_at_once() -> None:
    worker = FakeWorker()

    sock = worker.connect(SIZED + b"four")

    assert worker.state(sock) is State.DISPATCHED
    assert not worker.poller.watched


def test_the_event_loop_does_not_read_while_a_thread_answers() -> None:
    worker = FakeWorker()
    sock = worker.connect(GET)

    worker.receive(sock, GET, GET)

    assert len(worker.dispatched) == 1
    assert sock.is_readable


def test_requests_that_were_sent_at_once_are_answered_one_by_one() -> None:
    worker = FakeWorker()
    sock = worker.connect(GET + SIZED + b"four" + GET[:9])

    for expected in (GET, SIZED + b"four"):
        assert worker.dispatched[sock][1].data == expected
        worker.answer(sock)

    assert worker.state(sock) is State.HEAD


def test_after_the_last_response_the_client_closes_first() -> None:
    worker = FakeWorker()
    sock = worker.connect(GET)

    worker.answer(sock, keep_alive=False)

    assert worker.state(sock) is State.LINGERING
    assert sock.is_shut
    worker.receive(sock, b"what it sent meanwhile is thrown away")
    assert worker.state(sock) is State.LINGERING
    worker.receive(sock, b"")
    assert worker.state(sock) is State.CLOSED
    assert not sock.is_open
    assert worker.loop.is_empty


def test_a_response_that_is_not_taken_at_once_is_sent_before_the_end() -> None:
    worker = FakeWorker()
    sock = worker.connect(GET)
    sock.room = 0
    worker.answer(sock, keep_alive=False)
    assert worker.state(sock) is State.SENDING
    assert not sock.is_shut

    sock.room = 100
    worker.turn()

    assert sock.sent == b"answer"
    assert worker.state(sock) is State.LINGERING


@pytest.mark.parametrize(
    "pieces",
    [
        (b"GET / HTTP/1.1\n",),
        (LINE + b"Content-Length: 101\r\n\r\n",),
        (SIZED + b"fo", b""),
    ],
    ids=["broken", "too large", "broken off"],
)
def test_what_is_unparseable_is_dispatched_as_that(pieces: tuple[bytes, ...]) -> None:
    worker = FakeWorker()
    sock = worker.connect()

    worker.receive(sock, *pieces)

    _, request = worker.dispatched[sock]
    assert not request.is_complete
    assert request.data == b"".join(pieces)


@pytest.mark.parametrize("state", [State.IDLE, State.HEAD])
def test_a_client_that_leaves_without_a_whole_head_gets_nothing(state: State) -> None:
    worker = FakeWorker()
    sock = connected_in(worker, state)

    worker.receive(sock, b"")

    assert worker.state(sock) is State.CLOSED
    assert not sock.sent
    assert not worker.dispatched


def test_100_continue_is_sent_once_if_the_body_is_not_there() -> None:
    worker = FakeWorker()
    sock = worker.connect()
    worker.receive(sock, EXPECTING[:20], EXPECTING[20:])
    assert sock.sent == CONTINUE

    worker.receive(sock, b"fo", b"ur")

    assert sock.sent == CONTINUE
    assert worker.dispatched[sock][1].data == SIZED + b"four"


def test_100_continue_is_not_sent_if_the_body_is_there_or_is_refused() -> None:
    worker = FakeWorker()
    complete = worker.connect(EXPECTING + b"four")
    refused = worker.connect(EXPECTING.replace(b"4", b"101"))

    assert not complete.sent
    assert not refused.sent
    assert len(worker.dispatched) == 2


@pytest.mark.parametrize("state", WAITING)
def test_a_reset_of_the_client_ends_a_connection_in_any_state(state: State) -> None:
    worker = FakeWorker()
    sock = connected_in(worker, state)

    sock.client_is_gone = True
    worker.turn()

    if state is State.BODY:  # a body that breaks off gets a response, in vain
        worker.dispatched.pop(sock)
        worker.loop.finish(worker.connections[sock], keep_alive=False)
    assert worker.state(sock) is State.CLOSED
    assert worker.loop.is_empty
    assert not worker.poller.watched


# Deadlines


@pytest.mark.parametrize(
    ("state", "limit"),
    [
        (State.IDLE, "head_seconds"),
        (State.HEAD, "head_seconds"),
        (State.BODY, "body_seconds"),
        (State.SENDING, "response_seconds"),
        (State.LINGERING, "linger_seconds"),
    ],
)
def test_every_state_ends_at_its_deadline(state: State, limit: str) -> None:
    worker = FakeWorker(**{limit: 30.0})
    sock = connected_in(worker, state)
    worker.turn(29.9)
    assert worker.state(sock) is state

    worker.turn(0.5)

    if state in {State.HEAD, State.BODY}:
        assert sock.sent.startswith(b"HTTP/1.1 408 ")
        assert worker.state(sock) is State.LINGERING
    else:
        assert worker.state(sock) is State.CLOSED


@pytest.mark.parametrize(
    ("begun", "rest"),
    [(LINE, b"X: yyyyyyyyyyyy"), (LINE + b"Content-Length: 99\r\n\r\n", b"x" * 15)],
)
def test_bytes_one_by_one_gain_no_time(begun: bytes, rest: bytes) -> None:
    worker = FakeWorker(head_seconds=10.0, body_seconds=10.0)
    sock = worker.connect(begun)
    for byte in rest:
        worker.receive(sock, bytes([byte]))
        worker.turn(1.0)

    assert sock.sent.startswith(b"HTTP/1.1 408 ")


def test_a_kept_connection_is_closed_after_the_announced_time_and_a_margin() -> None:
    worker = FakeWorker(keepalive_seconds=75.0, keepalive_margin_seconds=5.0)
    sock = worker.connect(GET)
    worker.answer(sock)

    worker.turn(79.9)
    assert worker.state(sock) is State.IDLE
    worker.turn(0.5)
    assert worker.state(sock) is State.CLOSED


def test_a_request_that_arrives_at_the_deadline_is_answered() -> None:
    worker = FakeWorker()
    sock = worker.connect(GET)
    worker.answer(sock)
    # It arrives after the poller was asked and before the connection would be closed.
    select = worker.poller.select

    def arrives_late(timeout: float | None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = select(timeout)
        sock.arrives(GET)
        return ready

    worker.poller.select = arrives_late
    worker.turn(100.0)

    assert worker.state(sock) is State.DISPATCHED


def test_a_request_that_begins_at_the_last_moment_has_all_its_time() -> None:
    worker = FakeWorker(head_seconds=10.0)
    sock = worker.connect()
    worker.clock.now += 9.9
    worker.receive(sock, LINE)

    worker.turn(9.9)
    assert worker.state(sock) is State.HEAD
    worker.turn(0.5)
    assert worker.state(sock) is State.LINGERING


def test_deadlines_are_looked_at_twice_a_second() -> None:
    worker = FakeWorker(head_seconds=10.0, expiry_seconds=0.5)
    sock = worker.connect()
    worker.turn(9.9)
    worker.turn(0.2)
    assert sock.is_open

    worker.turn(0.3)

    assert not sock.is_open


# Limits


def test_what_is_sent_later_does_not_overtake_what_is_unsent() -> None:
    fake = FakeSocket()
    sock = BufferedSocket(fake)
    fake.room = 2
    sock.sendall(b"abc")
    fake.room = 100
    sock.sendall(b"def")
    assert fake.sent == b"ab"
    assert sock.unsent == 4

    sock.flush()

    assert fake.sent == b"abcdef"


def test_when_the_worker_is_full_the_longest_idle_connection_is_closed() -> None:
    worker = FakeWorker(connections=3, idle_grace_seconds=2.0)
    half = worker.connect(LINE)
    worker.clock.now += 1.0
    first, second = worker.connect(), worker.connect()
    worker.clock.now += 2.0

    fourth = worker.connect()

    assert [half.is_open, first.is_open, second.is_open, fourth.is_open] == [
        True,
        False,
        True,
        True,
    ]


def test_when_the_worker_is_full_a_connection_used_just_now_outlasts_half_a_request() -> None:
    worker = FakeWorker(connections=2, idle_grace_seconds=2.0)
    half = worker.connect(LINE)
    worker.clock.now += 5.0
    kept = worker.connect(GET)
    worker.answer(kept)

    worker.connect()

    assert not half.is_open
    assert kept.is_open


def test_when_all_were_used_just_now_the_longest_waiting_is_closed() -> None:
    worker = FakeWorker(connections=2, idle_grace_seconds=2.0)
    idle = worker.connect()
    worker.clock.now += 0.5
    half = worker.connect(LINE)
    worker.clock.now += 0.5

    worker.connect()

    assert not idle.is_open
    assert half.is_open


def test_a_body_has_waited_since_its_head_began() -> None:
    worker = FakeWorker(connections=2)
    first = worker.connect(LINE)
    worker.clock.now += 0.5
    second = worker.connect(LINE)
    worker.clock.now += 0.5
    worker.receive(first, b"Content-Length: 4\r\n\r\n")

    worker.connect()

    assert not first.is_open
    assert second.is_open


def test_a_request_that_begins_after_long_silence_is_not_the_longest_waiting() -> None:
    worker = FakeWorker(connections=2, head_seconds=100.0)
    silent = worker.connect()
    worker.clock.now += 50.0
    half = worker.connect(LINE)
    worker.clock.now += 1.0
    worker.receive(silent, LINE)

    worker.connect()

    assert silent.is_open
    assert not half.is_open


def test_neither_dispatched_connections_nor_streams_are_closed_for_room() -> None:
    worker = FakeWorker(connections=2)
    stream = connected_in(worker, State.STREAMING)
    busy = [worker.connect(GET), worker.connect(GET)]
    assert not worker.loop.is_full

    worker.connect(GET)

    assert worker.loop.is_full
    assert not worker.loop.evict()
    assert all(sock.is_open for sock in (stream, *busy))


def test_all_unsent_bytes_together_have_a_limit() -> None:
    worker = FakeWorker(unsent_bytes=250)
    socks = []
    for _ in range(4):
        sock = worker.connect(GET)
        sock.room = 0
        worker.answer(sock, b"x" * 100)
        socks.append(sock)
        worker.clock.now += 1.0

    assert [sock.is_open for sock in socks] == [False, False, True, True]


# Stop


@pytest.mark.parametrize("state", [State.IDLE, State.HEAD, State.BODY])
def test_what_arrives_after_the_stop_has_little_time(state: State) -> None:
    worker = FakeWorker(stop_seconds=2.0)
    sock = connected_in(worker, state)
    worker.loop.stop()
    worker.turn(1.9)
    assert worker.state(sock) is state

    worker.turn(0.5)

    assert not sock.is_open
    assert sock.sent.startswith(b"HTTP/1.1 408 ") == (state is not State.IDLE)


@pytest.mark.parametrize("part", [LINE, SIZED])
def test_a_part_that_comes_after_the_stop_gains_no_time(part: bytes) -> None:
    worker = FakeWorker(stop_seconds=2.0)
    sock = worker.connect()
    worker.loop.stop()
    worker.clock.now += 1.0
    worker.receive(sock, part)
    assert worker.state(sock) in {State.HEAD, State.BODY}

    worker.turn(1.0)

    assert not sock.is_open


@pytest.mark.parametrize("state", [State.IDLE, State.HEAD, State.BODY])
def test_a_request_that_is_complete_after_the_stop_is_answered(state: State) -> None:
    worker = FakeWorker()
    sock = connected_in(worker, state)
    worker.loop.stop()
    rest = {State.IDLE: GET, State.HEAD: b"\r\n", State.BODY: b"ur"}[state]

    worker.receive(sock, rest)
    worker.answer(sock, keep_alive=False)

    assert sock.sent == b"answer"
    assert worker.state(sock) is State.LINGERING
    worker.turn(3.0)
    assert worker.loop.is_empty


def test_a_connection_taken_in_after_the_stop_has_little_time() -> None:
    worker = FakeWorker(stop_seconds=2.0)
    worker.loop.stop()
    sock = worker.connect()

    worker.turn(2.5)

    assert not sock.is_open


def test_a_response_that_is_sent_at_the_stop_keeps_its_time() -> None:
    worker = FakeWorker(stop_seconds=2.0, response_seconds=60.0)
    sock = connected_in(worker, State.SENDING)
    worker.loop.stop()
    worker.turn(30.0)
    sock.room = 100

    worker.turn()

    assert sock.sent == b"answer"


def test_a_thread_that_answers_at_the_stop_is_waited_for() -> None:
    worker = FakeWorker()
    sock = worker.connect(GET)
    worker.loop.stop()
    worker.turn(100.0)
    assert not worker.loop.is_empty

    worker.answer(sock, keep_alive=True)

    assert sock.sent == b"answer"
    worker.turn(3.0)
    assert worker.loop.is_empty


@pytest.mark.parametrize("state", WAITING)
def test_the_last_close_leaves_nothing_open(state: State) -> None:
    worker = FakeWorker()
    sock = connected_in(worker, state)

    worker.loop.close()

    assert not sock.is_open
    assert worker.loop.is_empty
    assert not worker.poller.watched


# Any order of anything

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
    def exactly_the_open_ones_are_watched(self) -> None:
        watched = {fileobj.fileno() for fileobj in self.worker.poller.watched}
        is_open = {
            sock.fileno()
            for sock in self.all
            if sock.is_open and sock not in self.worker.dispatched
        }
        assert watched == is_open

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
