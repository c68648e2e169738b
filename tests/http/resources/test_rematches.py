"""A rematch: who may ask for one, what it is like, how the others come, and what a retry gives."""

from __future__ import annotations

import secrets
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis
from werkzeug.test import TestResponse

from tests.dealer import Replayer
from tests.http.test_conditional_requests import same_answer
from tests.player import QUICK, Player, create, named, refused

HUMAN, AI = {"kind": "human"}, {"kind": "ai", "level": "easy"}
OPTIONS = {
    "jokers": 2,
    "aces": "both",
    "hints": False,
    "turn_seconds": 60,
    "rounds": {"first": 4, "last": 5},
}
NAMES = ("Ann", "Bea", "Cem")


def rematch(player: Player, **headers: str) -> TestResponse:
    return player.client.post(player.path + "/rematch", headers={**player.auth, **named(headers)})


def join(client: FlaskClient, game_id: str, body: object, **headers: str) -> TestResponse:
    return client.post(f"/v1/games/{game_id}/seats", json=body, headers=named(headers))


def show(client: FlaskClient, game_id: str) -> dict[str, Any]:
    seen: dict[str, Any] = client.get(f"/v1/games/{game_id}").get_json()
    return seen


def play_to_the_end(players: dict[int, Player]) -> None:
    """Let all humans of a game play it to its end."""
    mover = next(iter(players.values()))
    while (game := mover.get().get_json())["status"] == "playing":
        mover = players[game["turn"]["seat"]]
        mover.game = mover.get().get_json()
        mover.turn()


def finished(client: FlaskClient, humans: int = 2, **options: object) -> list[Player]:
    """The humans of a finished game, whose last seat is an AI player's."""
    seats = [*({**HUMAN, "name": name} for name in NAMES[:humans]), AI]
    ann = create(client, {"seats": seats, **options})
    codes = {each["seat"]: each["code"] for each in ann.created.get_json()["invites"]}
    others = [
        Player(client, join(client, ann.game["id"], {"invite": codes[seat]})) for seat in codes
    ]
    play_to_the_end(dict(enumerate([ann, *others])))
    return [ann, *others]


@pytest.fixture
def alone(client: FlaskClient) -> Player:
    """The only human of a finished game."""
    player = create(client, QUICK)
    player.play_to_the_end()
    return player


def test_the_only_human_plays_on_at_once(alone: Player) -> None:
    answer = rematch(alone)
    assert answer.status_code == 201
    body = answer.get_json()
    game = body["game"]
    assert answer.headers["Location"] == f"/v1/games/{game['id']}"
    assert answer.headers["ETag"] == f'"1.{body["seat"]}.3"'
    assert set(body) == {"game", "seat", "token", "invites", "events"}
    assert (body["seat"], body["invites"], game["version"]) == (0, [], 1)
    assert (game["status"], game["seeded"], game["rematch"]) == ("playing", False, None)
    assert game["commitment"] != alone.game["commitment"]
    assert game["id"] != alone.game["id"]
    assert [event["type"] for event in body["events"]][:2] == ["seat_joined", "round_dealt"]
    following = Player(alone.client, answer)
    assert following.token != alone.token
    assert following.draw().status_code == 200


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b'{"jokers": 2}', 422, "validation-failed"),
        (b"[]", 422, "validation-failed"),
        (b"{", 400, "malformed-json"),
    ],
)
def test_a_rematch_takes_no_options(alone: Player, body: bytes, status: int, code: str) -> None:
    answer = alone.client.post(
        alone.path + "/rematch",
        data=body,
        content_type="application/json",
        headers=alone.auth,
    )
    refused(answer, status, code)
    assert show(alone.client, alone.game["id"])["rematch"] is None


@pytest.mark.parametrize("body", [b"", b"{}"])
def test_an_empty_body_is_none(alone: Player, body: bytes) -> None:
    answer = alone.client.post(
        alone.path + "/rematch",
        data=body,
        content_type="application/json" if body else None,
        headers=alone.auth,
    )
    assert answer.status_code == 201


def test_a_rematch_has_the_same_table_and_options_and_deals_on(client: FlaskClient) -> None:
    ann, bea = finished(client, **OPTIONS)
    old = bea.get().get_json()
    first_dealer = client.get(ann.path + "/replay").get_json()["first_dealer"]
    answer = rematch(bea).get_json()
    game = answer["game"]
    assert (answer["seat"], game["status"], game["you"]["seat"]) == (1, "waiting", 1)
    assert [seat["joined"] for seat in game["seats"]] == [False, True, True]
    for name in ("name", "kind", "level", "position"):
        assert [seat[name] for seat in game["seats"]] == [seat[name] for seat in old["seats"]]
    assert (game["rules"], game["turn_seconds"]) == (old["rules"], old["turn_seconds"])
    assert [event["seat"] for event in answer["events"]] == [1]
    joined = join(client, game["id"], {"token": ann.token}).get_json()
    dealt = next(event for event in joined["events"] if event["type"] == "round_dealt")
    assert dealt["dealer"] == (first_dealer + 1) % 3
    assert joined["game"]["seats"][0]["name"] == "Ann"
    assert (joined["seat"], joined["game"]["status"]) == (0, "playing")


def test_the_old_game_shows_its_rematch_at_a_new_version(client: FlaskClient) -> None:
    ann, bea = finished(client)
    before = ann.get().get_json()
    assert before["rematch"] is None
    tag = ann.get().headers["ETag"]
    game_id = rematch(ann).get_json()["game"]["id"]
    for seen in (show(client, before["id"]), bea.get().get_json(), ann.get().get_json()):
        assert (seen["rematch"], seen["version"]) == (game_id, before["version"] + 1)
    assert ann.get(if_none_match=tag).status_code == 200
    replay = client.get(ann.path + "/replay").get_json()
    assert replay["rematch_of"] is None
    assert show(client, game_id)["rematch"] is None


def test_a_second_rematch_is_refused_and_names_the_first(client: FlaskClient) -> None:
    ann, bea = finished(client)
    game_id = rematch(ann).get_json()["game"]["id"]
    for player in (ann, bea):
        problem = refused(rematch(player), 409, "rematch-made")
        assert (problem["rematch"], problem["version"]) == (game_id, show_version(player))
    assert show(client, game_id)["version"] == 1


def show_version(player: Player) -> int:
    version: int = player.get().get_json()["version"]
    return version


def test_only_humans_of_a_finished_game_have_a_rematch(client: FlaskClient) -> None:
    player = create(client, QUICK)
    refused(rematch(player), 409, "game-not-finished")
    refused(client.post(player.path + "/rematch"), 401, "token-required")
    player.token = "of nobody"
    refused(rematch(player), 401, "invalid-token")
    refused(rematch(player, idempotency_key="short"), 401, "invalid-token")
    missing = "/v1/games/none/rematch"
    refused(client.post(missing), 404, "game-not-found")
    waiting = create(client, {"seats": [HUMAN, HUMAN]})
    refused(rematch(waiting), 409, "game-not-finished")
    refused(rematch(waiting, idempotency_key="short"), 422, "validation-failed")


def test_a_game_that_all_have_left_has_no_rematch(client: FlaskClient) -> None:
    player = create(client, QUICK)
    assert player.client.post(player.path + "/leave", headers=player.auth).status_code == 204
    refused(rematch(player), 401, "invalid-token")


def test_a_seat_that_was_left_stays_an_ais_and_then_nobody_deletes(client: FlaskClient) -> None:
    ann = create(client, {"seats": [HUMAN, HUMAN]})
    code = ann.created.get_json()["invites"][0]["code"]
    bea = Player(client, join(client, ann.game["id"], {"invite": code}))
    assert client.post(ann.path + "/leave", headers=ann.auth).status_code == 204
    bea.game = bea.get().get_json()
    bea.play_to_the_end()
    answer = rematch(bea)
    following = Player(client, answer)
    assert following.game["seats"][0]["kind"] == "ai"
    assert (answer.get_json()["seat"], following.game["status"]) == (1, "playing")
    refused(join(client, following.game["id"], {"token": ann.token}), 403, "unknown-invite")
    refused(client.delete(following.path, headers=following.auth), 403, "not-permitted")
    refused(rematch(ann), 401, "invalid-token")


def test_the_token_of_the_old_game_is_an_invite_once_and_nothing_else(client: FlaskClient) -> None:
    ann, bea, cem = finished(client, humans=3)
    game_id = rematch(ann).get_json()["game"]["id"]
    path = f"/v1/games/{game_id}"
    for player in (ann, bea, cem):
        for call in (path, path + "/scores", path + "/events"):
            refused(client.get(call, headers=player.auth), 401, "invalid-token")
        moved = client.post(path + "/draw", json={"source": "stock"}, headers=player.auth)
        refused(moved, 401, "invalid-token")
    refused(join(client, game_id, {"token": ann.token}), 409, "seat-taken")
    first = join(client, game_id, {"token": cem.token, "name": "Cara"})
    assert first.status_code == 201
    assert set(first.get_json()) == {"game", "seat", "token", "events"}
    assert (first.get_json()["seat"], first.get_json()["game"]["status"]) == (2, "waiting")
    refused(join(client, game_id, {"token": cem.token}), 409, "seat-taken")
    second = join(client, game_id, {"token": bea.token})
    assert (second.get_json()["seat"], second.get_json()["game"]["status"]) == (1, "playing")
    names = [seat["name"] for seat in show(client, game_id)["seats"]][:3]
    assert names == ["Ann", "Bea", "Cara"]
    assert client.get(path, headers=Player(client, second).auth).status_code == 200


def test_a_token_of_another_game_invites_nobody(client: FlaskClient) -> None:
    (ann, bea), others = finished(client), finished(client)
    game_id = rematch(ann).get_json()["game"]["id"]
    new_token = rematch(others[0]).get_json()["token"]
    for token in (others[1].token, new_token, "of nobody"):
        refused(join(client, game_id, {"token": token}), 403, "unknown-invite")
    refused(join(client, game_id, {"invite": bea.token}), 403, "unknown-invite")
    refused(join(client, ann.game["id"], {"token": bea.token}), 403, "unknown-invite")
    waiting = create(client, {"seats": [HUMAN, HUMAN]})
    invite = waiting.created.get_json()["invites"][0]["code"]
    refused(join(client, waiting.game["id"], {"token": invite}), 403, "unknown-invite")


@pytest.mark.parametrize("body", [{}, {"name": "Bo"}, {"invite": "i", "token": "t"}])
def test_a_join_has_one_invite_or_one_token(client: FlaskClient, body: object) -> None:
    waiting = create(client, {"seats": [HUMAN, HUMAN]})
    problem = refused(join(client, waiting.game["id"], body), 422, "validation-failed")
    fault = {"pointer": "", "detail": "Send exactly one of invite and token."}
    assert problem["errors"] == [fault]
    refused(join(client, "none", body), 404, "game-not-found")


@pytest.mark.parametrize("value", [None, 7, "", "t" * 101])
def test_a_token_to_join_with_is_a_text(client: FlaskClient, value: object) -> None:
    waiting = create(client, {"seats": [HUMAN, HUMAN]})
    problem = refused(join(client, waiting.game["id"], {"token": value}), 422, "validation-failed")
    assert [fault["pointer"] for fault in problem["errors"]] == ["/token"]


def test_a_repeated_rematch_has_its_answer_and_token_again(
    client: FlaskClient,
) -> None:
    ann, bea = finished(client)
    key = secrets.token_urlsafe(24)
    first = rematch(ann, idempotency_key=key)
    same_answer(first, rematch(ann, idempotency_key=key))
    joined = join(client, first.get_json()["game"]["id"], {"token": bea.token})
    assert joined.status_code == 201
    same_answer(first, rematch(ann, idempotency_key=key))
    refused(rematch(bea, idempotency_key=key), 422, "idempotency-key-reused")
    refused(rematch(ann, idempotency_key=secrets.token_urlsafe(24)), 409, "rematch-made")
    following = Player(client, first)
    assert following.get().status_code == 200
    assert client.delete(ann.path, headers=ann.auth).status_code == 204
    refused(rematch(ann, idempotency_key=key), 404, "game-not-found")


def test_a_repeated_join_with_a_token_has_its_answer_again(client: FlaskClient) -> None:
    ann, bea = finished(client)
    game_id = rematch(ann).get_json()["game"]["id"]
    key = secrets.token_urlsafe(24)
    first = join(client, game_id, {"token": bea.token}, idempotency_key=key)
    same_answer(first, join(client, game_id, {"token": bea.token}, idempotency_key=key))
    other = join(client, game_id, {"token": bea.token, "name": "Eve"}, idempotency_key=key)
    refused(other, 422, "idempotency-key-reused")


def test_what_is_stored_holds_no_token(client: FlaskClient, server: Redis) -> None:
    ann, bea = finished(client)
    body = rematch(ann, idempotency_key=secrets.token_urlsafe(24)).get_json()
    joined = join(client, body["game"]["id"], {"token": bea.token}).get_json()
    stored = []
    for game_id in (ann.game["id"], body["game"]["id"]):
        for name in server.scan_iter(f"{{g:{game_id}}}:*"):
            read = {b"hash": server.hgetall, b"list": lambda key: server.lrange(key, 0, -1)}
            stored.append(str(read.get(server.type(name), server.get)(name)))
            assert server.ttl(name) > 0
    for token in (ann.token, bea.token, body["token"], joined["token"]):
        assert not [text for text in stored if token in text]


def test_the_key_of_a_creation_makes_a_rematch_of_its_own(client: FlaskClient) -> None:
    key = secrets.token_urlsafe(24)
    player = create(client, QUICK, idempotency_key=key)
    player.play_to_the_end()
    answer = rematch(player, idempotency_key=key)
    assert answer.status_code == 201
    assert answer.get_json()["game"]["id"] != player.game["id"]
    assert "Idempotency-Replayed" not in answer.headers


def test_of_two_rematches_at_once_one_is_made(app: Flask) -> None:
    for _ in range(5):
        player = create(app.test_client(), QUICK)
        player.play_to_the_end()

        def ask(_: int, player: Player = player) -> TestResponse:
            return app.test_client().post(player.path + "/rematch", headers=player.auth)

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(ask, range(8)))
        (made,) = [answer.get_json() for answer in answers if answer.status_code == 201]
        others = [refused(each, 409, "rematch-made") for each in answers if each.status_code != 201]
        assert [problem["rematch"] for problem in others] == [made["game"]["id"]] * 7
        assert player.get().get_json()["rematch"] == made["game"]["id"]
        auth = {"Authorization": f"Bearer {made['token']}"}
        path = f"/v1/games/{made['game']['id']}"
        assert app.test_client().get(path, headers=auth).status_code == 200


def test_equal_rematches_at_once_have_one_answer(app: Flask) -> None:
    for _ in range(5):
        player = create(app.test_client(), QUICK)
        player.play_to_the_end()
        headers = {**player.auth, "Idempotency-Key": secrets.token_urlsafe(24)}

        def ask(_: int, path: str = player.path, headers: dict[str, str] = headers) -> TestResponse:
            return app.test_client().post(path + "/rematch", headers=headers)

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(ask, range(8)))
        assert {answer.status_code for answer in answers} == {201}
        assert len({answer.get_data() for answer in answers}) == 1
        body = answers[0].get_json()
        auth = {"Authorization": f"Bearer {body['token']}"}
        seen = app.test_client().get(f"/v1/games/{body['game']['id']}", headers=auth)
        assert seen.get_json() == body["game"]


def test_a_rematch_can_be_played_and_verified_and_played_again(client: FlaskClient) -> None:
    player = create(client, QUICK)
    dealers, ids = [], []
    for _ in range(2):
        player.play_to_the_end()
        ids.append(player.game["id"])
        replay = client.get(player.path + "/replay").get_json()
        Replayer(replay).check()
        dealers.append(replay["first_dealer"])
        player = Player(client, rematch(player))
    player.play_to_the_end()
    replay = client.get(player.path + "/replay").get_json()
    assert replay["rematch_of"] == ids[-1]
    Replayer(replay).check()
    first = dealers[0]
    assert [*dealers, replay["first_dealer"]] == [first, (first + 1) % 2, first]


def test_a_rematch_that_nobody_plays_is_forgotten_like_any_game(
    alone: Player, server: Redis
) -> None:
    game = rematch(alone).get_json()["game"]
    plain = create(alone.client, QUICK).game
    assert game["expires_at"] == plain["expires_at"]
    lifetimes = [server.ttl(f"{{g:{each['id']}}}:game") for each in (game, plain)]
    assert abs(lifetimes[0] - lifetimes[1]) <= 2
