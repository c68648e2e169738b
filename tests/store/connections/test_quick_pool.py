"""The pool of a single server: what it gives is ready, the rest it leaves to the client."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
import redis

from service.store.connections.quick_pool import QuickPool
from service.store.connections.topologies import open_pools
from service.store.connections.url import parse
from tests.nodes import Node, lone_node


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    with lone_node() as node:
        yield node


@contextmanager
def pool_at(node: Node, connections: int = 1) -> Iterator[QuickPool]:
    with closing(open_pools(parse(f"redis://{node.address}"), connections)) as pools:
        pool = pools.for_key("any")
        assert isinstance(pool, QuickPool)
        yield pool


def ask(connection: Any, *command: object) -> Any:
    connection.send_packed_command(connection.pack_commands([command]))
    return connection.read_response()


def identity(pool: QuickPool) -> int:
    """The server's number of the connection that the pool gives next."""
    connection = pool.get_connection()
    number = ask(connection, "CLIENT", "ID")
    pool.release(connection)
    assert isinstance(number, int)
    return number


def test_a_connection_is_given_again_while_it_is_ready(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pool_at(node) as pool:
        first = identity(pool)

        def refuse(*_: object) -> None:
            raise AssertionError("the client's own pool was asked")

        monkeypatch.setattr(redis.BlockingConnectionPool, "get_connection", refuse)
        monkeypatch.setattr(redis.BlockingConnectionPool, "release", refuse)
        assert [identity(pool) for _ in range(3)] == [first] * 3


def test_a_connection_with_an_unread_answer_is_made_anew(node: Node) -> None:
    with pool_at(node) as pool:
        first = identity(pool)
        connection = pool.get_connection()
        connection.send_packed_command(connection.pack_commands([("ECHO", "late")]))
        assert connection.can_read(1.0)
        pool.release(connection)
        again = pool.get_connection()
        assert ask(again, "ECHO", "mine") == b"mine"
        pool.release(again)
        assert identity(pool) != first


def test_a_connection_that_holds_a_part_of_an_answer_is_made_anew(node: Node) -> None:
    with pool_at(node) as pool:
        first = identity(pool)
        connection = pool.get_connection()
        packed = connection.pack_commands([("ECHO", "one"), ("ECHO", "two")])
        connection.send_packed_command(packed)
        assert connection.read_response() == b"one"
        pool.release(connection)
        assert identity(pool) != first


def test_a_connection_that_the_server_has_closed_is_made_anew(node: Node) -> None:
    with pool_at(node) as pool:
        first = identity(pool)
        node.execute("CLIENT", "KILL", "ID", str(first))
        assert identity(pool) != first


def test_a_connection_that_is_to_be_closed_is_closed_when_it_is_given_back(node: Node) -> None:
    with pool_at(node) as pool:
        connection = pool.get_connection()
        connection.mark_for_reconnect()
        pool.release(connection)
        assert not connection.is_connected
        assert identity(pool) > 0


def test_a_caller_waits_for_a_connection_that_is_in_use(node: Node) -> None:
    with pool_at(node) as pool:
        held = pool.get_connection()
        given: list[Any] = []
        waiting = threading.Thread(target=lambda: given.append(pool.get_connection()))
        waiting.start()
        pool.release(held)
        waiting.join(10)
        assert given == [held]
        pool.release(held)


def test_a_forked_process_uses_no_connection_of_its_parent(node: Node) -> None:
    with pool_at(node) as pool:
        first = identity(pool)
        pool.pid -= 1  # as in the child of a fork, whose own number is another
        assert identity(pool) != first
