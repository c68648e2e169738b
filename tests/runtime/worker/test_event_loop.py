"""The states of connections, without a network: every transition and every deadline."""

from __future__ import annotations

import selectors

import pytest

from service.runtime.worker.connection import State
from tests.runtime.worker.fakes import (
    CONTINUE,
    EXPECTING,
    GET,
    LINE,
    SIZED,
    WAITING,
    FakeSocket,
    FakeWorker,
    connected_in,
)

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
        worker.wake()
    assert worker.state(sock) is State.CLOSED
    assert worker.loop.is_empty
    assert not worker.poller.watched


# Back from a thread


def finished(worker: FakeWorker, sock: FakeSocket, data: bytes, *, keep_alive: bool) -> bool:
    """Whether the loop is woken by the end of a request."""
    conn, _ = worker.dispatched.pop(sock)
    conn.sock.sendall(data)
    worker.loop.finish(conn, keep_alive=keep_alive)
    return bool(worker.calls)


def test_a_connection_that_only_idles_is_taken_back_at_the_next_event() -> None:
    worker = FakeWorker()
    sock = worker.connect()
    worker.receive(sock, GET)

    assert not finished(worker, sock, b"answer", keep_alive=True)
    assert worker.state(sock) is State.DISPATCHED
    worker.receive(sock, GET)
    assert sock in worker.dispatched
    assert not finished(worker, sock, b"answer", keep_alive=True)
    worker.turn()
    assert worker.state(sock) is State.IDLE


def test_the_loop_is_woken_to_close_to_send_the_rest_and_for_a_request_that_is_there() -> None:
    worker = FakeWorker()
    closing, slow, eager, early = (worker.connect() for _ in range(4))
    for sock, pieces in ((closing, GET), (slow, GET), (eager, GET + GET), (early, GET)):
        worker.receive(sock, pieces)
    slow.room = 3
    worker.receive(early, LINE)  # before its answer: the loop stops watching it

    for sock in (closing, slow, eager, early):
        assert finished(worker, sock, b"answer", keep_alive=sock is not closing)
        worker.wake()

    assert worker.state(closing) is State.LINGERING
    assert worker.state(slow) is State.SENDING
    assert eager in worker.dispatched
    worker.turn()
    assert worker.state(early) is State.HEAD


def test_bytes_that_come_while_the_thread_finishes_do_not_sleep() -> None:
    worker = FakeWorker()
    sock = worker.connect()
    worker.receive(sock, GET)
    conn = worker.connections[sock]

    assert not finished(worker, sock, b"answer", keep_alive=True)
    worker.loop._on_event(conn)  # the loop saw the bytes before it saw the end

    assert worker.state(sock) is State.IDLE


def test_at_the_stop_every_end_of_a_request_wakes_the_loop() -> None:
    worker = FakeWorker()
    before, after = worker.connect(), worker.connect()
    worker.receive(before, GET)
    worker.receive(after, GET)

    assert not finished(worker, before, b"answer", keep_alive=True)
    worker.loop.stop()
    assert worker.state(before) is State.IDLE
    assert finished(worker, after, b"answer", keep_alive=True)


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
