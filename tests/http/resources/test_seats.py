"""Several humans at one table: joining, leaving, running out of time."""

from __future__ import annotations

import secrets
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis
from werkzeug.test import TestResponse

from tests.clock import Clock
from tests.player import Player, named, refused
from tests.scale import scaled

HUMAN, AI = {"kind": "human"}, {"kind": "ai"}
SECONDS = 60


@dataclass
class Table:
    """A game of several humans, each with a client of their own."""

    client: FlaskClient
    body: dict[str, Any]

    def __post_init__(self) -> None:
        self.created = self.client.post("/v1/games", json=self.body)
        self.ann = Player(self.client, self.created)
        self.invites = {
            invite["seat"]: invite["code"] for invite in self.created.get_json()["invites"]
        }

    def join(self, seat: int, name: str | None = None, **headers: str) -> TestResponse:
        body = {"invite": self.invites[seat], "name": name}
        return self.client.post(self.ann.path + "/seats", json=body, headers=named(headers))

    def joined(self, seat: int, name: str | None = None) -> Player:
        return Player(self.client, self.join(seat, name))

    def show(self) -> dict[str, Any]:
        seen: dict[str, Any] = self.client.get(self.ann.path).get_json()
        return seen


@pytest.fixture
def table(client: FlaskClient) -> Table:
    return Table(client, {"seats": [{**HUMAN, "name": "Ann"}, HUMAN, AI, HUMAN]})


@pytest.fixture
def pair(client: FlaskClient) -> tuple[Player, Player]:
    """Two humans in a game with bounded turns."""
    table = Table(client, {"seats": [HUMAN, HUMAN], "turn_seconds": SECONDS})
    bea = table.joined(1)
    table.ann.game = table.ann.get().get_json()
    return table.ann, bea


def mover(pair: tuple[Player, Player]) -> tuple[Player, Player]:
    """The two, whoever is to move first."""
    first = pair[0].get().get_json()["turn"]["seat"]
    return pair[first], pair[1 - first]


def types(answer: TestResponse) -> list[str]:
    return [event["type"] for event in answer.get_json()["events"]]


def test_a_game_of_several_humans_waits_for_them(table: Table) -> None:
    game = table.ann.game
    assert set(table.invites) == {1, 3}
    assert (game["status"], game["round"], game["turn"]) == ("waiting", None, None)
    assert (game["stock_count"], game["discard_top"], game["you"]["hand"]) == (None, None, None)
    assert [event["type"] for event in table.created.get_json()["events"]] == ["seat_joined"]
    refused(table.ann.draw(), 409, "game-waiting")


def test_the_last_to_join_begins_the_game(table: Table) -> None:
    first = table.join(3, "Cem")
    assert (first.status_code, types(first)) == (201, ["seat_joined"])
    assert first.get_json()["game"]["status"] == "waiting"
    second = table.join(1, "Bea")
    assert types(second)[:2] == ["seat_joined", "round_dealt"]
    body = second.get_json()
    assert set(body) == {"game", "seat", "token", "events"}
    assert (body["seat"], body["game"]["you"]["seat"], len(body["game"]["you"]["hand"])) == (
        1,
        1,
        3,
    )
    assert second.headers["ETag"] == '"3.1.3"'
    assert [seat["name"] for seat in table.show()["seats"]] == ["Ann", "Bea", "Top", "Cem"]


def test_humans_without_a_name_are_called_by_their_seat(table: Table) -> None:
    assert table.join(3).get_json()["game"]["seats"][3]["name"] == "Player 4"


def test_a_seeded_game_has_one_human(client: FlaskClient) -> None:
    answer = client.post("/v1/games", json={"seats": [HUMAN, HUMAN], "seed": "11" * 32})
    assert refused(answer, 422, "validation-failed")["errors"][0]["pointer"] == "/seats/1/kind"


def test_an_invite_is_good_once(table: Table) -> None:
    table.join(1)
    refused(table.join(1), 409, "seat-taken")


def test_an_unknown_invite_is_refused(table: Table, client: FlaskClient) -> None:
    path = table.ann.path + "/seats"
    refused(client.post(path, json={"invite": "x"}), 403, "unknown-invite")
    refused(client.post(path, json={"invite": table.ann.token}), 403, "unknown-invite")
    other = Table(client, table.body)
    refused(client.post(path, json={"invite": other.invites[1]}), 403, "unknown-invite")
    refused(client.post("/v1/games/none/seats", json={"invite": "x"}), 404, "game-not-found")
    refused(client.post("/v1/games/none/seats", json={}), 404, "game-not-found")
    assert refused(client.post(path, json={}), 422, "validation-failed")["errors"]


def test_a_repeated_joining_has_its_answer_and_token_again(table: Table, server: Redis) -> None:
    key = secrets.token_urlsafe(24)
    first, again = (table.join(1, "Bea", idempotency_key=key) for _ in range(2))
    assert again.get_data() == first.get_data()
    assert again.headers["Idempotency-Replayed"] == "true"
    token = first.get_json()["token"]
    for name in server.scan_iter(f"{{g:{table.ann.game['id']}}}:key:*"):
        assert token.encode() not in server.get(name)
    refused(table.join(1, "Eve", idempotency_key=key), 422, "idempotency-key-reused")
    refused(table.join(1, "Bea", idempotency_key="short"), 422, "validation-failed")


def test_a_repeated_creation_shows_the_same_invites(client: FlaskClient) -> None:
    headers = {"Idempotency-Key": secrets.token_urlsafe(24)}
    body = {"seats": [HUMAN, HUMAN, HUMAN]}
    first, again = (client.post("/v1/games", json=body, headers=headers) for _ in range(2))
    assert first.get_data() == again.get_data()
    assert len({invite["code"] for invite in first.get_json()["invites"]}) == 2


def test_what_is_stored_holds_no_invite(client: FlaskClient, server: Redis) -> None:
    headers = {"Idempotency-Key": secrets.token_urlsafe(24)}
    answer = client.post("/v1/games", json={"seats": [HUMAN, HUMAN]}, headers=headers).get_json()
    code = answer["invites"][0]["code"].encode()
    redis = server
    for name in redis.scan_iter(f"{{g:{answer['game']['id']}}}:*"):
        kind = redis.type(name)
        stored = redis.hgetall(name) if kind == b"hash" else None
        stored = redis.lrange(name, 0, -1) if kind == b"list" else stored or redis.get(name)
        assert code not in str(stored).encode()


def test_parallel_joins_never_seat_two(app: Flask) -> None:
    for _ in range(scaled(40)):
        table = Table(app.test_client(), {"seats": [HUMAN, HUMAN, AI]})
        body = {"invite": table.invites[1]}

        def join(_: int, path: str = table.ann.path, body: dict[str, Any] = body) -> int:
            return app.test_client().post(path + "/seats", json=body).status_code

        with ThreadPoolExecutor(20) as pool:
            statuses = sorted(pool.map(join, range(20)))
        assert statuses == [201] + [409] * 19


def test_each_seat_sees_its_own_hand_and_moves_in_its_turn(pair: tuple[Player, Player]) -> None:
    first, second = mover(pair)
    views = [player.get().get_json() for player in pair]
    assert views[0]["you"]["hand"] != views[1]["you"]["hand"]
    assert [seen["you"]["seat"] for seen in views] == [0, 1]
    expected = refused(second.draw(), 409, "not-your-turn")["expected"]
    assert expected == first.game["you"]["seat"]
    refused(second.get("/hint"), 409, "not-your-turn")
    assert first.get("/hint").status_code == 200
    drawn = first.draw()
    event = drawn.get_json()["events"][0]
    listed = second.get(f"/events?after={event['seq'] - 1}").get_json()["events"][0]
    assert (listed["card"], event["card"] is not None) == (None, True)


def test_the_same_key_of_two_seats_is_two_keys(pair: tuple[Player, Player]) -> None:
    first, second = mover(pair)
    first.draw(idempotency_key="shared")
    refused(second.draw(idempotency_key="shared"), 409, "not-your-turn")
    first.discard()
    answer = second.draw(idempotency_key="shared")
    assert answer.status_code == 200
    assert "Idempotency-Replayed" not in answer.headers


def leave(player: Player, **headers: str) -> TestResponse:
    return player.client.post(player.path + "/leave", headers={**player.auth, **named(headers)})


def test_who_leaves_is_played_on_by_an_ai_and_has_no_token_any_more(
    pair: tuple[Player, Player],
) -> None:
    first, second = mover(pair)
    answer = leave(first)
    assert (answer.status_code, answer.get_data()) == (204, b"")
    seen = second.get().get_json()
    seat = seen["seats"][first.game["you"]["seat"]]
    assert (seat["kind"], seat["level"] is not None) == ("ai", True)
    assert seen["turn"]["seat"] == second.game["you"]["seat"]
    for refusal in (first.get(), first.draw(), leave(first), first.get("/scores")):
        refused(refusal, 401, "invalid-token")
    assert second.draw().status_code == 200


def test_a_repeated_leaving_has_its_answer_again(pair: tuple[Player, Player]) -> None:
    first, _ = pair
    assert leave(first, idempotency_key="bye").status_code == 204
    again = leave(first, idempotency_key="bye")
    assert (again.status_code, again.headers["Idempotency-Replayed"]) == (204, "true")
    refused(leave(first, idempotency_key="other"), 401, "invalid-token")


def test_the_last_humans_leaving_ends_the_game(pair: tuple[Player, Player]) -> None:
    first, second = pair
    leave(first)
    leave(second)
    seen = first.client.get(first.path).get_json()
    assert (seen["status"], seen["result"], seen["turn"]) == ("finished", None, None)
    events = first.client.get(first.path + "/events?limit=1000").get_json()["events"]
    assert [event["type"] for event in events[-2:]] == ["seat_left", "game_abandoned"]
    replay = first.client.get(first.path + "/replay").get_json()
    assert replay["secret"] == events[-1]["secret"]


def test_a_game_that_others_play_is_not_deleted(pair: tuple[Player, Player]) -> None:
    ann, bea = pair
    for player in pair:
        answer = ann.client.delete(ann.path, headers=player.auth)
        refused(answer, 403, "not-permitted")
    leave(bea)
    assert ann.client.delete(ann.path, headers=ann.auth).status_code == 204


def test_a_waiting_game_is_deleted_by_its_creator(table: Table) -> None:
    bea = table.joined(1)
    refused(table.client.delete(bea.path, headers=bea.auth), 403, "not-permitted")
    assert table.client.delete(bea.path, headers=table.ann.auth).status_code == 204


def test_a_view_has_the_time_when_the_turn_is_over(
    pair: tuple[Player, Player], clock: Clock
) -> None:
    first, _ = mover(pair)
    seen = first.get().get_json()
    assert seen["turn_seconds"] == SECONDS
    assert seen["turn"]["deadline"] == "2027-01-15T08:01:00.000Z"
    assert [seat["away"] for seat in seen["seats"]] == [False, False]
    clock.now += 5_000
    first.draw()
    assert first.game["turn"]["deadline"] == "2027-01-15T08:01:00.000Z"


def test_without_a_bound_there_is_no_deadline(client: FlaskClient) -> None:
    game = Table(client, {"seats": [HUMAN, AI]}).ann.game
    assert (game["turn_seconds"], game["turn"]["deadline"]) == (None, None)


@pytest.mark.parametrize("call", ["", "/scores", "/events"])
def test_an_overdue_turn_is_settled_by_the_next_to_look(
    pair: tuple[Player, Player], clock: Clock, call: str
) -> None:
    first, second = mover(pair)
    version = first.get().get_json()["version"]
    clock.now += SECONDS * 1000
    assert second.client.get(second.path).get_json()["version"] == version
    assert second.get(call).status_code == 200
    seen = second.client.get(second.path).get_json()
    assert seen["version"] == version + 1
    assert seen["turn"]["seat"] == second.game["you"]["seat"]
    assert seen["seats"][first.game["you"]["seat"]]["away"] is True


def test_an_overdue_move_is_decided_on_the_game_after_the_overdue_turns(
    pair: tuple[Player, Player], clock: Clock
) -> None:
    first, second = mover(pair)
    clock.now += SECONDS * 1000
    assert second.draw().status_code == 200
    assert first.draw().status_code == 409
    assert second.get().get_json()["seats"][first.game["you"]["seat"]]["away"] is False
    clock.now += SECONDS * 1000
    answer = second.discard()  # its turn is over: another's has begun, or its own of a new round
    assert answer.status_code == 409
    assert answer.get_json()["code"] in ("not-your-turn", "wrong-phase")


def test_who_is_away_comes_back_with_any_request(pair: tuple[Player, Player], clock: Clock) -> None:
    first, second = mover(pair)
    clock.now += SECONDS * 1000
    second.draw()
    first.get()
    answer = second.discard()
    assert answer.status_code == 200
    events = answer.get_json()["events"]
    seat = first.game["you"]["seat"]
    assert (seat, "card_drawn") not in [(e.get("seat"), e["type"]) for e in events]
    listed = second.get("/events?limit=1000").get_json()["events"]
    types = [event["type"] for event in listed]
    assert types.index("seat_away") < types.index("seat_returned")


def test_whoever_is_alone_and_late_finds_the_turn_played(client: FlaskClient, clock: Clock) -> None:
    ann = Table(client, {"seats": [HUMAN, AI, AI], "turn_seconds": SECONDS}).ann
    clock.now += 10 * SECONDS * 1000
    seen = ann.get().get_json()
    assert (seen["version"], seen["turn"]["seat"]) == (2, 0)
    assert seen["seats"][0]["away"] is False
    assert seen["turn"]["deadline"] == "2027-01-15T08:11:00.000Z"
    refused(ann.draw(if_match='"1.0.3"'), 412, "stale-version")
    assert ann.draw().status_code == 200


def test_a_whole_game_of_two_humans_can_be_played(pair: tuple[Player, Player]) -> None:
    while (seen := pair[0].get().get_json())["status"] == "playing":
        player = pair[seen["turn"]["seat"]]
        assert player.draw().status_code == 200
        assert player.discard().status_code == 200
    views = [player.get().get_json() for player in pair]
    assert views[0]["result"] == views[1]["result"]
    assert views[0]["result"]["totals"]


def test_a_seat_says_whether_its_human_is_awaited(client: FlaskClient) -> None:
    table = {"seats": [{"kind": "human"}, {"kind": "human"}, {"kind": "ai"}]}
    created = client.post("/v1/games", json=table).get_json()
    assert [seat["joined"] for seat in created["game"]["seats"]] == [True, False, True]
    invite = {"invite": created["invites"][0]["code"]}
    joined = client.post(f"/v1/games/{created['game']['id']}/seats", json=invite).get_json()
    assert [seat["joined"] for seat in joined["game"]["seats"]] == [True, True, True]
