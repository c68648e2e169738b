"""Streams: responses that go on without a thread, first without a network."""

from __future__ import annotations

import errno
import socket

import pytest

from service.runtime.worker.connection import State
from service.runtime.worker.streams import Stream
from tests.runtime.worker.fakes import FakeSocket, FakeWorker

GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
END = b"0\r\n\r\n"


class Streaming:
    """A worker with one stream, opened by the request of one connection."""

    def __init__(self, *, is_chunked: bool = True, **limits: float) -> None:
        self.worker = FakeWorker(**limits)
        self.closed = 0
        self.sock, self.stream = self.open(is_chunked=is_chunked)

    def open(self, *, is_chunked: bool = True) -> tuple[FakeSocket, Stream]:
        sock = self.worker.connect(GET)
        stream = self.worker.open_stream(sock, self._closed)
        assert stream is not None
        stream.opened(is_chunked=is_chunked)
        self.worker.answer(sock, b"head;")
        assert self.worker.state(sock) is State.STREAMING
        return sock, stream

    def _closed(self) -> None:
        self.closed += 1


def test_what_is_sent_later_reaches_the_client_and_wakes_the_event_loop_once() -> None:
    one = Streaming()

    assert one.stream.send(b"event")
    assert one.stream.send(b"s")
    assert len(one.worker.wakes) == 1
    one.worker.turn()
    assert one.stream.send(b"more")
    one.worker.turn()

    assert one.sock.sent == b"head;6\r\nevents\r\n4\r\nmore\r\n"


def test_nothing_empty_is_sent_which_would_end_a_chunked_body() -> None:
    one = Streaming()

    one.stream.send(b"")
    one.worker.turn()

    assert one.sock.sent == b"head;"


def test_what_is_sent_before_the_head_comes_after_it() -> None:
    worker = FakeWorker()
    sock = worker.connect(GET)
    stream = worker.open_stream(sock, lambda: None)
    assert stream is not None
    stream.send(b"early")
    worker.turn()
    assert not sock.sent

    stream.opened(is_chunked=True)
    worker.answer(sock, b"head;")

    assert sock.sent == b"head;5\r\nearly\r\n"


def test_after_the_end_of_a_chunked_body_the_connection_serves_the_next_request() -> None:
    one = Streaming()
    one.stream.send(b"last")
    one.stream.end()
    one.worker.turn()

    assert one.sock.sent == b"head;4\r\nlast\r\n" + END
    assert one.worker.state(one.sock) is State.IDLE
    assert one.closed == 1
    assert not one.stream.send(b"too late")
    one.worker.receive(one.sock, GET)
    assert one.worker.state(one.sock) is State.DISPATCHED


def test_a_body_that_is_not_chunked_ends_with_its_connection() -> None:
    one = Streaming(is_chunked=False)
    one.worker.connections[one.sock].keep_alive = False  # as HTTP/1.0 has it
    one.stream.send(b"plain")
    one.stream.end()
    one.worker.turn()

    assert one.sock.sent == b"head;plain"
    assert one.worker.state(one.sock) is State.LINGERING


def test_a_client_that_is_gone_at_the_end_of_a_body_leaves_no_connection_counted() -> None:
    class LostSocket(FakeSocket):
        def shutdown(self, _how: int) -> None:
            raise OSError(errno.ENOTCONN, "not connected")

    worker = FakeWorker()
    sock = worker.connect(GET, sock=LostSocket())
    stream = worker.open_stream(sock, lambda: None)
    assert stream is not None
    stream.opened(is_chunked=False)
    worker.answer(sock, b"head;", keep_alive=False)
    stream.end()
    worker.turn()

    assert worker.state(sock) is State.CLOSED
    assert worker.loop.is_empty


def test_an_end_that_comes_before_the_head_ends_the_response() -> None:
    worker = FakeWorker()
    sock = worker.connect(GET)
    stream = worker.open_stream(sock, lambda: None)
    assert stream is not None
    stream.send(b"all")
    stream.end()
    stream.opened(is_chunked=True)

    worker.answer(sock, b"head;")

    assert sock.sent == b"head;3\r\nall\r\n" + END
    assert worker.state(sock) is State.IDLE


@pytest.mark.parametrize("is_reset", [True, False])
def test_a_client_that_leaves_closes_the_stream_and_the_application_is_told(is_reset: bool) -> None:
    one = Streaming()
    if is_reset:
        one.sock.client_is_gone = True
    else:
        one.sock.arrives(b"")

    one.worker.turn()

    assert one.closed == 1
    assert not one.sock.is_open
    assert not one.stream.send(b"to nobody")
    assert one.worker.loop.is_empty


def test_a_request_before_the_end_is_not_answered_and_its_connection_is_not_kept() -> None:
    one = Streaming()
    one.worker.receive(one.sock, GET)
    one.stream.end()
    one.worker.turn()

    assert one.sock.sent == b"head;" + END
    assert one.worker.state(one.sock) is State.LINGERING
    assert not one.worker.dispatched


def test_a_client_that_reads_slowly_gets_everything_in_the_end() -> None:
    one = Streaming()
    one.sock.room = 2
    one.stream.send(b"event")
    one.worker.turn()
    one.stream.send(b"more")
    one.worker.turn()
    assert one.sock.sent == b"head;5\r"

    one.sock.room = 1_000
    one.worker.turn()

    assert one.sock.sent == b"head;5\r\nevent\r\n4\r\nmore\r\n"
    assert one.worker.state(one.sock) is State.STREAMING


@pytest.mark.parametrize("size", [1, 40])
def test_a_client_that_takes_too_little_is_disconnected(size: int) -> None:
    one = Streaming(stream_unsent_bytes=30)
    one.sock.room = 0
    for _ in range(40):
        one.stream.send(b"x" * size)
        one.worker.turn()

    assert not one.sock.is_open
    assert one.closed == 1
    assert not one.stream.send(b"x")


def test_what_waits_for_the_event_loop_is_bounded_too() -> None:
    one = Streaming(stream_unsent_bytes=30)

    accepted = [one.stream.send(b"x" * 10) for _ in range(5)]
    one.worker.turn()

    assert accepted == [True, True, True, True, False]
    assert not one.sock.is_open
    assert one.closed == 1


def test_one_message_may_have_more_than_may_be_unsent() -> None:
    one = Streaming(stream_unsent_bytes=30)
    one.sock.room = 50
    assert one.stream.send(b"x" * 100)
    for _ in range(4):
        one.worker.turn()
        one.sock.room = 20

    one.worker.turn()

    assert one.sock.is_open
    assert one.sock.sent == b"head;64\r\n" + b"x" * 100 + b"\r\n"


def test_who_has_not_taken_a_long_message_when_more_comes_is_disconnected() -> None:
    one = Streaming(stream_unsent_bytes=30)
    one.sock.room = 50
    one.stream.send(b"x" * 100)
    one.worker.turn()

    one.stream.send(b"x")
    one.worker.turn()

    assert not one.sock.is_open
    assert one.closed == 1


@pytest.mark.parametrize("is_first", [True, False])
def test_the_application_and_a_stop_do_not_both_complete_a_body(is_first: bool) -> None:
    worker = FakeWorker()
    sock = worker.connect(GET)
    stream = worker.open_stream(sock, lambda: None, b"empty page")
    assert stream is not None
    stream.opened(is_chunked=True)
    worker.answer(sock, b"head;")
    if is_first:
        stream.end(b"page")
    worker.loop.stop()
    stream.end(b"page")
    worker.turn()

    body = b"4\r\npage\r\n" if is_first else b"A\r\nempty page\r\n"
    assert sock.sent == b"head;" + body + END


def test_a_client_that_takes_nothing_for_long_is_disconnected() -> None:
    one = Streaming(response_seconds=60.0)
    one.sock.room = 0
    one.stream.send(b"x")
    one.worker.turn()
    one.worker.turn(59.0)
    assert one.sock.is_open

    one.worker.turn(2.0)

    assert not one.sock.is_open
    assert one.closed == 1


def test_a_client_that_has_taken_everything_has_its_time_anew() -> None:
    one = Streaming(response_seconds=60.0)
    for _ in range(3):
        one.sock.room = 0
        one.stream.send(b"x")
        one.worker.turn()
        one.worker.turn(59.0)
        one.sock.room = 100
        one.worker.turn()
        one.worker.turn(59.0)

    assert one.sock.is_open


def test_a_silent_stream_has_no_deadline() -> None:
    one = Streaming()

    one.worker.turn(1e6)

    assert one.worker.state(one.sock) is State.STREAMING


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="Linux")
def test_a_client_that_has_vanished_is_noticed_by_what_it_does_not_acknowledge() -> None:
    one = Streaming(response_seconds=60.0)

    assert one.sock.options == {(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT): 60_000}


def test_streams_have_a_cap_of_their_own() -> None:
    one = Streaming(streams=2, connections=1)
    one.open()
    sock = one.worker.connect(GET)
    assert one.worker.open_stream(sock, lambda: None) is None
    one.worker.answer(sock, b"429")

    one.stream.end()
    one.worker.turn()

    one.open()


def test_a_request_opens_one_stream_at_most() -> None:
    worker = FakeWorker(streams=2)
    sock = worker.connect(GET)
    assert worker.open_stream(sock, lambda: None) is not None

    assert worker.open_stream(sock, lambda: None) is None


def test_a_stream_whose_response_has_no_open_body_is_closed_at_once() -> None:
    worker = FakeWorker(streams=1)
    closed = []
    sock = worker.connect(GET)
    stream = worker.open_stream(sock, lambda: closed.append(True))
    assert stream is not None

    worker.answer(sock, b"an error")

    assert closed == [True]
    assert not stream.send(b"x")
    assert worker.state(sock) is State.IDLE
    assert sock.sent == b"an error"


def test_at_the_stop_streams_end_cleanly() -> None:
    one = Streaming()
    one.stream.send(b"last")

    one.worker.loop.stop()

    assert one.sock.sent == b"head;4\r\nlast\r\n" + END
    assert one.closed == 1
    assert one.worker.state(one.sock) is State.LINGERING
    one.worker.turn(3.0)
    assert one.worker.loop.is_empty


def test_a_stream_that_begins_after_the_stop_ends_at_once() -> None:
    worker = FakeWorker()
    sock = worker.connect(GET)
    stream = worker.open_stream(sock, lambda: None)
    assert stream is not None
    stream.opened(is_chunked=True)
    worker.loop.stop()

    worker.answer(sock, b"head;")

    assert sock.sent == b"head;" + END
    assert worker.state(sock) is State.LINGERING


def test_a_wake_after_the_end_of_a_stream_does_nothing() -> None:
    one = Streaming()
    one.stream.end()
    conn = one.worker.wakes[0]
    one.worker.turn()
    sent = bytes(one.sock.sent)

    one.worker.loop.send_stream(conn)

    assert one.sock.sent == sent
    assert one.worker.state(one.sock) is State.IDLE


def test_a_stop_completes_what_the_application_has_not_ended() -> None:
    worker = FakeWorker()
    open_socks = []
    for ends in (False, True):
        sock = worker.connect(GET)
        stream = worker.open_stream(sock, lambda: None, b"farewell")
        assert stream is not None
        stream.opened(is_chunked=True)
        worker.answer(sock, b"head;")
        if ends:
            stream.send(b"whole")
            stream.end()
        open_socks.append(sock)

    worker.loop.stop()

    assert open_socks[0].sent == b"head;8\r\nfarewell\r\n" + END
    assert open_socks[1].sent == b"head;5\r\nwhole\r\n" + END
