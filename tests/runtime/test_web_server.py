"""What the supervisor is told of the web server: by an answer, by none, and by a strange one."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from service.config import Config
from service.runtime.web_server import WebServer, WebServerError

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
NO_HTTP = b"220 mail\r\n"


@contextmanager
def answered(answer: bytes) -> Iterator[WebServer]:
    """A web server in whose place one answer is given to one connection."""
    web = WebServer(Config(port=0))
    thread = threading.Thread(target=_answer, args=(web._listener, answer))
    thread.start()
    yield web
    thread.join()
    web.close()


def _answer(listener: socket.socket, answer: bytes) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.recv(1000)
        connection.sendall(answer)


def test_it_serves_once_its_probe_is_answered_with_200() -> None:
    with answered(OK) as web:
        assert web.is_serving()


@pytest.mark.parametrize(
    ("answer", "last"), [(NOT_FOUND, "404 Not Found"), (NO_HTTP, "none (220 mail)")]
)
def test_another_answer_is_kept_for_the_message(answer: bytes, last: str) -> None:
    with answered(answer) as web:
        assert not web.is_serving()
        assert web.last_answer == last


def test_where_nobody_listens_there_is_no_answer() -> None:
    web = WebServer(Config(port=0))
    web.close()

    assert not web.is_serving()
    assert web.last_answer.startswith("none (")


def test_a_taken_port_is_named() -> None:
    first = WebServer(Config(port=0))

    with pytest.raises(WebServerError, match=f"127.0.0.1:{first.port} is taken; stop what"):
        WebServer(Config(port=first.port))

    first.close()
