"""Bodies of answers that go on after their request, as the web server opens them, in memory."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.nodes import wait_for

_ID = re.compile(rb"^id: (\d+)$", re.MULTILINE)


@dataclass
class Sink:
    """What was sent; `takes` is whether somebody still takes it."""

    on_close: Callable[[], None]
    farewell: bytes
    takes: bool = True
    received: bytes = b""
    has_ended: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def send(self, data: bytes) -> bool:
        with self._lock:
            assert not self.has_ended, "sent after the end"
            if self.takes:
                self.received += data
            return self.takes

    def end(self, last: bytes) -> None:
        with self._lock:
            assert not self.has_ended, "ended twice"
            if self.takes:
                self.received += last
            self.has_ended = True

    @property
    def events(self) -> list[tuple[int, str, dict[str, Any]]]:
        """The events of a stream: id, type and data."""
        return list(parsed(self.received))

    @property
    def last_seq(self) -> int:
        """The id of the last event of a stream; 0 if there is none yet."""
        return int((_ID.findall(self.received) or [0])[-1])

    def wait_for_event(self, kind: str) -> dict[str, Any]:
        """Wait for the first event of a type; its data."""
        wait_for(lambda: any(each[1] == kind for each in self.events), f"the event {kind}")
        return next(data for _, type_, data in self.events if type_ == kind)

    def wait_for_seq(self, seq: int) -> None:
        """Wait until a stream has come so far."""
        wait_for(lambda: bool(self.events) and self.events[-1][0] >= seq, f"the event {seq}")

    def wait_for_end(self) -> bytes:
        """Wait for the end; all that was sent."""
        wait_for(lambda: self.has_ended, "the end")
        return self.received


@dataclass
class Sinks:
    """Opens bodies while there is room for them."""

    room: int = 1_000
    opened: list[Sink] = field(default_factory=list)

    def __call__(self, on_close: Callable[[], None], farewell: bytes = b"") -> Sink | None:
        if len(self.opened) >= self.room:
            return None
        self.opened.append(Sink(on_close, farewell))
        return self.opened[-1]

    @property
    def last(self) -> Sink:
        """The one that was opened last."""
        return self.opened[-1]


def parsed(stream: bytes) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """The events of a stream: id, type and data; comments and `retry` are left out."""
    blocks = stream.decode().split("\n\n")
    assert blocks[-1] == "", "the stream ends within an event"
    for block in blocks[:-1]:
        lines = dict(line.partition(":")[::2] for line in block.split("\n"))
        if "data" in lines:
            assert list(lines) == ["id", "event", "data"]
            yield int(lines["id"]), lines["event"].strip(), json.loads(lines["data"])
