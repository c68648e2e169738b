"""The event loop at its limits and at the stop, without a network."""

from __future__ import annotations

import pytest

from service.runtime.worker.connection import BufferedSocket, State
from tests.runtime.worker.fakes import (
    GET,
    LINE,
    SIZED,
    WAITING,
    FakeSocket,
    FakeWorker,
    connected_in,
)

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
