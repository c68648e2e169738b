"""Room for new games: a real server with little memory, and scripted ones that say little."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress

import pytest
from flask.testing import FlaskClient
from redis import exceptions

from service.app import create_app
from service.config import Config
from service.errors import CapacityReachedError
from service.store.capacity import Capacity
from tests.nodes import Node, lone_node
from tests.player import QUICK, create, refused
from tests.store.connections.scripted_servers import Pool, RawConnection, ScriptedPools

KEY = "{g:a}:game"
LOST = exceptions.ConnectionError("Connection closed by server.")
DENIED = exceptions.NoPermissionError("User ann has no permissions to run the 'info' command")
SHORT = {**QUICK, "rounds": {"first": 1, "last": 1}}


def memory(used: int, most: int, uncounted: int = 0) -> bytes:
    lines = (f"used_memory:{used}", f"maxmemory:{most}", f"mem_not_counted_for_evict:{uncounted}")
    return "\r\n".join(lines).encode()


class Time:
    """A clock that stands still."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def capacity_of(time: Time, *answers: object) -> tuple[Capacity, RawConnection]:
    connection = RawConnection(*answers)
    return Capacity(ScriptedPools([Pool(connection)]), 90, time), connection  # type: ignore[arg-type]


def test_a_server_is_asked_once_in_a_few_seconds() -> None:
    time = Time()
    capacity, connection = capacity_of(time, memory(899, 1000), memory(900, 1000))
    for _ in range(3):
        capacity.require_room(KEY)
    assert connection.sent == [[("INFO", "memory")]]
    time.now = 5.0
    for _ in range(3):
        with pytest.raises(CapacityReachedError, match=r"90 % full.*below 90 % \(MAX_STORE_"):
            capacity.require_room(KEY)
    assert len(connection.sent) == 2


def test_a_server_is_asked_again_after_many_new_games() -> None:
    capacity, connection = capacity_of(Time(), memory(899, 1000), memory(900, 1000))
    for _ in range(51):
        capacity.require_room(KEY)
    assert len(connection.sent) == 1
    with pytest.raises(CapacityReachedError):
        capacity.require_room(KEY)
    assert len(connection.sent) == 2


def test_what_a_server_holds_for_its_replicas_does_not_count() -> None:
    capacity_of(Time(), memory(950, 1000, uncounted=100))[0].require_room(KEY)


@pytest.mark.parametrize("answer", [memory(950, 0), b"# Memory\r\n", DENIED, LOST])
def test_a_server_that_does_not_say_has_room_and_the_log_says_so(
    answer: object, caplog: pytest.LogCaptureFixture
) -> None:
    capacity, _ = capacity_of(Time(), answer)
    with caplog.at_level(logging.INFO, "service.store"):
        capacity.report()
        capacity.require_room(KEY)
    assert len(caplog.messages) == 1
    assert "MAX_STORE_MEMORY_PERCENT has no effect" in caplog.messages[0]


def test_the_log_tells_when_there_is_no_room_and_when_there_is_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    time = Time()
    full, room = memory(950, 1000), memory(100, 1000)
    capacity, _ = capacity_of(time, room, full, full, room)
    with caplog.at_level(logging.INFO, "service.store"):
        capacity.report()
        for _ in range(3):
            time.now += 5
            with suppress(CapacityReachedError):
                capacity.require_room(KEY)
    assert caplog.messages == [
        "the storage is 95 % full: new games are refused",
        "the storage has room for new games again",
    ]


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    with lone_node("--maxmemory", "100mb") as node:
        yield node


@pytest.fixture
def client(node: Node) -> FlaskClient:
    """The application at that server, which counts as full from 50 % on."""
    node.execute("CONFIG", "SET", "maxmemory", "100mb")
    node.execute("DEL", "filler")
    return new_client(node)


def new_client(node: Node) -> FlaskClient:
    config = Config(
        redis_url=f"redis://{node.address}", max_store_memory_percent=50, log_level="CRITICAL"
    )
    return create_app(config).test_client()


def fill(node: Node) -> None:
    node.execute("SETRANGE", "filler", 60 * 2**20, "x")


def test_above_the_cap_creation_and_rematch_are_refused_and_games_under_way_go_on(
    node: Node, client: FlaskClient
) -> None:
    player, finished = create(client, QUICK), create(client, SHORT)
    finished.play_to_the_end()
    made = client.post("/v1/games", headers={"Idempotency-Key": "k" * 22})
    fill(node)
    full = new_client(node)
    for answer in (
        full.post("/v1/games"),
        full.post(f"{finished.path}/rematch", headers=finished.auth),
    ):
        problem = refused(answer, 503, "capacity-reached")
        assert "MAX_STORE_MEMORY_PERCENT" in problem["detail"]
        assert answer.headers["Retry-After"] == "60"
    assert full.get(finished.path).get_json()["rematch"] is None
    player.client = full
    player.turn()
    again = full.post("/v1/games", headers={"Idempotency-Key": "k" * 22})
    assert again.get_json() == made.get_json()


def test_a_rematch_that_was_reserved_is_made_also_above_the_cap(
    node: Node, client: FlaskClient
) -> None:
    old = create(client, SHORT)
    old.play_to_the_end()
    new = client.post(f"{old.path}/rematch", headers=old.auth).get_json()["game"]["id"]
    for key in (f"{{g:{new}}}:game", f"{{g:{new}}}:events"):
        node.execute("DEL", key)
    for key in node.execute("KEYS", f"{{g:{new}}}:*"):
        node.execute("DEL", key)  # as if the worker had died in between
    fill(node)
    full = new_client(node)
    assert full.get(old.path).get_json()["rematch"] == new
    assert full.get(f"/v1/games/{new}").status_code == 200
