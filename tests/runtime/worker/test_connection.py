"""The socket that never waits, and collects a head and its body."""

from __future__ import annotations

from typing import Any

import pytest

from service.runtime.worker.connection import BufferedSocket
from tests.runtime.worker.fakes import FakeSocket


class CountingSocket(FakeSocket):
    """Counts the system calls that send."""

    calls = 0

    def send(self, data: bytes) -> int:
        self.calls += 1
        return super().send(data)


def buffered(client: Any) -> BufferedSocket:
    return BufferedSocket(client)


def test_a_head_and_its_body_go_out_in_one_call() -> None:
    client = CountingSocket()
    sock = buffered(client)
    sock.cork()
    sock.sendall(b"head ")
    sock.sendall(b"body")
    assert (client.calls, client.sent, sock.unsent) == (0, b"", 9)

    sock.uncork()
    assert (client.calls, client.sent, sock.unsent) == (1, b"head body", 0)
    sock.sendall(b" more")
    assert (client.calls, client.sent) == (2, b"head body more")


def test_much_is_sent_before_all_of_it_is_there() -> None:
    client = CountingSocket()
    sock = buffered(client)
    sock.cork()
    for _ in range(5):
        sock.sendall(b"x" * 40_000)
    assert len(client.sent) == 160_000

    sock.uncork()
    assert len(client.sent) == 200_000
    assert client.calls == 3


def test_what_a_client_does_not_take_is_kept_after_it_was_collected() -> None:
    client = CountingSocket()
    client.room = 3
    sock = buffered(client)
    sock.cork()
    sock.sendall(b"answer")
    sock.uncork()
    assert (client.sent, sock.unsent) == (b"ans", 3)

    client.client_is_gone = True
    sock.cork()
    with pytest.raises(BrokenPipeError):
        sock.uncork()


def test_nothing_collected_is_no_call() -> None:
    client = CountingSocket()
    sock = buffered(client)
    sock.cork()
    sock.uncork()
    assert client.calls == 0
