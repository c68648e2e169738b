"""The host that a request names: which are served, and what a refused one reads."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from service.app import create_app
from service.config import Config
from tests.player import refused

PROBES = ("/healthz", "/readyz")
FOREIGN = ["evil.example", "localhost.evil.example", "127.0.0.1.evil", "x:1"]


def serving(redis_url: str, *allowed: str) -> FlaskClient:
    """A client of a service that allows hosts beside the local ones."""
    config = Config(redis_url=redis_url, allowed_hosts=allowed, log_level="WARNING")
    return create_app(config).test_client()


def status(client: FlaskClient, host: str) -> int:
    return client.get("/v1/problems", headers={"Host": host}).status_code


@pytest.mark.parametrize("host", FOREIGN)
def test_a_foreign_host_is_refused_on_every_path_but_the_probes(
    client: FlaskClient, host: str
) -> None:
    for path in ("/", "/v1/docs", "/v1/problems", "/v1/openapi.json", "/nothing", "/healthz/"):
        refused(client.get(path, headers={"Host": host}), 400, "foreign-host")
    refused(client.post("/v1/games", json={}, headers={"Host": host}), 400, "foreign-host")


def test_a_refused_host_reads_which_setting_allows_it(client: FlaskClient) -> None:
    answer = client.get("/v1/problems", headers={"Host": "cards.example:8000"})
    detail = refused(answer, 400, "foreign-host")["detail"]
    assert "'cards.example'" in detail
    assert "ALLOWED_HOSTS" in detail


@pytest.mark.parametrize("host", [*FOREIGN, "10.1.2.3:8000", "[fd00::7]:8000", ""])
@pytest.mark.parametrize("path", PROBES)
def test_a_probe_is_answered_under_any_host(client: FlaskClient, path: str, host: str) -> None:
    for method in ("GET", "HEAD"):
        assert client.open(path, method=method, headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]:80", "[::1]", "game.example:443"]
)
def test_local_and_allowed_hosts_are_served(redis_url: str, host: str) -> None:
    assert status(serving(redis_url, "game.example"), host) == 200


@pytest.mark.parametrize("host", ["example.com", "a.example.com", "A.b.Example.com:8000"])
def test_a_name_with_a_dot_before_it_stands_for_itself_and_all_below(
    redis_url: str, host: str
) -> None:
    assert status(serving(redis_url, ".example.com"), host) == 200


@pytest.mark.parametrize("host", ["badexample.com", "example.com.evil.example", ".com", "com"])
def test_a_name_with_a_dot_before_it_stands_for_no_other(redis_url: str, host: str) -> None:
    assert status(serving(redis_url, ".example.com"), host) == 400


def test_a_name_without_a_dot_before_it_stands_for_itself_alone(redis_url: str) -> None:
    assert status(serving(redis_url, "example.com"), "a.example.com") == 400


@pytest.mark.parametrize("host", [*FOREIGN, "[fd00::7]", "any_name.at-all", ""])
def test_a_star_allows_every_host(redis_url: str, host: str) -> None:
    assert status(serving(redis_url, "game.example", "*"), host) == 200


@pytest.mark.parametrize(
    "host",
    ["a b", "a/b", "a?b", "user@localhost", "localhost:x", "[", "[::1", "::1", "\u00fc", "%"],
)
def test_what_is_no_host_at_all_is_refused_everywhere(redis_url: str, host: str) -> None:
    client = serving(redis_url, "*")
    for path in (*PROBES, "/v1/problems"):
        refused(client.get(path, headers={"Host": host}), 400, "foreign-host")


def test_the_host_that_is_bound_is_served(redis_url: str) -> None:
    config = Config(redis_url=redis_url, host="192.0.2.7", log_level="WARNING")
    assert status(create_app(config).test_client(), "192.0.2.7:8000") == 200


def test_hosts_are_judged_alike_however_often_and_among_how_many_they_come(
    client: FlaskClient,
) -> None:
    for _ in range(2):
        for number in range(300):
            assert status(client, f"{number}.example") == 400
        assert status(client, "localhost:8000") == status(client, "LOCALHOST") == 200
