"""The keys of a seat: every key of a day is recognised, and the newest eight answers come again."""

from __future__ import annotations

import secrets
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Barrier
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis
from werkzeug.test import TestResponse

from service.games.idempotency import RECORD_TTL_SECONDS
from tests.clock import Clock
from tests.http.test_conditional_requests import same_answer
from tests.player import QUICK, Player, create, named, refused

DAY = RECORD_TTL_SECONDS * 1000
KEPT = 8
EXPIRED = (409, "idempotency-key-expired")


@dataclass
class Sent:
    """A move that was made: its request, and its answer."""

    path: str
    body: dict[str, Any]
    key: str
    answer: TestResponse


@dataclass
class Pair:
    """A game of two humans who never go out; every move has a key of its own."""

    client: FlaskClient
    key: str
    players: list[Player] = field(init=False)
    sent: tuple[list[Sent], list[Sent]] = field(default_factory=lambda: ([], []))

    def __post_init__(self) -> None:
        ann = create(self.client, {"seats": [{"kind": "human"}] * 2}, idempotency_key=self.key)
        invite = ann.created.get_json()["invites"][0]["code"]
        joined = self.client.post(ann.path + "/seats", json={"invite": invite})
        self.players = [ann, Player(self.client, joined)]

    @property
    def version(self) -> int:
        version: int = self.players[0].get().get_json()["version"]
        return version

    def play(self, moves: int, seat: int = 0) -> None:
        """Play until the seat has made so many more moves."""
        enough = len(self.sent[seat]) + moves
        turn = self.players[0].get().get_json()["turn"]
        while len(self.sent[seat]) < enough:
            turn = self._move(turn["seat"])["turn"]

    def _move(self, seat: int) -> dict[str, Any]:
        player, sent = self.players[seat], self.sent[seat]
        game = player.get().get_json()
        if game["turn"]["phase"] == "draw":
            path, body = "/draw", {"source": "stock"}
        else:
            path, body = "/discard", {"card": game["you"]["hand"][0], "go_out": False}
        key = f"key-{len(sent)}"
        answer = player.post(path, body, idempotency_key=key)
        assert answer.status_code == 200, answer.get_data()
        sent.append(Sent(path, body, key, answer))
        return player.game

    def repeat(self, number: int, seat: int = 0, **headers: str) -> TestResponse:
        """Send a move of a seat again."""
        move, player = self.sent[seat][number], self.players[seat]
        given = {**player.auth, "Idempotency-Key": move.key, **named(headers)}
        return self.client.post(player.path + move.path, json=move.body, headers=given)


@pytest.fixture
def pair(client: FlaskClient) -> Pair:
    return Pair(client, secrets.token_urlsafe(24))


@pytest.mark.parametrize("later", [1, 7, 8, 9, 100, 200])
def test_a_key_is_answered_whole_within_eight_moves_and_never_moves_again(
    pair: Pair, later: int
) -> None:
    pair.play(1)
    pair.play(later)
    first, version = pair.sent[0][0], pair.version
    other = pair.players[0].post("/discard", {"card": "2C"}, idempotency_key=first.key)
    if later < KEPT:
        same_answer(first.answer, pair.repeat(0))
        refused(other, 422, "idempotency-key-reused")
    else:
        for answer in (pair.repeat(0), other):
            assert refused(answer, *EXPIRED)["version"] == version
    assert pair.version == version


def test_the_newest_answers_of_every_seat_come_again(pair: Pair) -> None:
    pair.play(30)
    for seat, sent in enumerate(pair.sent):
        for number, move in enumerate(sent):
            if number >= len(sent) - KEPT:
                same_answer(move.answer, pair.repeat(number, seat))
            else:
                refused(pair.repeat(number, seat), *EXPIRED)


def test_repeats_and_moves_without_a_key_are_not_counted(client: FlaskClient) -> None:
    player = create(client, QUICK)
    first = player.draw(idempotency_key="one")
    for _ in range(KEPT):
        player.draw(idempotency_key="one")
    player.discard()
    for _ in range(KEPT):
        player.turn()
    same_answer(first, player.draw(idempotency_key="one"))


def test_refusals_are_not_counted(pair: Pair) -> None:
    pair.play(1)
    for number in range(2 * KEPT):
        wrong = pair.players[0].post("/draw", {"source": "stock"}, idempotency_key=f"w-{number}")
        refused(wrong, 409, "wrong-phase")
    same_answer(pair.sent[0][0].answer, pair.repeat(0))


def test_an_expired_key_is_judged_after_the_token_and_before_the_version_and_the_rules(
    pair: Pair,
) -> None:
    pair.play(KEPT + 1)
    refused(pair.repeat(0, if_match='"999.0.3"'), *EXPIRED)
    refused(pair.repeat(0, authorization="Bearer wrong"), 401, "invalid-token")
    pair.players[1].post("/leave", None, idempotency_key="leave")
    pair.players[0].post("/leave", None)
    refused(pair.repeat(0), 401, "invalid-token")


def test_an_expired_key_of_a_game_that_is_gone_is_not_found(pair: Pair) -> None:
    pair.play(KEPT + 1)
    pair.players[1].post("/leave", None)
    assert pair.client.delete(pair.players[0].path, headers=pair.players[0].auth).status_code == 204
    refused(pair.repeat(0), 404, "game-not-found")


def test_a_key_is_new_after_a_day(client: FlaskClient, clock: Clock) -> None:
    player = create(client, QUICK)
    first = player.draw(idempotency_key="draw")
    card = player.game["you"]["arrangement"]["discard"]
    discarded = player.discard(card, idempotency_key="discard")
    clock.now += DAY - 1
    same_answer(first, player.draw(idempotency_key="draw"))
    same_answer(discarded, player.discard(card, idempotency_key="discard"))
    clock.now += 1
    again = player.draw("discard", idempotency_key="draw")
    assert again.status_code == 200
    assert "Idempotency-Replayed" not in again.headers
    same_answer(again, player.draw("discard", idempotency_key="draw"))


def test_an_expired_key_is_new_after_a_day(pair: Pair, clock: Clock) -> None:
    pair.play(KEPT + 1)
    clock.now += DAY - 1
    refused(pair.repeat(0), *EXPIRED)
    clock.now += 1
    answer = pair.repeat(0)
    assert answer.status_code == 200 or answer.get_json()["code"] in {
        "wrong-phase",
        "not-your-turn",
    }


def test_the_answer_to_leaving_comes_again_whatever_the_others_do(pair: Pair) -> None:
    pair.play(KEPT + 1)
    left = pair.players[0].post("/leave", None, idempotency_key="leave")
    assert left.status_code == 204
    for _ in range(3 * KEPT):
        player = pair.players[1]
        player.game = player.get().get_json()
        phase = player.game["turn"]["phase"]
        move = player.draw if phase == "draw" else player.discard
        assert move(idempotency_key=secrets.token_hex()).status_code == 200
    same_answer(left, pair.players[0].post("/leave", None, idempotency_key="leave"))
    refused(pair.players[0].post("/leave", None, idempotency_key="other"), 401, "invalid-token")
    used = pair.players[0].post("/leave", None, idempotency_key=pair.sent[0][-1].key)
    refused(used, 422, "idempotency-key-reused")
    used = pair.players[0].post("/leave", None, idempotency_key=pair.sent[0][0].key)
    refused(used, *EXPIRED)


def test_two_equal_requests_at_once_make_one_move(app: Flask) -> None:
    player = create(app.test_client(), QUICK)
    barrier = Barrier(2)

    def draw(key: str) -> TestResponse:
        headers = {**player.auth, "Idempotency-Key": key}
        client = app.test_client()
        barrier.wait()
        return client.post(player.path + "/draw", json={"source": "stock"}, headers=headers)

    with ThreadPoolExecutor(2) as pool:
        for number in range(10):
            version = player.get().get_json()["version"]
            answers = [pool.submit(draw, f"key-{number}") for _ in range(2)]
            first, second = (each.result() for each in answers)
            assert first.status_code == second.status_code == 200
            assert first.get_data() == second.get_data()
            replayed = [each.headers.get("Idempotency-Replayed") for each in (first, second)]
            assert sorted(replayed, key=str) == [None, "true"]
            player.game = player.get().get_json()
            assert player.game["version"] == version + 1
            player.discard()


def test_the_records_of_a_whole_game_take_little_memory(client: FlaskClient, server: Redis) -> None:
    seats = [{"kind": "human"}, *({"kind": "ai", "level": "easy"},) * 3]
    body = {"seats": seats, "seed": "00" * 32}
    player, moves = create(client, body, idempotency_key=secrets.token_urlsafe(24)), 0
    while player.game["status"] == "playing" and moves < 153:
        key = {"idempotency_key": secrets.token_urlsafe(24)}
        if player.game["turn"]["phase"] == "draw":
            answer = player.draw(**key)
        else:
            card = player.game["you"]["arrangement"]["discard"]
            answer = player.post("/discard", {"card": card, "go_out": False}, **key)
        moves += answer.status_code == 200
    assert moves > 100
    names = [*server.scan_iter(f"{{g:{player.game['id']}}}:*")]
    records = [name for name in names if not name.endswith((b":game", b":events"))]
    assert len(records) == 3
    assert sum(server.memory_usage(name, samples=0) for name in records) < 16_000
