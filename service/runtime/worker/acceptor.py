"""The acceptor: takes new connections in from the listening sockets, which workers share.

At stop, what waits in the queue of a listener is accepted before the listener is closed: the kernel
would reset it otherwise. Clients that go on connecting cannot prolong that: no more are accepted
then than a queue can hold. A listener is free once every process that has it has closed it.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Iterable
from functools import partial
from selectors import EVENT_READ
from typing import Any, Protocol

from service.runtime.worker.event_loop import EventLoop
from service.runtime.worker.wait_list import Poller

_NONE_WAITING = (errno.EAGAIN, errno.EWOULDBLOCK)
_NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_NO_ROOM_PAUSE_SECONDS = 0.5
_LONGEST_QUEUE = 2_048
"""Connections that wait to be accepted, by the backlog that the service listens with."""


class Listener(Protocol):
    """What the acceptor needs of a listening socket."""

    def accept(self) -> tuple[Any, Any]:
        """Return the socket and the address of a client."""

    def getsockname(self) -> Any:
        """Return the address that clients connect to."""

    def setblocking(self, flag: bool, /) -> object:
        """Choose whether calls wait."""

    def close(self) -> object:
        """Close it in this process."""


class Acceptor:
    """Accepts for one event loop, pauses while that is full, and empties the queues at stop."""

    def __init__(
        self,
        poller: Poller,
        loop: EventLoop,
        listeners: Iterable[Listener],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Listen from now on."""
        self._poller = poller
        self._loop = loop
        self._clock = clock
        self._open = {listener: listener.getsockname() for listener in listeners}
        self._is_paused = True
        self._resume_at = 0.0
        self._is_stopping = False
        self._left_at_stop = _LONGEST_QUEUE
        for listener in self._open:
            listener.setblocking(False)
        self._resume()

    @property
    def has_closed(self) -> bool:
        """Whether all listeners are closed."""
        return not self._open

    def resume_if_due(self) -> None:
        """Go on after a pause, as soon as there is room."""
        if self._is_paused and not self._loop.is_full and self._clock() >= self._resume_at:
            self._resume()
            if self._is_stopping:
                self._empty_queues()

    def stop(self) -> None:
        """Accept all that wait and close the listeners; without room `resume_if_due` does it."""
        self._is_stopping = True
        if not self._is_paused:
            self._empty_queues()

    def close(self) -> None:
        """Close the listeners, whoever waits."""
        self._pause()
        for listener in self._open:
            listener.close()
        self._open.clear()

    def _empty_queues(self) -> None:
        while not self._is_paused and self._left_at_stop > 0:
            if not any(self._accept(listener) for listener in self._open):
                break
            self._left_at_stop -= 1
        if not self._is_paused:
            self.close()

    def _accept(self, listener: Listener) -> bool:
        """Accept a connection; return False if none waits."""
        try:
            sock, client = listener.accept()
        except OSError as error:
            if error.errno in _NO_ROOM:
                self._make_room()
            elif error.errno != errno.ECONNABORTED and error.errno not in _NONE_WAITING:
                raise
            return error.errno not in _NONE_WAITING
        self._loop.add(sock, client, self._open[listener])
        if self._loop.is_full:
            self._pause()
        return True

    def _make_room(self) -> None:
        if not self._loop.evict():
            self._resume_at = self._clock() + _NO_ROOM_PAUSE_SECONDS
            self._pause()

    def _pause(self) -> None:
        if not self._is_paused:
            self._is_paused = True
            for listener in self._open:
                self._poller.unregister(listener)

    def _resume(self) -> None:
        self._is_paused = False
        for listener in self._open:
            self._poller.register(listener, EVENT_READ, partial(self._accept, listener))
