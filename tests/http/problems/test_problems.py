"""Every refusal: its code, its status, what helps, and that nothing changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis

from service.app import create_app
from service.config import Config
from service.http.problems.catalogue import PROBLEMS
from tests.player import QUICK, Player, create, refused

UNKNOWN = "/v1/games/AAAAAAAAAAAAAAAAAAAAAA"


@pytest.fixture
def quick(client: FlaskClient) -> Player:
    return create(client, QUICK)


def test_a_move_without_a_token_asks_for_one(quick: Player) -> None:
    answer = quick.client.post(quick.path + "/draw", json={"source": "stock"})
    refused(answer, 401, "token-required")
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="three-thirteen"'


@pytest.mark.parametrize(
    "header", ["Bearer wrong", "Bearer ", "Bearer", "Basic QTpC", "wrong", "", "Bearer \u00fc"]
)
def test_another_token_is_refused_also_for_reading(quick: Player, header: str) -> None:
    headers = {"Authorization": header}
    for answer in (
        quick.client.post(quick.path + "/draw", json={"source": "stock"}, headers=headers),
        quick.client.get(quick.path, headers=headers),
        quick.client.get(quick.path + "/scores", headers=headers),
        quick.client.get(quick.path + "/events", headers=headers),
        quick.client.get(quick.path + "/replay", headers=headers),
        quick.client.get(quick.path + "/review", headers=headers),
        quick.client.delete(quick.path, headers=headers),
    ):
        refused(answer, 401, "invalid-token")
        assert 'error="invalid_token"' in answer.headers["WWW-Authenticate"]


def test_a_token_of_another_game_is_refused(client: FlaskClient, quick: Player) -> None:
    other = create(client, QUICK)
    answer = client.get(quick.path, headers=other.auth)
    refused(answer, 401, "invalid-token")


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Bearer"])
def test_the_scheme_has_no_case(quick: Player, scheme: str) -> None:
    headers = {"Authorization": f"{scheme} {quick.token}"}
    assert quick.client.get(quick.path, headers=headers).get_json()["you"] is not None


@pytest.mark.parametrize(
    "path", [UNKNOWN, "/v1/games/short", "/v1/games/{g:x}", "/v1/games/%00", "/v1/games/ü"]
)
def test_an_unknown_game_is_reported_before_anything_else(client: FlaskClient, path: str) -> None:
    for answer in (
        client.get(path),
        client.get(path + "/scores", headers={"Authorization": "Bearer x"}),
        client.post(path + "/draw", json={"source": "stock"}),
        client.post(path + "/draw", json={"nonsense": 1}),
        client.post(path + "/discard", data="{", content_type="application/json"),
        client.post(path + "/draw", data="x", content_type="text/plain"),
        client.post(path + "/draw", data=b" " * 100_000, content_type="application/json"),
        client.get(path + "/events?limit=0"),
        client.delete(path),
    ):
        refused(answer, 404, "game-not-found")


def test_the_token_is_checked_before_the_body(quick: Player) -> None:
    answer = quick.client.post(quick.path + "/draw", json={"nonsense": 1})
    refused(answer, 401, "token-required")


def test_hints_are_for_the_seat_to_move_where_there_are_hints(client: FlaskClient) -> None:
    without = create(client, {**QUICK, "hints": False})
    refused(without.get("/hint"), 403, "hints-disabled")
    refused(client.get(without.path + "/hint"), 401, "token-required")
    waiting = create(client, {"seats": [{"kind": "human"}] * 2})
    refused(waiting.get("/hint"), 409, "game-waiting")
    over = create(client, QUICK)
    over.play_to_the_end()
    refused(over.get("/hint"), 409, "game-finished")
    refused(client.get(UNKNOWN + "/hint"), 404, "game-not-found")


def test_the_wrong_phase_says_which_is_due(quick: Player) -> None:
    assert refused(quick.discard("2C"), 409, "wrong-phase")["expected"] == "draw"
    quick.draw()
    assert refused(quick.draw(), 409, "wrong-phase")["expected"] == "discard"


def test_a_card_that_is_not_held_is_named(quick: Player) -> None:
    quick.draw()
    held = quick.game["you"]["hand"]
    missing = next(code for code in ("2C", "2D", "2H", "2S", "4C") if code not in held)
    assert missing in refused(quick.discard(missing), 409, "card-not-in-hand")["detail"]


def test_a_finished_game_takes_no_move(client: FlaskClient) -> None:
    player = create(client, QUICK)
    refused(player.get("/replay"), 409, "game-not-finished")
    refused(player.get("/review"), 409, "game-not-finished")
    player.play_to_the_end()
    refused(player.draw(), 409, "game-finished")
    refused(player.discard("2C"), 409, "game-finished")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/v1/games", "OPTIONS, POST"),
        ("PUT", UNKNOWN, "DELETE, GET, HEAD, OPTIONS"),
        ("GET", UNKNOWN + "/draw", "OPTIONS, POST"),
        ("POST", "/healthz", "GET, HEAD, OPTIONS"),
        ("PATCH", "/", "GET, HEAD, OPTIONS"),
    ],
)
def test_a_refusal_of_a_method_lists_the_methods_there_are(
    client: FlaskClient, method: str, path: str, allowed: str
) -> None:
    answer = client.open(path, method=method)
    refused(answer, 405, "method-not-allowed")
    assert answer.headers["Allow"] == allowed


@pytest.mark.parametrize(
    "path", ["/nothing", "/v1", "/v1/games/", "/v1/docs/nothing.js", "/v1//games"]
)
def test_what_is_not_there_is_a_problem_too(client: FlaskClient, path: str) -> None:
    refused(client.get(path, headers={"Accept": "text/html"}), 404, "not-found")


@pytest.mark.parametrize("given", ["abc", "A-_9", "x" * 64])
def test_a_request_id_comes_back(client: FlaskClient, given: str) -> None:
    for path in ("/healthz", "/nothing"):
        answer = client.get(path, headers={"X-Request-Id": given})
        assert answer.headers["X-Request-Id"] == given


@pytest.mark.parametrize("given", ["", "x" * 65, "a b", "ü", "a\tb"])
def test_an_unfit_request_id_is_replaced(client: FlaskClient, given: str) -> None:
    made = client.get("/healthz", headers={"X-Request-Id": given}).headers["X-Request-Id"]
    assert made != given
    assert len(made) == 32


def test_an_unexpected_error_is_a_problem_that_reveals_nothing(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the secret is 42")

    monkeypatch.setattr(app.extensions["transactions"], "run", fail)
    answer = client.post("/v1/games", json={})
    refused(answer, 500, "internal-error")
    assert "42" not in answer.get_data(as_text=True)


def test_a_store_that_is_away_is_a_problem_that_says_to_come_again(tmp_path: Path) -> None:
    config = Config(redis_url=f"unix://{tmp_path}/none.sock", log_level="CRITICAL")
    client = create_app(config).test_client()
    for answer in (
        client.post("/v1/games", json={}),
        client.get(UNKNOWN),
        client.post(UNKNOWN + "/draw", json={"source": "stock"}, headers={"Authorization": "B x"}),
        client.get("/readyz"),
    ):
        refused(answer, 503, "storage-unavailable")
        assert int(answer.headers["Retry-After"]) > 0
        assert str(tmp_path) not in answer.get_data(as_text=True)
    assert client.get("/healthz").status_code == 200


def test_a_damaged_game_is_a_problem_of_its_own_and_stays_as_it_is(
    client: FlaskClient, quick: Player, server: Redis
) -> None:
    key = f"{{g:{quick.game['id']}}}:game"
    other = create(client, QUICK)
    for field, value in (("state", b"{}"), ("meta", b"nonsense"), ("version", b"x")):
        before = server.hget(key, field)
        server.hset(key, field, value)
        for answer in (quick.get(), quick.draw(), quick.get("/events")):
            problem = refused(answer, 500, "game-damaged")
            assert problem["detail"].startswith("The stored game is damaged. Report it")
        server.hset(key, field, before)
    assert quick.draw().status_code == 200
    assert other.draw().status_code == 200


def test_a_damaged_game_is_logged_once_with_its_id_and_reason(
    quick: Player, server: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    server.delete(f"{{g:{quick.game['id']}}}:events")
    refused(quick.get("/events", x_request_id="mine"), 500, "game-damaged")
    (entry,) = [each for each in caplog.records if each.levelname == "ERROR"]
    message = entry.getMessage()
    assert message.startswith(f"game-damaged: game {quick.game['id']}: ")
    assert message.endswith("lacks events id=mine")
    assert not set(quick.game["you"]["hand"]) & set(message.split())


def test_a_key_that_has_made_a_damaged_game_says_so(client: FlaskClient, server: Redis) -> None:
    key = {"idempotency_key": "k" * 22}
    player = create(client, QUICK, **key)
    server.hset(f"{{g:{player.game['id']}}}:game", "version", "x")
    answer = client.post("/v1/games", json=QUICK, headers={"Idempotency-Key": "k" * 22})
    refused(answer, 500, "game-damaged")


def test_every_conflict_of_a_move_has_the_version_of_its_game(client: FlaskClient) -> None:
    waiting = create(client, {"seats": [{"kind": "human"}] * 2})
    played = create(client, QUICK)
    early = played.discard("2C")
    played.draw()
    second = played.draw()
    missing = next(
        code for code in ("2C", "2D", "2H", "2S") if code not in played.game["you"]["hand"]
    )
    foreign = played.discard(missing)
    over = create(client, QUICK)
    over.play_to_the_end()
    for answer, code, version in (
        (waiting.draw(), "game-waiting", 1),
        (early, "wrong-phase", 1),
        (second, "wrong-phase", 2),
        (foreign, "card-not-in-hand", 2),
        (over.draw(), "game-finished", over.game["version"]),
    ):
        assert refused(answer, 409, code)["version"] == version


def test_every_problem_has_its_page(client: FlaskClient) -> None:
    listed = client.get("/v1/problems").get_json()["problems"]
    assert [page["code"] for page in listed] == list(PROBLEMS)
    for page in listed:
        assert client.get(page["type"]).get_json() == page
    refused(client.get("/v1/problems/none"), 404, "not-found")


def test_security_headers_are_on_every_answer(client: FlaskClient) -> None:
    for path in ("/", "/healthz", "/nothing", "/v1/docs", "/v1/docs/swagger-ui.css"):
        answer = client.get(path, buffered=True)
        headers = answer.headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        answer.close()


def test_an_error_before_everything_else_is_answered_like_any_other(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(app.session_interface, "open_session", fail)
    answer = client.get("/healthz", headers={"X-Request-Id": "mine"})
    refused(answer, 500, "internal-error")
    assert answer.headers["X-Request-Id"] == "mine"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
