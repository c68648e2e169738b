"""One who watches a game: by a stream of events, or by a call that waits for the next event.

A watcher sends bytes to a sink, which the web server has opened for the body of its answer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Protocol

import orjson

from service.games.tokens import token_hash
from service.games.watching.current_game import CurrentGame

COMMENT_SECONDS = 15.0
"""How often a stream gets a comment, so that nobody on the way takes it for dead."""
_COMMENT = b":\n\n"
_RETRY = b"retry: 1000\n\n"
"""After so many ms a client comes back whose stream was cut."""


class Sink(Protocol):
    """The body of an answer that goes on; any thread may call it, and never waits."""

    def send(self, data: bytes) -> bool:
        """Send bytes; False if nobody takes them any more."""

    def end(self, last: bytes) -> None:
        """End the body after what was sent and `last`, in one step; nothing if it has ended."""


class OpenSink(Protocol):
    """Opens the body of the request's answer; None where there is no place for another."""

    def __call__(self, on_close: Callable[[], None], farewell: bytes) -> Sink | None:
        """`on_close` is called once, after the end; `farewell` is sent where the server ends it."""


class Watcher(ABC):
    """Who watches: the holder of a seat by its token, or a spectator (None).

    `position`: the seq up to which it has the events; `kind`: what it is called in metrics.
    """

    kind: ClassVar[str]

    def __init__(self, seat: int | None, token: str | None, position: int) -> None:
        self.seat = seat
        self.position = position
        self._token = None if token is None else token_hash(token)

    def may_watch(self, tokens: tuple[bytes | None, ...]) -> bool:
        """Whether the token is still the seat's, by the hashes of all seats' tokens."""
        return self.seat is None or tokens[self.seat] == self._token

    @abstractmethod
    def farewell(self) -> bytes:
        """What is left to say where the answer ends before its time."""

    @abstractmethod
    def news(self, current: CurrentGame) -> tuple[bytes, bool]:
        """What to send of a game as it is now, and whether that is the end."""

    @abstractmethod
    def due(self, now: float) -> tuple[bytes, bool] | None:
        """The same for what the time alone demands at `now` (monotonic, in s); mostly nothing."""


class EventStream(Watcher):
    """A stream of events as the HTML standard has them (`text/event-stream`)."""

    kind = "stream"

    def __init__(
        self, seat: int | None, token: str | None, start: int | None, first_comment: float
    ) -> None:
        """`start`: the seq that the client has, or None to begin with the game as it is.

        `first_comment`: when the first comment is due (monotonic, in s).
        """
        super().__init__(seat, token, -1 if start is None else start)
        self._next_comment = first_comment

    def first(self, current: CurrentGame) -> bytes:
        """What the stream begins with."""
        return _RETRY + self.news(current)[0]

    def farewell(self) -> bytes:
        """Nothing: a client comes back with the id of the last event."""
        return b""

    def news(self, current: CurrentGame) -> tuple[bytes, bool]:
        """The events since the last ones, or the game itself to who has none, or more than it."""
        if 0 <= self.position <= current.seq:
            events = current.written_events(self.position, self.seat)
            text = b"".join(
                written_event(each.event.seq, each.event.body.type, it) for each, it in events
            )
        else:
            text = written_event(current.seq, "snapshot", current.view(self.seat))
        self.position = current.seq
        return text, current.is_over

    def due(self, now: float) -> tuple[bytes, bool] | None:
        """A comment, if it is time for one."""
        if now < self._next_comment:
            return None
        while self._next_comment <= now:  # from that time, not from now: streams stay apart
            self._next_comment += COMMENT_SECONDS
        return _COMMENT, False


class LongPoll(Watcher):
    """A call for a page of events that waits for the first of them until a deadline (monotonic)."""

    kind = "wait"

    def __init__(
        self, seat: int | None, token: str | None, after: int, limit: int, deadline: float
    ) -> None:
        super().__init__(seat, token, after)
        self._limit = limit
        self._deadline = deadline
        self._last_seq = 0

    def farewell(self) -> bytes:
        """An empty page."""
        return _page([], self._last_seq, more=False)

    def news(self, current: CurrentGame) -> tuple[bytes, bool]:
        """The page, if there is an event or can be none."""
        self._last_seq = current.seq
        if self.position >= current.seq and not current.is_over:
            return b"", False
        events = current.written_events(self.position, self.seat)
        listed = [text for _, text in events[: self._limit]]
        return _page(listed, current.seq, more=len(listed) < len(events)), True

    def due(self, now: float) -> tuple[bytes, bool] | None:
        """An empty page when the time is over."""
        return None if now < self._deadline else (self.farewell(), True)


def written_event(seq: int, kind: str, data: bytes) -> bytes:
    """An event of a stream, with an empty line after it."""
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (seq, kind.encode(), data)


def _page(events: list[bytes], last_seq: int, *, more: bool) -> bytes:
    body = {"events": [orjson.Fragment(each) for each in events], "last_seq": last_seq}
    return orjson.dumps({**body, "more": more})
