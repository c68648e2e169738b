"""A game that an earlier version of the service began is played on, and its keys stay known.

That version stored the meta and the idempotency records as JSON, each record under a key of its own
and whole for 24 hours. `tests/data/game_with_json_records.json` has all that it stored of a game,
and the requests with a key that it had answered.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from redis import Redis
from werkzeug.test import TestResponse

from service.games.stored.meta import Meta
from service.store.game_store import GameStore
from service.store.models import RecordKey
from tests.clock import Clock
from tests.player import QUICK, create, refused

OLD = json.loads((Path(__file__).parents[2] / "data/game_with_json_records.json").read_text())
TAG = f"{{g:{OLD['id']}}}"
PATH = f"/v1/games/{OLD['id']}"
DAY_SECONDS = 86_400


@pytest.fixture(autouse=True)
def old_game(server: Redis, clock: Clock) -> None:
    """Store the game as it was, at the time of its last move."""
    clock.now = OLD["now"]
    server.delete(*server.scan_iter(f"{TAG}:*"), f"{TAG}:game")
    server.hset(f"{TAG}:game", mapping=OLD["stored"]["game"])
    server.rpush(f"{TAG}:events", *OLD["stored"]["events"])
    for name, record in OLD["stored"]["records"].items():
        server.set(f"{TAG}:{name}", record, ex=DAY_SECONDS)


def post(
    client: FlaskClient, path: str, body: object, token: str | None, key: str | None
) -> TestResponse:
    given = {"Authorization": token and f"Bearer {token}", "Idempotency-Key": key}
    headers = {name: value for name, value in given.items() if value}
    return client.post(path, json=body, headers=headers)


def repeat(client: FlaskClient, sent: dict[str, Any]) -> TestResponse:
    return post(client, sent["path"], sent["body"], sent["token"], sent["key"])


def check_old_answers(client: FlaskClient) -> None:
    for sent in OLD["exchanges"]:
        answer = repeat(client, sent)
        assert answer.get_data(as_text=True) == sent["answer"]
        assert answer.status_code == sent["status"]
        assert answer.headers["Idempotency-Replayed"] == "true"
        assert answer.headers.get("ETag") == sent["etag"]
        assert answer.headers.get("Location") == sent["location"]


def move(client: FlaskClient, key: str | None) -> tuple[dict[str, Any], TestResponse]:
    """The next move of whoever is to move: its request, and its answer."""
    token = OLD["tokens"][client.get(PATH).get_json()["turn"]["seat"]]
    view = client.get(PATH, headers={"Authorization": f"Bearer {token}"}).get_json()
    if view["turn"]["phase"] == "draw":
        sent = {"path": f"{PATH}/draw", "body": {"source": "stock"}}
    else:
        body = {"card": view["you"]["hand"][0], "go_out": False}
        sent = {"path": f"{PATH}/discard", "body": body}
    sent |= {"token": token, "key": key}
    answer = repeat(client, sent)
    assert answer.status_code == 200, answer.get_data()
    return sent, answer


def test_an_old_game_is_played_on_and_every_old_key_is_answered(
    client: FlaskClient, store: GameStore
) -> None:
    check_old_answers(client)
    made = [move(client, f"new-{number}") for number in range(44)]
    check_old_answers(client)
    for place, (sent, first) in enumerate(made):
        again = repeat(client, sent)
        later = [each for each, _ in made[place + 1 :] if each["token"] == sent["token"]]
        if len(later) < 8:
            assert again.get_data() == first.get_data()
            assert again.headers["Idempotency-Replayed"] == "true"
        else:
            refused(again, 409, "idempotency-key-expired")
    stored, _ = store.read(OLD["id"])
    assert stored is not None
    assert stored.version == int(OLD["stored"]["game"]["version"]) + len(made)
    assert Meta.parse(stored).old_records


def test_a_repeat_that_meets_its_first_request_halfway_gets_its_answer(
    client: FlaskClient, store: GameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, answers = store.read, []
    sent, _ = move(client, "first")
    token, other = sent["token"], {"key": "second", "token": sent["token"]}
    view = client.get(PATH, headers={"Authorization": f"Bearer {token}"}).get_json()
    body = {"card": view["you"]["hand"][0], "go_out": False}
    other |= {"path": f"{PATH}/discard", "body": body}

    def read_after_the_first(game_id: str, key: Any = None) -> Any:
        if isinstance(key, RecordKey) and not answers:
            answers.append(None)
            answers[0] = repeat(client, other)
        return read(game_id, key)

    monkeypatch.setattr(store, "read", read_after_the_first)
    again = repeat(client, other)
    assert again.get_data() == answers[0].get_data()
    assert (again.status_code, again.headers["Idempotency-Replayed"]) == (200, "true")


def test_an_old_key_belongs_to_its_request(client: FlaskClient) -> None:
    sent = OLD["exchanges"][-1]
    for moves in (0, 1):
        for _ in range(moves):
            move(client, None)
        other = post(client, sent["path"], {"card": "2C"}, sent["token"], sent["key"])
        refused(other, 422, "idempotency-key-reused")


def test_an_old_key_is_new_once_its_record_is_gone(client: FlaskClient, server: Redis) -> None:
    sent = OLD["exchanges"][-1]
    for name in OLD["stored"]["records"]:
        server.delete(f"{TAG}:{name}")
    answer = repeat(client, sent)
    assert "Idempotency-Replayed" not in answer.headers
    assert answer.status_code == 409  # the card has gone, or it is the other's turn


def test_a_damaged_record_is_a_damaged_game(client: FlaskClient, server: Redis) -> None:
    sent = OLD["exchanges"][-1]
    for damage in ("\nnonsense", "\n{}", "\n", "nonsense"):
        for name in OLD["stored"]["records"]:
            server.set(f"{TAG}:{name}", damage)
        refused(repeat(client, sent), 500, "game-damaged")


def test_a_new_game_has_no_old_records(client: FlaskClient, store: GameStore) -> None:
    player = create(client, QUICK)
    player.draw(idempotency_key="one")
    stored, _ = store.read(player.game["id"])
    assert stored is not None
    assert not Meta.parse(stored).old_records
