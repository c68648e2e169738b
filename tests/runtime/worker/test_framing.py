"""Where requests end, however their bytes are cut into pieces."""

from __future__ import annotations

import itertools
import socket
from collections.abc import Callable
from time import thread_time

import pytest
from gunicorn.config import Config
from hypothesis import assume, given
from hypothesis import strategies as st

from service.runtime.worker.connection import BufferedSocket, Connection
from service.runtime.worker.exchange import BodyReader, Exchange, UnreadableBodyError
from service.runtime.worker.framing import MAX_HEAD_BYTES, Progress, RequestFraming

MAX_BODY = 100
LINE = b"POST / HTTP/1.1\r\nHost: localhost\r\n"
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
SIZED = LINE + b"Content-Length: 4\r\n\r\n"
CHUNKED = LINE + b"Transfer-Encoding: chunked\r\n\r\n"
COMPLETE = [
    GET,
    b"GET / HTTP/1.0\r\n\r\n",
    b"\r\n" + GET,
    SIZED + b"four",
    LINE + b"content-LENGTH:0\r\n\r\n",
    CHUNKED + b"0\r\n\r\n",
    CHUNKED + b"4;name=value\r\nfour\r\n9\r\n\r\n\r\n0\r\n\r\n\r\n0\r\nTrailer: one\r\n\r\n",
    CHUNKED + b"1\r\nx\r\n" * MAX_BODY + b"0\r\n\r\n",
]
UNPARSEABLE = {
    "a body too large": LINE + b"Content-Length: 101\r\n\r\n",
    "a length without end": LINE + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n",
    "two lengths": LINE + b"Content-Length: 4\r\nContent-Length: 4\r\n\r\n",
    "length and chunks": LINE + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n",
    "no number": LINE + b"Content-Length: +4\r\n\r\n",
    "another coding": LINE + b"Transfer-Encoding: gzip\r\n\r\n",
    "another expectation": LINE + b"Expect: wonders\r\n\r\n",
    "a chunk without size": CHUNKED + b"\r\n",
    "a chunk of no number": CHUNKED + b"four\r\n",
    "a chunk of negative size": CHUNKED + b"-4\r\n",
    "too large a chunk": CHUNKED + b"FFFFFF\r\n" + b"x" * 1_126,
    "too many chunks": CHUNKED + b"1\r\nx\r\n" * 1_125,
    "a chunk's line without end": CHUNKED + b"4;" + b"x" * 8_192,
    "trailers without end": CHUNKED + b"0\r\n" + b"A: b\r\n" * 1_400,
    "a line that ends without CR": b"GET / HTTP/1.1\n",
    "a head without end": GET[:-2] + b"A: b\r\n" * (MAX_HEAD_BYTES // 6),
}


def received(*pieces: bytes) -> RequestFraming:
    framing = RequestFraming(MAX_BODY)
    for piece in pieces:
        framing.add(piece)
    return framing


@pytest.mark.parametrize("request_", COMPLETE)
def test_a_request_is_complete_with_its_last_byte(request_: bytes) -> None:
    assert received(request_[:-1]).progress in {Progress.HEAD, Progress.BODY}

    framing = received(request_[:-1], request_[-1:])

    assert framing.progress is Progress.COMPLETE
    assert framing.take().data == request_
    assert framing.progress is Progress.IDLE


@given(st.lists(st.sampled_from(COMPLETE), min_size=1, max_size=3), st.data())
def test_requests_that_follow_each_other_are_separated_in_any_pieces(
    sent: list[bytes], data: st.DataObject
) -> None:
    stream = b"".join(sent)
    cuts = data.draw(st.sets(st.integers(1, len(stream) - 1), max_size=8))
    framing = RequestFraming(MAX_BODY)
    taken = []
    for start, end in itertools.pairwise([0, *sorted(cuts), len(stream)]):
        framing.add(stream[start:end])
        while framing.progress is Progress.COMPLETE:
            taken.append(framing.take().data)

    assert taken == sent
    assert framing.progress is Progress.IDLE


@given(
    st.sampled_from([b"", b"GET / HTTP/1.1\r\n", CHUNKED + b"0\r\n"]),
    st.lists(st.sampled_from([b"\r", b"\n", b"\r\n", b"A"]), min_size=1, max_size=12),
    st.data(),
)
def test_a_line_that_ends_without_cr_is_taken_in_any_pieces(
    begun: bytes, signs: list[bytes], data: st.DataObject
) -> None:
    stream = begun + b"".join(signs)
    assume(stream.count(b"\r\n\r\n") == begun.count(b"\r\n\r\n"))
    cuts = data.draw(st.sets(st.integers(1, len(stream)), max_size=12))
    framing = RequestFraming(MAX_BODY)
    for start, end in itertools.pairwise([0, *sorted(cuts), len(stream)]):
        if framing.progress is not Progress.UNPARSEABLE:
            framing.add(stream[start:end])

    assert framing.progress is received(stream).progress


@pytest.mark.parametrize("request_", UNPARSEABLE.values(), ids=UNPARSEABLE)
def test_what_is_broken_or_too_large_is_unparseable(request_: bytes) -> None:
    framing = received(request_)

    assert framing.progress is Progress.UNPARSEABLE
    assert framing.take().data == request_


def test_what_comes_after_a_request_begins_the_next_one() -> None:
    framing = received(SIZED + b"four" + GET[:10])
    framing.take()
    assert framing.progress is Progress.HEAD

    framing.add(GET[10:])

    assert framing.take().data == GET


def test_expect_100_continue_is_seen_and_not_passed_on() -> None:
    framing = received(LINE + b"EXPECT: 100-Continue\r\nContent-Length: 4\r\n\r\n")
    assert framing.progress is Progress.BODY
    assert framing.expects_continue

    framing.add(b"four")

    assert framing.take().data == SIZED + b"four"
    assert not framing.expects_continue


def test_http_1_0_is_not_sent_100_continue() -> None:
    framing = received(b"POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")

    assert framing.progress is Progress.BODY
    assert not framing.expects_continue


@pytest.mark.parametrize(
    ("sent", "progress"),
    [
        (b"", Progress.DISCONNECTED),
        (GET[:20], Progress.DISCONNECTED),
        (SIZED + b"fo", Progress.UNPARSEABLE),
    ],
)
def test_only_a_body_that_breaks_off_gets_a_response(sent: bytes, progress: Progress) -> None:
    framing = received(sent) if sent else RequestFraming(MAX_BODY)

    framing.end()

    assert framing.progress is progress


def exchange(request: bytes, max_body: int) -> Exchange:
    """Give the parser a request that has arrived."""
    here, there = socket.socketpair()
    with here, there:
        conn = Connection(BufferedSocket(here), ("client", 1), ("server", 2), max_body)
    conn.framing.add(request)
    assert conn.framing.progress is Progress.COMPLETE
    return Exchange(Config(), conn, conn.framing.take())


@pytest.mark.parametrize("is_read", [True, False], ids=["read", "not read"])
@pytest.mark.parametrize("body", [1, 100, 8_191, 8_192, 8_193, 20_000])
@pytest.mark.parametrize("head", [500, 8_191, 8_192, 8_193, 16_384])
def test_the_parser_ends_a_request_where_its_framing_does(
    head: int, body: int, is_read: bool
) -> None:
    lines = LINE + b"Content-Length: %d\r\n" % body
    lines += (b"A: " + b"x" * 395 + b"\r\n") * ((head - len(lines)) // 400 - 1)
    lines += b"A: " + b"x" * (head - len(lines) - 7) + b"\r\n\r\n"
    assert len(lines) == head

    parsed = exchange(lines + b"x" * body, max_body=20_000)
    request = next(parsed.parser)

    if is_read:
        assert request.body.read() == b"x" * body
    assert parsed.framing_agrees()


@pytest.mark.parametrize("size", [2, 10_000])
def test_bytes_that_the_parser_leaves_do_not_agree_with_the_framing(size: int) -> None:
    parsed = exchange(LINE + b"Content-Length: %d\r\n\r\n" % size + b"x" * size, max_body=20_000)
    request = next(parsed.parser)

    request.body.reader.length = size - 1

    assert not parsed.framing_agrees()


def test_a_parser_that_wants_more_does_not_agree_with_the_framing() -> None:
    parsed = exchange(SIZED + b"four", max_body=20_000)
    request = next(parsed.parser)

    request.body.reader.length = 5

    assert request.body.read() == b"four"
    assert not parsed.framing_agrees()


BROKEN_CHUNKS = CHUNKED + b"2\r\n{}!!0\r\n\r\n"


def test_a_body_in_broken_chunks_is_an_error_of_reading() -> None:
    parsed = exchange(BROKEN_CHUNKS, max_body=20_000)
    reader = BodyReader(next(parsed.parser).body.reader)

    with pytest.raises(UnreadableBodyError):
        reader.read(100)
    assert issubclass(UnreadableBodyError, OSError)


def arrive_byte_by_byte(size: int) -> None:
    framing = RequestFraming(MAX_BODY)
    for byte in (LINE + b"A: b\r\n" * size)[:size]:
        framing.add(bytes([byte]))
    assert framing.progress is Progress.HEAD


def parse_tiny_chunks(size: int) -> None:
    chunks = size // 6
    parsed = exchange(CHUNKED + b"1\r\nx\r\n" * chunks + b"0\r\n\r\n", max_body=chunks)
    assert next(parsed.parser).body.read() == b"x" * chunks
    assert parsed.framing_agrees()


@pytest.mark.timing
@pytest.mark.parametrize(
    ("take_in", "most"), [(arrive_byte_by_byte, MAX_HEAD_BYTES), (parse_tiny_chunks, 800_000)]
)
def test_the_work_grows_no_faster_than_the_request(
    take_in: Callable[[int], None], most: int
) -> None:
    def spent(size: int) -> float:
        begun = thread_time()
        take_in(size)
        return thread_time() - begun

    little = min(spent(most // 16) for _ in range(5))
    much = min(spent(most) for _ in range(3))

    assert much < 3 * 16 * little
