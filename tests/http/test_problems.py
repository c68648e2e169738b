"""Every refusal: its code, its status, what helps, and that nothing changed."""

from __future__ import annotations

import gzip
import io
import json
import time
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis

from engine.errors import NotYourTurnError
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
def test_an_unknown_game_is_told_before_anything_else(client: FlaskClient, path: str) -> None:
    for answer in (
        client.get(path),
        client.get(path + "/scores", headers={"Authorization": "Bearer x"}),
        client.post(path + "/draw", json={"source": "stock"}),
        client.post(path + "/draw", json={"nonsense": 1}),
        client.post(path + "/discard", data="{", content_type="application/json"),
        client.post(path + "/draw", data="x", content_type="text/plain"),
        client.get(path + "/events?limit=0"),
        client.delete(path),
    ):
        refused(answer, 404, "game-not-found")


def test_the_token_is_judged_before_the_body(quick: Player) -> None:
    answer = quick.client.post(quick.path + "/draw", json={"nonsense": 1})
    refused(answer, 401, "token-required")


def test_hints_are_for_the_seat_to_move_where_there_are_hints(client: FlaskClient) -> None:
    without = create(client, {**QUICK, "hints": False})
    refused(without.get("/hint"), 403, "hints-disabled")
    refused(client.get(without.path + "/hint"), 401, "token-required")
    waiting = create(client, {"seats": [HUMAN, HUMAN]})
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
    player.play_to_the_end()
    refused(player.draw(), 409, "game-finished")
    refused(player.discard("2C"), 409, "game-finished")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/source"),
        ({"source": None}, "/source"),
        ({"source": "pile"}, "/source"),
        ({"source": 1}, "/source"),
        ({"source": ["stock"]}, "/source"),
        ({"source": "stock", "why": 1}, "/why"),
        ([], ""),
        (None, ""),
        ("stock", ""),
    ],
)
def test_an_unacceptable_draw_is_refused_with_its_place(
    quick: Player, body: object, pointer: str
) -> None:
    answer = quick.client.post(
        quick.path + "/draw", data=json.dumps(body), headers=quick.auth,
        content_type="application/json",
    )  # fmt: skip
    assert refused(answer, 422, "validation-failed")["errors"][0]["pointer"] == pointer
    assert quick.get().get_json()["version"] == 1


@pytest.mark.parametrize("code", ["10S", "ts", " TS", "1J", "", "TSS", "jk", 7, None, ["TS"]])
def test_a_discard_of_what_is_no_card_names_it(quick: Player, code: object) -> None:
    quick.draw()
    fault = refused(quick.post("/discard", {"card": code}), 422, "validation-failed")["errors"][0]
    assert fault["pointer"] == "/card"
    if isinstance(code, str):
        assert repr(code) in fault["detail"]


@pytest.mark.parametrize("go_out", ["true", 1, 0, None, "no", []])
def test_go_out_is_true_or_false(quick: Player, go_out: object) -> None:
    quick.draw()
    card = quick.game["you"]["hand"][0]
    answer = quick.post("/discard", {"card": card, "go_out": go_out})
    assert refused(answer, 422, "validation-failed")["errors"][0]["pointer"] == "/go_out"


HUMAN, AI = {"kind": "human"}, {"kind": "ai"}


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"jokers": 3}, "/jokers"),
        ({"jokers": "2"}, "/jokers"),
        ({"jokers": 2.5}, "/jokers"),
        ({"jokers": True}, "/jokers"),
        ({"aces": "middle"}, "/aces"),
        ({"hints": "yes"}, "/hints"),
        ({"seed": "11" * 31}, "/seed"),
        ({"seed": "zz" * 32}, "/seed"),
        ({"seed": "11" * 32 + "\n"}, "/seed"),
        ({"seats": []}, "/seats"),
        ({"seats": [HUMAN]}, "/seats"),
        ({"seats": [HUMAN, *[AI] * 6]}, "/seats"),
        ({"seats": [AI, AI]}, "/seats/0/kind"),
        ({"turn_seconds": 9}, "/turn_seconds"),
        ({"turn_seconds": 86_401}, "/turn_seconds"),
        ({"turn_seconds": "60"}, "/turn_seconds"),
        ({"turn_seconds": 60.5}, "/turn_seconds"),
        ({"seats": [HUMAN, AI, HUMAN], "seed": "11" * 32}, "/seats/2/kind"),
        ({"seats": [{"kind": "human", "level": "medium"}, AI]}, "/seats/0/level"),
        ({"seats": [HUMAN, {"kind": "ai", "level": "godlike"}]}, "/seats/1/level"),
        ({"seats": [HUMAN, {"kind": "robot"}]}, "/seats/1/kind"),
        ({"seats": [HUMAN, {"name": "x"}]}, "/seats/1/kind"),
        ({"seats": [{**HUMAN, "name": ""}, AI]}, "/seats/0/name"),
        ({"seats": [{**HUMAN, "name": "  "}, AI]}, "/seats/0/name"),
        ({"seats": [{**HUMAN, "name": "a\nb"}, AI]}, "/seats/0/name"),
        ({"seats": [{**HUMAN, "name": "a\u202eb"}, AI]}, "/seats/0/name"),
        ({"seats": [{**HUMAN, "name": "\u200b"}, AI]}, "/seats/0/name"),
        ({"seats": [{**HUMAN, "name": "\u200f\u200e"}, AI]}, "/seats/0/name"),
        ({"seats": [{**HUMAN, "name": "\u3164"}, AI]}, "/seats/0/name"),
        ({"seats": [{**HUMAN, "name": " \u200d"}, AI]}, "/seats/0/name"),
        ({"seats": [{**HUMAN, "name": "x" * 41}, AI]}, "/seats/0/name"),
        ({"seats": [{**HUMAN, "name": "x\n"}, AI]}, "/seats/0/name"),
        ({"seats": [{**HUMAN, "age": 3}, AI]}, "/seats/0/age"),
        ({"seats": "four"}, "/seats"),
        ({"seats": {"0": HUMAN}}, "/seats"),
        ({"Seats": []}, "/Seats"),
        ({"a/b~c": 1}, "/a~1b~0c"),
    ],
)
def test_unacceptable_options_are_refused_with_their_place(
    client: FlaskClient, body: dict[str, Any], pointer: str
) -> None:
    problem = refused(client.post("/v1/games", json=body), 422, "validation-failed")
    assert pointer in [fault["pointer"] for fault in problem["errors"]]


def test_every_fault_is_told_at_once(client: FlaskClient) -> None:
    body = {"jokers": 3, "aces": "no", "seats": [AI, HUMAN], "x": 1}
    problem = refused(client.post("/v1/games", json=body), 422, "validation-failed")
    assert {"/jokers", "/aces", "/x"} <= {fault["pointer"] for fault in problem["errors"]}


@pytest.mark.parametrize(
    ("changed", "pointer"),
    [
        ({"cards": []}, "/cards"),
        ({"cards": ["2C"] * 15}, "/cards"),
        ({"cards": ["2C", "2C", "2C"]}, "/cards"),
        ({"cards": ["JK"] * 5}, "/cards"),
        ({"cards": ["2C", "10S"]}, "/cards/1"),
        ({"cards": "2C"}, "/cards"),
        ({"wild_rank": "2"}, "/wild_rank"),
        ({"wild_rank": "A"}, "/wild_rank"),
        ({"wild_rank": "10"}, "/wild_rank"),
        ({"wild_rank": 5}, "/wild_rank"),
        ({"aces": "x"}, "/aces"),
    ],
)
def test_an_unacceptable_hand_is_not_evaluated(
    client: FlaskClient, changed: dict[str, Any], pointer: str
) -> None:
    body = {"cards": ["2C"], "wild_rank": "5", **changed}
    problem = refused(client.post("/v1/evaluations", json=body), 422, "validation-failed")
    assert problem["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize(
    ("query", "pointer", "detail"),
    [
        ("limit=0", "/query/limit", "Must be a whole number from 1 to 1000."),
        ("limit=1001", "/query/limit", "Must be a whole number from 1 to 1000."),
        ("limit=x", "/query/limit", "Must be a whole number from 1 to 1000."),
        ("after=-1", "/query/after", "Must be a whole number from 0 to 1000000000."),
        ("after=1.5", "/query/after", "Must be a whole number from 0 to 1000000000."),
        ("after=", "/query/after", "Must be a whole number from 0 to 1000000000."),
        ("after=" + "9" * 5000, "/query/after", "Must be a whole number from 0 to 1000000000."),
        ("before=1", "/query/before", "Unknown field."),
        ("Limit=1", "/query/Limit", "Unknown field."),
    ],
)
def test_an_unacceptable_query_is_refused_with_what_is_accepted(
    quick: Player, query: str, pointer: str, detail: str
) -> None:
    problem = refused(quick.get(f"/events?{query}"), 422, "validation-failed")
    assert problem["errors"] == [{"pointer": pointer, "detail": detail}]


@pytest.mark.parametrize("value", [9, 86_401, "60", 60.5, True, 10**17])
def test_an_unacceptable_number_in_a_body_is_refused_with_its_range(
    client: FlaskClient, value: object
) -> None:
    problem = refused(
        client.post("/v1/games", json={"turn_seconds": value}), 422, "validation-failed"
    )
    words = "Must be a whole number from 10 to 86400."
    assert problem["errors"] == [{"pointer": "/turn_seconds", "detail": words}]


@pytest.mark.parametrize("value", [1, 3, "2", 2.5, True])
def test_an_unacceptable_number_of_jokers_is_refused_with_the_choice(
    client: FlaskClient, value: object
) -> None:
    problem = refused(client.post("/v1/games", json={"jokers": value}), 422, "validation-failed")
    assert problem["errors"] == [{"pointer": "/jokers", "detail": "Must be one of: 0, 2, 4."}]


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"nonsense",
        b"{'source': 'stock'}",
        b'{"source": "stock",}',
        b'{"source": "stock", "source": "stock"}',
        b'{"source": NaN}',
        b'{"source": -Infinity}',
        b'{"source": 1e999}',
        b'{"source": ' + b"9" * 5000 + b"}",
        b'{"source": "\\ud800"}',
        b'{"source": "\xff"}',
        b"\xff\xfe",
        b'{"source":' * 17 + b"1" + b"}" * 17,
        b"[" * 1000 + b"]" * 1000,
        b"[" * 8000,
        b"{} {}",
        b"\xef\xbb\xbf\xef\xbb\xbf{}",
        b" \xef\xbb\xbf{}",
    ],
)
def test_hostile_json_is_malformed(quick: Player, body: bytes) -> None:
    answer = quick.client.post(
        quick.path + "/draw", data=body, headers=quick.auth, content_type="application/json"
    )
    refused(answer, 400, "malformed-json")
    assert quick.get().get_json()["version"] == 1


def test_a_string_that_never_ends_is_refused_in_no_time(client: FlaskClient) -> None:
    body = b'"' + b'\\"' * 8190
    began = time.perf_counter()
    refused(
        client.post("/v1/games", data=body, content_type="application/json"), 400, "malformed-json"
    )
    assert time.perf_counter() - began < 0.2


def test_a_body_that_ends_too_soon_creates_nothing(client: FlaskClient) -> None:
    for body in (b"", b"{}"):
        answer = client.post(
            "/v1/games",
            input_stream=io.BytesIO(body),
            environ_overrides={"CONTENT_LENGTH": "60"},
            content_type="application/json",
        )
        refused(answer, 400, "malformed-json")


def test_a_large_body_without_a_length_is_not_cut_off(client: FlaskClient, config: Config) -> None:
    for body in (b"{}" + b" " * config.max_body_bytes, b" " * 20_000, b"{}" + b" " * 16_400 + b"x"):
        answer = client.post(
            "/v1/games",
            input_stream=io.BytesIO(body),
            environ_overrides={"wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"},
            content_type="application/json",
        )
        refused(answer, 413, "body-too-large")


def test_a_body_that_breaks_off_is_malformed(client: FlaskClient) -> None:
    class Broken(io.RawIOBase):
        def readinto(self, buffer: object) -> int:
            raise OSError("invalid chunk")

        def readable(self) -> bool:
            return True

    answer = client.post(
        "/v1/games",
        environ_overrides={"wsgi.input": Broken(), "wsgi.input_terminated": True},
        content_type="application/json",
    )
    refused(answer, 400, "malformed-json")


def test_brackets_within_strings_do_not_nest(client: FlaskClient) -> None:
    body = {"seats": [{"kind": "human", "name": '[[[[[[[[[[[[[[[[[["\\"{{{{{{{'}, AI]}
    assert client.post("/v1/games", json=body).status_code == 201


@pytest.mark.parametrize(
    "media", ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "", None]
)
def test_a_body_that_is_not_declared_as_json_is_refused(quick: Player, media: str | None) -> None:
    answer = quick.client.post(
        quick.path + "/draw", data=b'{"source": "stock"}', headers=quick.auth, content_type=media
    )
    refused(answer, 415, "unsupported-media-type")
    assert quick.get().get_json()["version"] == 1


def test_a_byte_order_mark_before_a_body_is_left_out(quick: Player) -> None:
    mark, body = b"\xef\xbb\xbf", b'{"source": "stock"}'
    headers = {**quick.auth, "Idempotency-Key": "marked"}
    answers = [
        quick.client.post(
            quick.path + "/draw", data=data, headers=headers, content_type="application/json"
        )
        for data in (mark + body, body)
    ]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].data == answers[1].data
    assert quick.client.post("/v1/games", data=mark).status_code == 201


@pytest.mark.parametrize("coding", ["gzip", "br", "GZIP", "identity, br", "deflate,gzip", "x"])
def test_an_encoded_body_is_refused_whatever_is_in_it(quick: Player, coding: str) -> None:
    plain = b'{"source": "stock"}'
    for body in (plain, gzip.compress(plain), b" "):
        headers = {**quick.auth, "Content-Encoding": coding}
        answer = quick.client.post(
            quick.path + "/draw", data=body, headers=headers, content_type="application/json"
        )
        assert repr(coding) in refused(answer, 415, "unsupported-media-type")["detail"]
        assert answer.headers["Accept-Encoding"] == "identity"
    assert quick.get().get_json()["version"] == 1


@pytest.mark.parametrize("coding", ["identity", "IDENTITY", " Identity ", "identity,identity", ""])
def test_a_body_that_is_said_not_to_be_encoded_is_taken(quick: Player, coding: str) -> None:
    assert quick.draw(content_encoding=coding).status_code == 200


def test_without_a_body_there_is_nothing_encoded(client: FlaskClient) -> None:
    answer = client.post("/v1/games", headers={"Content-Encoding": "gzip"})
    assert answer.status_code == 201


def test_who_calls_is_checked_before_how_the_body_is_encoded(quick: Player) -> None:
    headers = {"Content-Encoding": "gzip"}
    answer = quick.client.post(quick.path + "/draw", json={}, headers=headers)
    refused(answer, 401, "token-required")


def test_only_an_encoded_body_is_answered_with_the_encoding_that_is_taken(quick: Player) -> None:
    answer = quick.client.post(quick.path + "/draw", data=b"x", headers=quick.auth)
    refused(answer, 415, "unsupported-media-type")
    assert "Accept-Encoding" not in answer.headers


@pytest.mark.parametrize("media", ["application/json; charset=utf-8", "application/hal+json"])
def test_json_may_be_declared_in_other_words(quick: Player, media: str) -> None:
    answer = quick.client.post(
        quick.path + "/draw", data=b'{"source": "stock"}', headers=quick.auth, content_type=media
    )
    assert answer.status_code == 200


def test_a_large_body_is_refused(client: FlaskClient, config: Config) -> None:
    body = b" " * (config.max_body_bytes + 1)
    answer = client.post("/v1/games", data=body, content_type="application/json")
    refused(answer, 413, "body-too-large")


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
def test_another_method_is_told_which_there_are(
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


def test_an_unexpected_error_is_a_problem_that_tells_nothing(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the secret is 42")

    monkeypatch.setattr(app.extensions["games"], "create", fail)
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


def test_an_error_that_knows_the_version_tells_it(
    app: Flask, quick: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        error = NotYourTurnError(0, 1)
        error.version = 17  # type: ignore[attr-defined]
        raise error

    monkeypatch.setattr(app.extensions["games"], "draw", refuse)
    problem = refused(quick.draw(), 409, "not-your-turn")
    assert (problem["expected"], problem["version"]) == (1, 17)


def test_every_problem_has_its_page(client: FlaskClient) -> None:
    listed = client.get("/v1/problems").get_json()["problems"]
    assert [page["code"] for page in listed] == list(PROBLEMS)
    for page in listed:
        assert client.get(page["type"]).get_json() == page
    refused(client.get("/v1/problems/none"), 404, "not-found")


def test_the_table_names_every_code_of_the_contract_with_its_status() -> None:
    contract = {
        400: "malformed-json foreign-host",
        401: "token-required invalid-token",
        403: "hints-disabled not-permitted unknown-invite",
        404: "not-found game-not-found",
        405: "method-not-allowed",
        406: "not-acceptable",
        409: "not-your-turn wrong-phase card-not-in-hand game-waiting game-finished "
        "game-not-finished seat-taken conflict",
        412: "stale-version",
        413: "body-too-large",
        415: "unsupported-media-type",
        422: "validation-failed idempotency-key-reused",
        429: "quota-exceeded",
        500: "internal-error game-damaged",
        503: "storage-unavailable outcome-unknown",
    }
    assert [(kind.status, kind.code) for kind in PROBLEMS.values()] == [
        (status, code) for status, codes in contract.items() for code in codes.split()
    ]


def test_security_headers_are_on_every_answer(client: FlaskClient) -> None:
    for path in ("/", "/healthz", "/nothing", "/v1/docs", "/v1/docs/swagger-ui.css"):
        answer = client.get(path, buffered=True)
        headers = answer.headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        answer.close()
