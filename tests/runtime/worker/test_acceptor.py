"""Listening sockets without a network: what is accepted when, and how a queue is emptied."""

from __future__ import annotations

import errno
import itertools
from collections import deque

import pytest

from service.runtime.worker.acceptor import Acceptor
from tests.runtime.worker.fakes import FakeSocket, FakeWorker

GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


class FakeListener:
    """A listening socket with a queue of clients, or of errors instead."""

    _numbers = itertools.count(1)

    def __init__(self, worker: FakeWorker) -> None:
        self.is_open = True
        self._worker = worker
        self._queue: deque[FakeSocket | int] = deque()
        self._number = next(self._numbers)
        worker.poller.sockets[self._number] = self

    def client(self, *pieces: bytes) -> FakeSocket:
        sock = FakeSocket()
        sock.arrives(*pieces)
        self._worker.poller.sockets[sock.fileno()] = sock
        self._queue.append(sock)
        return sock

    def error(self, number: int) -> None:
        self._queue.append(number)

    @property
    def is_readable(self) -> bool:
        return bool(self._queue)

    def accept(self) -> tuple[FakeSocket, object]:
        assert self.is_open
        if not self._queue:
            raise BlockingIOError(errno.EAGAIN, "")
        first = self._queue.popleft()
        if isinstance(first, int):
            raise OSError(first, "")
        return first, ("client", 1)

    def getsockname(self) -> object:
        return ("server", 2)

    def setblocking(self, flag: bool) -> None:
        assert not flag

    def fileno(self) -> int:
        return self._number

    def close(self) -> None:
        self.is_open = False


class Listening:
    """A worker that listens at so many sockets."""

    def __init__(self, listeners: int = 1, **limits: float) -> None:
        self.worker = FakeWorker(**limits)
        self.listeners = [FakeListener(self.worker) for _ in range(listeners)]
        self.acceptor = Acceptor(
            self.worker.poller, self.worker.loop, self.listeners, self.worker.clock
        )

    @property
    def listener(self) -> FakeListener:
        return self.listeners[0]

    def turn(self, seconds: float = 0.0) -> None:
        self.worker.turn(seconds)
        self.acceptor.resume_if_due()


def test_every_listener_is_accepted_from() -> None:
    listening = Listening(listeners=2)
    clients = [listener.client(GET) for listener in listening.listeners]

    listening.turn()

    assert set(listening.worker.dispatched) == set(clients)


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ECONNABORTED])
def test_a_client_that_has_left_already_is_no_error(number: int) -> None:
    listening = Listening()
    listening.listener.error(number)
    client = listening.listener.client(GET)

    listening.turn()
    listening.turn()

    assert set(listening.worker.dispatched) == {client}


def test_an_error_that_nobody_expects_is_raised() -> None:
    listening = Listening()
    listening.listener.error(errno.EBADF)

    with pytest.raises(OSError, match=str(errno.EBADF)):
        listening.turn()


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE])
def test_without_a_free_file_a_waiting_connection_is_closed(number: int) -> None:
    listening = Listening()
    silent = listening.listener.client()
    listening.turn()
    listening.listener.error(number)
    client = listening.listener.client(GET)

    listening.turn()
    assert not silent.is_open
    listening.turn()

    assert set(listening.worker.dispatched) == {client}


def test_without_a_free_file_and_anybody_to_close_accepting_pauses() -> None:
    listening = Listening()
    listening.listener.error(errno.EMFILE)
    client = listening.listener.client(GET)
    listening.turn()
    for _ in range(3):
        listening.turn()
        assert not listening.worker.poller.watched, "it would be asked again and again"

    listening.turn(0.5)
    listening.turn()

    assert set(listening.worker.dispatched) == {client}


def test_accepting_pauses_while_all_places_are_with_threads() -> None:
    listening = Listening(connections=1)
    first, second, third = (listening.listener.client(GET) for _ in range(3))
    for _ in range(5):
        listening.turn()
    assert set(listening.worker.dispatched) == {first, second}

    listening.worker.answer(first, keep_alive=False)
    listening.worker.receive(first, b"")
    listening.turn()
    listening.turn()

    assert set(listening.worker.dispatched) == {second, third}


def test_at_the_stop_the_queues_are_emptied_and_then_the_listeners_closed() -> None:
    listening = Listening(listeners=2)
    clients = [listener.client(GET) for listener in listening.listeners for _ in range(20)]
    listening.listeners[0].error(errno.ECONNABORTED)
    clients.append(listening.listeners[0].client(GET))

    listening.acceptor.stop()

    assert set(listening.worker.dispatched) == set(clients)
    assert listening.acceptor.has_closed
    assert not any(listener.is_open for listener in listening.listeners)
    assert not listening.worker.poller.watched


class EndlessListener(FakeListener):
    """A listening socket whose queue is never empty."""

    accepted = 0

    def accept(self) -> tuple[FakeSocket, object]:
        self.client()
        self.accepted += 1
        return super().accept()


def test_at_the_stop_clients_that_go_on_connecting_are_not_waited_for() -> None:
    worker = FakeWorker()
    listener = EndlessListener(worker)
    acceptor = Acceptor(worker.poller, worker.loop, [listener], worker.clock)

    acceptor.stop()

    assert acceptor.has_closed
    assert not listener.is_open
    assert listener.accepted == 2_048


def test_at_the_stop_a_queue_that_has_no_room_is_emptied_as_room_comes() -> None:
    listening = Listening(connections=2)
    clients = [listening.listener.client(GET) for _ in range(10)]
    answered: list[FakeSocket] = []

    listening.acceptor.stop()
    listening.worker.loop.stop()
    assert listening.listener.is_open
    while listening.worker.dispatched:
        sock = next(iter(listening.worker.dispatched))
        listening.worker.answer(sock, keep_alive=False)
        answered.append(sock)
        listening.worker.receive(sock, b"")
        listening.turn()

    assert answered == clients
    assert listening.acceptor.has_closed
    assert not listening.listener.is_open


def test_a_stop_during_a_pause_for_files_empties_the_queue_after_it() -> None:
    listening = Listening()
    listening.listener.error(errno.EMFILE)
    client = listening.listener.client(GET)
    listening.turn()
    listening.acceptor.stop()
    assert listening.listener.is_open

    listening.turn(0.5)

    assert set(listening.worker.dispatched) == {client}
    assert listening.acceptor.has_closed


def test_the_last_close_waits_for_nobody() -> None:
    listening = Listening()
    listening.listener.client(GET)

    listening.acceptor.close()

    assert not listening.listener.is_open
    assert listening.acceptor.has_closed
    assert not listening.worker.dispatched
