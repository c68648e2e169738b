"""The framing of requests on a connection: where each ends, told while its bytes come in.

    silent -> head -> body -> whole, or cut off where a request is broken or too large

This finds ends and nothing else: what a request says is gunicorn's to parse. Where the two
disagree, gunicorn runs out of bytes or leaves some, and the connection is closed.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from enum import Enum, auto

MAX_HEAD_BYTES = 65_536
_MAX_LINE_BYTES = 8_192  # of a chunk's size with its extensions, or of the trailers
_MAX_FRAMES = 16_384  # bytes of chunk sizes, beyond seven for each byte of data
_READ_AHEAD = 1_024  # gunicorn may ask for that much more of a chunked body than it is asked for
_MAX_DIGITS = 15
_LENGTH, _CODING, _EXPECT = b"content-length", b"transfer-encoding", b"expect"
_FRAMING = re.compile(
    rb"\r\n(content-length|transfer-encoding|expect)[ \t]*:([^\r\n]*)", re.IGNORECASE
)
_EXPECT_LINE = re.compile(rb"\r\nexpect[ \t]*:[^\r\n]*", re.IGNORECASE)


class Progress(Enum):
    """How much of the next request has arrived."""

    IDLE = auto()
    HEAD = auto()
    BODY = auto()
    COMPLETE = auto()
    UNPARSEABLE = (
        auto()
    )  # the rest is too large, makes no sense or will not come: what is there must do
    DISCONNECTED = auto()


class RequestFraming:
    """The bytes of a connection that nobody has parsed yet; bodies have up to `max_body` bytes."""

    def __init__(self, max_body: int) -> None:
        self._max_body = max_body
        self._buffer = bytearray()
        self._begin()

    def add(self, data: bytes) -> None:
        """Append what was received and see how far the request has come."""
        self._buffer += data
        self.progress = next(self._stages)

    def end(self) -> None:
        """Take note that no more will come; a body that broke off is the service's to refuse."""
        self.progress = (
            Progress.UNPARSEABLE if self.progress is Progress.BODY else Progress.DISCONNECTED
        )
        self._end = len(self._buffer)

    def take(self) -> bytes:
        """Give out the request that is whole or cut, and go on with what came after it."""
        request = bytes(self._buffer[: self._end])
        del self._buffer[: self._end]
        if self.expects_continue:  # met by now, or never to be
            request = _EXPECT_LINE.sub(b"", request, count=1)
        self._begin()
        return request

    def _begin(self) -> None:
        self.has_head = False
        self.expects_continue = False
        self._stages = self._look()
        self.progress = next(self._stages)

    def _look(self) -> Iterator[Progress]:
        """Look for the request's end in what is there by now; ends once that is known."""
        while not self._buffer:
            yield Progress.IDLE
        try:
            found = yield from self._find(b"\r\n\r\n", 0, MAX_HEAD_BYTES, Progress.HEAD)
            self.has_head = True
            self._end = yield from self._body_end(found + 4)
            yield Progress.COMPLETE
        except _UnparseableError:
            self._end = len(self._buffer)
            yield Progress.UNPARSEABLE

    def _body_end(self, start: int) -> _Search:
        framing = self._framing(start)
        if not framing:
            return start
        if framing == {_CODING: b"chunked"}:
            return (yield from self._chunked_end(start))
        length = _number(framing.pop(_LENGTH, b""), 10)
        if framing or length > self._max_body:
            raise _UnparseableError
        return (yield from self._reach(start + length))

    def _framing(self, start: int) -> dict[bytes, bytes]:
        """What the head says of its body; the wish to be told `100 Continue` is set apart."""
        head = self._buffer[:start]
        lines = _FRAMING.findall(head)
        framing = {name.lower(): value.strip(b" \t").lower() for name, value in lines}
        if len(framing) < len(lines):
            raise _UnparseableError
        if framing.get(_EXPECT) == b"100-continue":
            del framing[_EXPECT]
            self.expects_continue = head.lstrip().partition(b"\r\n")[0].endswith(b" HTTP/1.1")
        return framing

    def _chunked_end(self, start: int) -> _Search:
        limit = self._max_body + _READ_AHEAD
        at, total = start, 0
        while at - start <= 8 * total + _MAX_FRAMES:
            line_end = yield from self._find(b"\r\n", at, _MAX_LINE_BYTES, Progress.BODY)
            size = _number(bytes(self._buffer[at:line_end]).partition(b";")[0].rstrip(b" \t"), 16)
            if size == 0:
                return 4 + (
                    yield from self._find(b"\r\n\r\n", line_end, _MAX_LINE_BYTES, Progress.BODY)
                )
            total += size
            at = line_end + 2 + size + 2
            yield from self._reach(at - max(0, total - limit))
            if total > limit:
                break
        raise _UnparseableError

    def _find(self, mark: bytes, start: int, most: int, waiting: Progress) -> _Search:
        searched = seen = start
        while (found := self._buffer.find(mark, searched)) < 0:
            if len(self._buffer) - start > most or self._has_bare_newline(start, seen):
                raise _UnparseableError
            seen = len(self._buffer)
            searched = max(start, seen - len(mark) + 1)
            yield waiting
        return found

    def _has_bare_newline(self, start: int, seen: int) -> bool:
        """Tell whether a line ends without CR, which none did in what was seen before.

        Such a head would never end.
        """
        ends = self._buffer.count(b"\r\n", max(start, seen - 1))
        return self._buffer.count(b"\n", seen) != ends

    def _reach(self, position: int) -> _Search:
        while len(self._buffer) < position:
            yield Progress.BODY
        return position


_Search = Generator[Progress, None, int]


class _UnparseableError(Exception):
    """No end of the request is to be found."""


def _number(text: bytes, base: int) -> int:
    if not 0 < len(text) <= _MAX_DIGITS or not text.isalnum():
        raise _UnparseableError
    try:
        return int(text, base)
    except ValueError:
        raise _UnparseableError from None
