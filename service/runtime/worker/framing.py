"""Request framing: where each request of a connection ends, found while its bytes arrive.

    idle -> head -> body -> complete, or unparseable where a request is broken or too large

This finds ends and nothing else; gunicorn parses what a request says. Where the two disagree,
gunicorn runs out of bytes or leaves some, and the connection is closed.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
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
    UNPARSEABLE = auto()  # its end cannot be found; what is there is enough for the refusal
    DISCONNECTED = auto()


@dataclass(frozen=True, slots=True)
class FramedRequest:
    """The bytes of one request, and whether its end and the end of its head were found."""

    data: bytes
    is_complete: bool
    has_head: bool


class RequestFraming:
    """The received bytes that nobody has parsed yet; a body has up to `max_body` bytes."""

    def __init__(self, max_body: int) -> None:
        self._max_body = max_body
        self._buffer = bytearray()
        self._begin()

    @property
    def is_empty(self) -> bool:
        """Whether no byte of the next request has arrived."""
        return self.progress is Progress.IDLE

    def add(self, data: bytes) -> None:
        """Append what was received and see how much of the request has arrived."""
        self._buffer += data
        self.progress = next(self._stages)

    def end(self) -> None:
        """Record that nothing more will arrive; only an unfinished body is worth a response."""
        is_body = self.progress is Progress.BODY
        self.progress = Progress.UNPARSEABLE if is_body else Progress.DISCONNECTED
        self._end = len(self._buffer)

    def take(self) -> FramedRequest:
        """Return the request that is complete or unparseable, and go on after it."""
        data = bytes(self._buffer[: self._end])
        del self._buffer[: self._end]
        if self.expects_continue:  # `100 Continue` was sent, or a final status answers instead
            data = _EXPECT_LINE.sub(b"", data, count=1)
        request = FramedRequest(data, self.progress is Progress.COMPLETE, self._has_head)
        self._begin()
        return request

    def _begin(self) -> None:
        self._has_head = False
        self.expects_continue = False
        self._stages = self._look()
        self.progress = next(self._stages)

    def _look(self) -> Iterator[Progress]:
        """Look for the end of the request; stops once that is known."""
        while not self._buffer:
            yield Progress.IDLE
        try:
            head_end = yield from self._find(b"\r\n\r\n", 0, MAX_HEAD_BYTES, Progress.HEAD)
            self._has_head = True
            self._end = yield from self._body_end(head_end + 4)
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
        """Read what the head says of its body; `Expect: 100-continue` is set apart."""
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
        """Tell whether a line ends without CR, in what was not searched for that before.

        The end of such a head would never be found.
        """
        ends = self._buffer.count(b"\r\n", max(start, seen - 1))
        return self._buffer.count(b"\n", seen) != ends

    def _reach(self, position: int) -> _Search:
        while len(self._buffer) < position:
            yield Progress.BODY
        return position


_Search = Generator[Progress, None, int]


class _UnparseableError(Exception):
    """The end of the request cannot be found."""


def _number(text: bytes, base: int) -> int:
    if not 0 < len(text) <= _MAX_DIGITS or not text.isalnum():
        raise _UnparseableError
    try:
        return int(text, base)
    except ValueError:
        raise _UnparseableError from None
