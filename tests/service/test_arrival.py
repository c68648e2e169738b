"""Where requests end, however their bytes are cut into pieces."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.arrival import MAX_HEAD_BYTES, Arrival, Progress

MAX_BODY = 100
LINE = b"POST / HTTP/1.1\r\nHost: localhost\r\n"
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
SIZED = LINE + b"Content-Length: 4\r\n\r\n"
CHUNKED = LINE + b"Transfer-Encoding: chunked\r\n\r\n"
WHOLE = [
    GET,
    b"GET / HTTP/1.0\r\n\r\n",
    b"\r\n" + GET,
    SIZED + b"four",
    LINE + b"content-LENGTH:0\r\n\r\n",
    CHUNKED + b"0\r\n\r\n",
    CHUNKED + b"4;name=value\r\nfour\r\n9\r\n\r\n\r\n0\r\n\r\n\r\n0\r\nTrailer: one\r\n\r\n",
    CHUNKED + b"1\r\nx\r\n" * MAX_BODY + b"0\r\n\r\n",
]
CUT = {
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


def arrived(*pieces: bytes) -> Arrival:
    arrival = Arrival(MAX_BODY)
    for piece in pieces:
        arrival.add(piece)
    return arrival


@pytest.mark.parametrize("request_", WHOLE)
def test_a_request_is_whole_with_its_last_byte(request_: bytes) -> None:
    assert arrived(request_[:-1]).progress in {Progress.HEAD, Progress.BODY}

    arrival = arrived(request_[:-1], request_[-1:])

    assert arrival.progress is Progress.WHOLE
    assert arrival.take() == request_
    assert arrival.progress is Progress.SILENT


@given(st.lists(st.sampled_from(WHOLE), min_size=1, max_size=3), st.data())
def test_requests_on_end_are_told_apart_in_any_pieces(
    sent: list[bytes], data: st.DataObject
) -> None:
    stream = b"".join(sent)
    cuts = data.draw(st.sets(st.integers(1, len(stream) - 1), max_size=8))
    arrival = Arrival(MAX_BODY)
    found = []
    for start, end in itertools.pairwise([0, *sorted(cuts), len(stream)]):
        arrival.add(stream[start:end])
        while arrival.progress is Progress.WHOLE:
            found.append(arrival.take())

    assert found == sent
    assert arrival.progress is Progress.SILENT


@pytest.mark.parametrize("request_", CUT.values(), ids=CUT)
def test_what_is_broken_or_too_large_is_cut_off(request_: bytes) -> None:
    arrival = arrived(request_)

    assert arrival.progress is Progress.CUT
    assert arrival.take() == request_


def test_what_comes_after_a_request_begins_the_next_one() -> None:
    arrival = arrived(SIZED + b"four" + GET[:10])
    arrival.take()
    assert arrival.progress is Progress.HEAD

    arrival.add(GET[10:])

    assert arrival.take() == GET


def test_the_wish_to_be_told_to_continue_is_told_and_not_passed_on() -> None:
    arrival = arrived(LINE + b"EXPECT: 100-Continue\r\nContent-Length: 4\r\n\r\n")
    assert arrival.progress is Progress.BODY
    assert arrival.expects_continue

    arrival.add(b"four")

    assert arrival.take() == SIZED + b"four"
    assert not arrival.expects_continue


def test_an_old_client_is_not_told_to_continue() -> None:
    arrival = arrived(b"POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")

    assert arrival.progress is Progress.BODY
    assert not arrival.expects_continue


@pytest.mark.parametrize(
    ("sent", "progress"),
    [(b"", Progress.GONE), (GET[:20], Progress.GONE), (SIZED + b"fo", Progress.CUT)],
)
def test_only_a_body_that_breaks_off_is_worth_an_answer(sent: bytes, progress: Progress) -> None:
    arrival = arrived(sent) if sent else Arrival(MAX_BODY)

    arrival.end()

    assert arrival.progress is progress
