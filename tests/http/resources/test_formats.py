"""Releases that write different formats serve the games of one storage."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle

import pytest
from flask.testing import FlaskClient
from redis import Redis

from engine.snapshot import WRITTEN_FORMATS
from service.app import create_app
from service.config import Config
from service.store.game_store import GameStore
from tests.clock import Clock
from tests.player import QUICK, Player, create, refused

THREE, FOUR = WRITTEN_FORMATS
KEY = "a-random-key-of-a-client"


@pytest.fixture
def clients(config: Config, store: GameStore, clock: Clock) -> dict[int, FlaskClient]:
    """A client of an instance for each format that is written."""
    return {
        number: create_app(replace(config, write_format=number), store, clock).test_client()
        for number in WRITTEN_FORMATS
    }


def stored_format(server: Redis, game_id: str) -> int:
    number: int = json.loads(server.hget(f"{{g:{game_id}}}:game", "state"))["format"]
    return number


def taking_turns(player: Player, clients: dict[int, FlaskClient]) -> Iterator[int]:
    """Play a game to its end, each move at the next instance; the format of that, each time."""
    numbers = cycle(clients)
    while player.game["status"] == "playing":
        number = next(numbers)
        player.client = clients[number]
        phase = player.game["turn"]["phase"]
        answer = player.draw() if phase == "draw" else player.discard()
        assert answer.status_code == 200, answer.get_data()
        yield number


def test_a_changed_game_has_the_format_that_its_release_writes_up_and_down(
    clients: dict[int, FlaskClient], server: Redis
) -> None:
    player = create(clients[THREE], QUICK)
    assert stored_format(server, player.game["id"]) == THREE
    for number in taking_turns(player, clients):
        assert stored_format(server, player.game["id"]) == number
        read, other = (client.get(player.path).get_json() for client in clients.values())
        assert read == other
    assert player.get("/replay").status_code == 200


def test_an_answer_comes_again_from_an_instance_that_writes_another_format(
    clients: dict[int, FlaskClient],
) -> None:
    player = create(clients[FOUR], QUICK, idempotency_key=KEY)
    again = clients[THREE].post("/v1/games", json=QUICK, headers={"Idempotency-Key": KEY})
    assert again.get_data() == player.created.get_data()
    first = player.draw(idempotency_key="draw")
    player.client = clients[THREE]
    repeated = player.draw(idempotency_key="draw")
    assert repeated.get_data() == first.get_data()
    assert repeated.headers["Idempotency-Replayed"] == "true"


def test_a_rematch_and_a_review_are_the_same_at_every_instance(
    clients: dict[int, FlaskClient], server: Redis
) -> None:
    player = create(clients[FOUR], QUICK)
    for _ in taking_turns(player, clients):
        pass
    player.client = clients[FOUR]
    review = player.get("/review?seat=0").get_data()
    made = player.post("/rematch", {}, idempotency_key=KEY)
    assert made.status_code == 201
    player.client = clients[THREE]
    again = player.post("/rematch", {}, idempotency_key=KEY)
    assert again.get_data() == made.get_data()
    assert player.get("/review?seat=0").get_data() == review
    assert stored_format(server, made.get_json()["game"]["id"]) == FOUR


def test_a_game_of_a_later_release_is_left_as_it_is_and_the_log_names_its_format(
    clients: dict[int, FlaskClient], server: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    player = create(clients[FOUR], QUICK)
    key = f"{{g:{player.game['id']}}}:game"
    state = server.hget(key, "state").replace(b'"format":4', b'"format":5,"more":[]')
    server.hset(key, "state", state)
    before = server.hgetall(key)
    refused(player.draw(), 500, "game-damaged")
    (entry,) = [each for each in caplog.records if each.levelname == "ERROR"]
    assert "the stored game has format 5, and those read are 2, 3, 4" in entry.getMessage()
    assert server.hgetall(key) == before
