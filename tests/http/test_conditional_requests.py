"""Entity tags and repeated requests."""

from __future__ import annotations

import secrets

import pytest
from flask.testing import FlaskClient
from redis import Redis
from werkzeug.test import TestResponse

from service.games.idempotency import RECORD_TTL_SECONDS
from tests.player import QUICK, Player, create, refused

HEADERS_OF_A_RECORD = ("ETag", "Location", "Content-Type", "Cache-Control", "Vary")


@pytest.fixture
def quick(client: FlaskClient) -> Player:
    return create(client, QUICK)


def same_answer(first: TestResponse, again: TestResponse) -> None:
    """The second is the first again, byte for byte, and says so."""
    assert again.status_code == first.status_code
    assert again.get_data() == first.get_data()
    for name in HEADERS_OF_A_RECORD:
        assert again.headers.get(name) == first.headers.get(name)
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"


def test_every_view_has_its_tag_and_may_be_kept_by_its_viewer_alone(quick: Player) -> None:
    for answer in (quick.created, quick.get(), quick.draw(), quick.discard()):
        assert answer.headers["ETag"] == f'"{answer_version(answer)}.0.3"'
        assert answer.headers["Vary"] == "Authorization"
        assert answer.headers["Cache-Control"] == "private, no-cache"
    assert quick.client.get(quick.path).headers["ETag"] == '"3.s.3"'


def answer_version(answer: TestResponse) -> int:
    body = answer.get_json()
    version: int = body.get("game", body)["version"]
    return version


@pytest.mark.parametrize("tags", ['"1.0.3"', 'W/"1.0.3"', '"9.0.3", "1.0.3"', "*"])
def test_a_view_that_is_known_is_not_sent_again(quick: Player, tags: str) -> None:
    answer = quick.get(if_none_match=tags)
    assert (answer.status_code, answer.get_data()) == (304, b"")
    assert answer.headers["ETag"] == '"1.0.3"'


@pytest.mark.parametrize("tags", ['"0.0.3"', '"1.s.3"', '"1.0.1"', "1.0.3", ""])
def test_any_other_view_is_sent(quick: Player, tags: str) -> None:
    assert quick.get(if_none_match=tags).status_code == 200


def test_a_spectators_tag_is_no_seats_tag(quick: Player) -> None:
    answer = quick.client.get(quick.path, headers={"If-None-Match": '"1.0.3"'})
    assert answer.status_code == 200


# Only the version counts: a tag that a proxy made weak, another viewer's or an older format's fits.
@pytest.mark.parametrize("tags", ['"1.0.3"', "*", '"7.0.3", "1.0.3"', 'W/"1.0.3"', '"1.s.3"'])
def test_a_move_on_the_current_version_is_made(quick: Player, tags: str) -> None:
    assert quick.draw(if_match=tags).status_code == 200


@pytest.mark.parametrize("tags", ['"2.0.3"', 'W/"0.0.3"', '"2.0.3", "1.0.3-gzip"'])
def test_a_move_on_another_version_is_refused_with_the_current_one(
    quick: Player, tags: str
) -> None:
    problem = refused(quick.draw(if_match=tags), 412, "stale-version")
    assert problem["version"] == 1
    assert "Read the game again" in problem["detail"]
    assert quick.get().get_json()["version"] == 1


@pytest.mark.parametrize("tags", ['"1.0.3-gzip"', "1.0.3", "nonsense"])
def test_a_tag_of_another_service_is_refused_without_the_advice_to_read_again(
    quick: Player, tags: str
) -> None:
    remedy = "A proxy may have changed the tag on its way."
    problem = refused(quick.draw(if_match=tags), 412, "stale-version", remedy)
    assert problem["version"] == 1
    assert problem["detail"].startswith("If-Match holds no entity tag of this service.")
    assert "ead the game again" not in problem["detail"]
    assert quick.get().get_json()["version"] == 1


def test_every_refusal_of_a_move_carries_the_version(quick: Player) -> None:
    assert refused(quick.discard("2C"), 409, "wrong-phase")["version"] == 1
    drawn = quick.draw().get_json()["game"]
    absent = next(
        code for code in ("2C", "3C", "4C", "5C", "6C") if code not in drawn["you"]["hand"]
    )
    assert refused(quick.discard(absent), 409, "card-not-in-hand")["version"] == 2


def test_the_version_is_judged_before_phase_and_turn(quick: Player) -> None:
    refused(quick.discard("2C", if_match='"9.0.3"'), 412, "stale-version")


def test_a_repeated_draw_is_made_once_and_answered_twice(quick: Player) -> None:
    first = quick.draw(idempotency_key="one")
    same_answer(first, quick.draw(idempotency_key="one"))
    assert quick.get().get_json()["version"] == 2


def test_a_repeated_discard_has_its_answer_long_after(quick: Player) -> None:
    quick.draw()
    card = quick.game["you"]["arrangement"]["discard"]
    first = quick.discard(card, idempotency_key="two")
    for _ in range(4):
        quick.turn()
    same_answer(first, quick.discard(card, idempotency_key="two"))


def test_the_record_is_asked_before_the_version(quick: Player) -> None:
    first = quick.draw(idempotency_key="one", if_match='"1.0.3"')
    same_answer(first, quick.draw(idempotency_key="one", if_match='"1.0.3"'))


def test_defaults_that_are_spelled_out_make_no_other_request(quick: Player) -> None:
    quick.draw()
    card = quick.game["you"]["arrangement"]["discard"]
    first = quick.post("/discard", {"card": card}, idempotency_key="k")
    same_answer(first, quick.post("/discard", {"go_out": True, "card": card}, idempotency_key="k"))


def test_a_key_belongs_to_one_request(quick: Player) -> None:
    quick.draw(idempotency_key="one")
    refused(quick.draw("discard", idempotency_key="one"), 422, "idempotency-key-reused")
    refused(quick.discard("2C", idempotency_key="one"), 422, "idempotency-key-reused")


def test_a_refusal_is_not_recorded(quick: Player) -> None:
    refused(quick.discard("2C", idempotency_key="one"), 409, "wrong-phase")
    assert quick.draw(idempotency_key="one").status_code == 200


def test_a_key_of_one_game_is_free_in_another(client: FlaskClient) -> None:
    first, second = create(client, QUICK), create(client, QUICK)
    for player in (first, second):
        answer = player.draw(idempotency_key="shared")
        assert "Idempotency-Replayed" not in answer.headers


@pytest.mark.parametrize("key", ["", "x" * 256, "with blank", "umläut"])
def test_a_move_refuses_a_key_that_is_none(quick: Player, key: str) -> None:
    answer = quick.draw(idempotency_key=key)
    problem = refused(answer, 422, "validation-failed")
    assert problem["errors"][0]["pointer"] == "/header/Idempotency-Key"


def test_a_repeated_creation_makes_one_game_and_shows_the_token_again(client: FlaskClient) -> None:
    key = secrets.token_urlsafe(24)
    first, again = (create(client, QUICK, idempotency_key=key) for _ in range(2))
    same_answer(first.created, again.created)
    assert again.draw().status_code == 200


def test_a_repeated_creation_shows_its_first_answer_after_moves(client: FlaskClient) -> None:
    key = secrets.token_urlsafe(24)
    first = create(client, QUICK, idempotency_key=key)
    first.turn()
    same_answer(first.created, create(client, QUICK, idempotency_key=key).created)


def test_a_creations_key_belongs_to_one_request(client: FlaskClient) -> None:
    key = secrets.token_urlsafe(24)
    create(client, QUICK, idempotency_key=key)
    answer = client.post("/v1/games", json={}, headers={"Idempotency-Key": key})
    refused(answer, 422, "idempotency-key-reused")


def test_a_creations_key_makes_no_second_game_when_its_record_is_gone(
    client: FlaskClient, server: Redis
) -> None:
    key = secrets.token_urlsafe(24)
    player = create(client, QUICK, idempotency_key=key)
    for name in server.scan_iter(f"{{g:{player.game['id']}}}:key:*"):
        server.delete(name)
    answer = client.post("/v1/games", json=QUICK, headers={"Idempotency-Key": key})
    refused(answer, 422, "idempotency-key-reused")
    assert player.draw().status_code == 200


@pytest.mark.parametrize("key", ["short", "x" * 21, "x" * 256, "twenty two characters !"])
def test_a_creation_asks_for_a_long_key(client: FlaskClient, key: str) -> None:
    answer = client.post("/v1/games", json={}, headers={"Idempotency-Key": key})
    refused(answer, 422, "validation-failed")


def test_what_is_stored_holds_no_token_and_lives_no_longer_than_said(
    client: FlaskClient, server: Redis
) -> None:
    key = secrets.token_urlsafe(24)
    player = create(client, QUICK, idempotency_key=key)
    player.draw(idempotency_key="one")
    player.discard()
    redis = server
    names = list(redis.scan_iter(f"{{g:{player.game['id']}}}:*"))
    assert len(names) == 5
    for name in names:
        kind = redis.type(name)
        value = {
            b"hash": lambda name=name: str(redis.hgetall(name)),
            b"list": lambda name=name: str(redis.lrange(name, 0, -1)),
            b"string": lambda name=name: str(redis.get(name)),
        }[kind]()
        assert player.token not in value
        assert key not in value
        assert 0 < redis.ttl(name) <= 14 * 86_400
        if not name.endswith((b":game", b":events")):
            assert redis.ttl(name) <= RECORD_TTL_SECONDS
