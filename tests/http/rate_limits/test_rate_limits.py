"""Rate limits: whose calls are counted together, what is said of them, and when they pass."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from limits.storage import Storage
from werkzeug.test import TestResponse

from service.app import create_app
from service.callers import caller
from service.config import Config
from service.errors import UncountedCallError
from service.http.openapi.blueprint import operation_names
from service.http.rate_limits import limiter
from service.http.rate_limits.table import LIMITS
from service.store.game_store import GameStore
from tests.player import QUICK, Player, create, refused

SPEC = Path(__file__).parents[3] / "openapi/openapi.json"
EVALUATION = {"cards": ["7H", "7S", "7D"], "wild_rank": "3"}
SHORT = {**QUICK, "rounds": {"first": 1, "last": 1}}


@dataclass
class Counts:
    """How many calls were counted, by `caller/limit`; `fails` as a storage may."""

    counts: dict[str, int] = field(default_factory=dict)
    fails: bool = False


class MemoryStorage(Storage):
    """Counts in memory, 42 seconds before the end of a minute."""

    STORAGE_SCHEME = ["tests"]  # noqa: RUF012 - as the library declares it
    base_exceptions = UncountedCallError

    def __init__(self, uri: str, counts: Counts) -> None:
        super().__init__(uri)
        self._counts = counts

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        if self._counts.fails:
            raise UncountedCallError
        assert expiry == 60
        number = self._counts.counts[_who(key)] = self.get(key) + amount
        return number

    def get(self, key: str) -> int:
        return self._counts.counts.get(_who(key), 0)

    def get_expiry(self, key: str) -> float:
        return time.time() + 42

    def check(self) -> bool:
        raise NotImplementedError

    def reset(self) -> int | None:
        raise NotImplementedError

    def clear(self, key: str) -> None:
        raise NotImplementedError


def _who(key: str) -> str:
    """`caller/limit` of a key of the library, such as `LIMITER/192.0.2.1/join/2/1/minute`."""
    assert key.startswith("LIMITER/")
    assert key.endswith("/2/1/minute")
    return key.removeprefix("LIMITER/").removesuffix("/2/1/minute")


@pytest.fixture
def counts() -> Counts:
    return Counts()


@pytest.fixture
def limited(config: Config, store: GameStore, counts: Counts) -> Flask:
    app = create_app(config, store)
    quotas = {limit.setting: 2 for limit in LIMITS.values()}
    limits = replace(config, **quotas)  # type: ignore[arg-type]
    limiter.install(app, limits, "tests://", {"counts": counts})
    return app


@pytest.fixture
def caller_of(limited: Flask) -> FlaskClient:
    return limited.test_client()


def evaluate(client: FlaskClient, address: str = "192.0.2.1", body: object = None) -> TestResponse:
    return client.post(
        "/v1/evaluations", json=body or EVALUATION, environ_base={"REMOTE_ADDR": address}
    )


def fields(answer: TestResponse) -> tuple[str | None, str | None]:
    return answer.headers.get("RateLimit-Policy"), answer.headers.get("RateLimit")


def test_an_answer_says_how_many_calls_remain(caller_of: FlaskClient) -> None:
    assert fields(evaluate(caller_of)) == ('"evaluate";q=2;w=60', '"evaluate";r=1;t=42')
    assert fields(evaluate(caller_of)) == ('"evaluate";q=2;w=60', '"evaluate";r=0;t=42')


def test_a_call_too_many_is_refused_until_the_next_minute(caller_of: FlaskClient) -> None:
    for _ in range(2):
        assert evaluate(caller_of).status_code == 200
    answer = evaluate(caller_of)
    refused(answer, 429, "quota-exceeded")
    assert answer.headers["Retry-After"] == "42"
    assert fields(answer) == ('"evaluate";q=2;w=60', '"evaluate";r=0;t=42')
    assert evaluate(caller_of, "192.0.2.2").status_code == 200


def test_a_call_that_is_refused_otherwise_counts_and_says_so(caller_of: FlaskClient) -> None:
    answer = evaluate(caller_of, body={"cards": []})
    refused(answer, 422, "validation-failed")
    assert fields(answer)[1] == '"evaluate";r=1;t=42'


def test_creations_and_rematches_are_counted_together(caller_of: FlaskClient) -> None:
    player = create(caller_of, SHORT)
    player.play_to_the_end()
    rematch = caller_of.post(f"{player.path}/rematch", headers=player.auth)
    assert rematch.status_code == 201
    assert fields(rematch)[1] == '"create";r=0;t=42'
    refused(caller_of.post("/v1/games"), 429, "quota-exceeded")


def test_every_limited_operation_is_refused_by_its_own_limit(
    limited: Flask, counts: Counts
) -> None:
    player = create(limited.test_client(), QUICK)
    for operation, call in calls(player).items():
        counts.counts = {f"127.0.0.1/{LIMITS[operation].name}": 2}
        refused(call(), 429, "quota-exceeded")
        counts.counts.clear()
        assert fields(call()) == (
            f'"{LIMITS[operation].name}";q=2;w=60',
            f'"{LIMITS[operation].name}";r=1;t=42',
        ), operation


def calls(player: Player) -> dict[str, Any]:
    """A call of each limited operation."""
    made = {
        "createGame": lambda: player.client.post("/v1/games"),
        "rematchGame": lambda: player.client.post(f"{player.path}/rematch", headers=player.auth),
        "joinGame": lambda: player.client.post(f"{player.path}/seats", json={"invite": "x"}),
        "evaluateHand": lambda: player.client.post("/v1/evaluations", json=EVALUATION),
        "getHint": lambda: player.get("/hint"),
        "getReview": lambda: player.get("/review?seat=0"),
    }
    assert made.keys() == LIMITS.keys(), "write a call of each limited operation"
    return made


def test_moves_and_reads_are_neither_counted_nor_limited(
    caller_of: FlaskClient, counts: Counts
) -> None:
    player = create(caller_of, QUICK)
    before = dict(counts.counts)
    answers = [player.draw(), player.discard(), player.get(), player.get("/events")]
    answers += [player.get("/scores"), caller_of.get("/v1/rules"), caller_of.get("/healthz")]
    assert [answer.status_code for answer in answers] == [200] * len(answers)
    assert {fields(answer) for answer in answers} == {(None, None)}
    assert counts.counts == before


def test_where_the_storage_cannot_count_calls_pass_and_say_nothing(
    caller_of: FlaskClient, counts: Counts
) -> None:
    counts.fails = True
    answers = [evaluate(caller_of) for _ in range(4)]
    assert {(answer.status_code, fields(answer)) for answer in answers} == {(200, (None, None))}


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2::9", "2001:db8:1:2::"),
        ("fe80::1%eth0", "fe80::"),
        ("", "local"),
        ("/run/socket", "local"),
    ],
)
def test_an_address_is_counted_with_those_of_the_same_caller(address: str, counted: str) -> None:
    assert caller(address) == counted


def test_nothing_is_on_the_way_of_an_unlimited_operation(config: Config) -> None:
    """Neither hooks for all requests nor a function around its view."""
    on, off = (create_app(replace(config, rate_limit=setting)) for setting in ("on", "off"))
    for hooks in ("before_request_funcs", "after_request_funcs", "teardown_request_funcs"):
        counts = [
            {name: len(functions) for name, functions in getattr(app, hooks).items()}
            for app in (on, off)
        ]
        assert counts[0] == counts[1], hooks
    operations = defaultdict(set)
    for (endpoint, _), operation in operation_names(on).items():
        operations[endpoint].add(operation)
    assert len(operations) > 10
    for endpoint, view in on.view_functions.items():
        limited = operations[endpoint] & LIMITS.keys()
        assert hasattr(view, "__wrapped__") == bool(limited), endpoint
        assert not limited or limited == operations[endpoint], "another operation would be counted"


@pytest.fixture
def at_the_store(config: Config, server: redis.Redis) -> FlaskClient:
    for key in server.scan_iter("limit:*"):
        server.delete(key)
    return create_app(replace(config, rate_limit="on", rate_limit_hint=1)).test_client()


def test_the_storage_counts_under_keys_of_its_own_that_expire(
    at_the_store: FlaskClient, server: redis.Redis
) -> None:
    answer = evaluate(at_the_store)
    assert fields(answer)[0] == '"evaluate";q=600;w=60'
    (key,) = server.scan_iter("limit:*")
    assert key.startswith(b"limit:LIMITER/192.0.2.1/evaluate/600/1/minute:")
    assert server.get(key) == b"1"
    assert 0 < server.ttl(key) <= 60


def test_workers_count_together(config: Config, at_the_store: FlaskClient) -> None:
    player = create(at_the_store, QUICK)
    path = f"{player.path}/hint"
    other = create_app(replace(config, rate_limit="on", rate_limit_hint=1)).test_client()
    answers = [client.get(path, headers=player.auth) for client in (at_the_store, other) * 2]
    assert 429 in {answer.status_code for answer in answers[1:]}
    assert answers[0].status_code == 200


def test_with_the_setting_off_nothing_is_limited(config: Config) -> None:
    app = create_app(replace(config, rate_limit="off", rate_limit_evaluate=1))
    answers = [evaluate(app.test_client()) for _ in range(3)]
    assert {(answer.status_code, fields(answer)) for answer in answers} == {(200, (None, None))}


def test_the_description_has_the_fields_at_the_limited_operations_alone() -> None:
    documented = {}
    for path in json.loads(SPEC.read_text())["paths"].values():
        for operation in path.values():
            named = [
                {"RateLimit", "RateLimit-Policy"} <= response.get("headers", {}).keys()
                for response in operation["responses"].values()
            ]
            assert len(set(named)) == 1, operation["operationId"]
            documented[operation["operationId"]] = named[0]
    assert {name for name, has_fields in documented.items() if has_fields} == LIMITS.keys()
