"""What proxies say of a request: used as far as TRUSTED_PROXIES says, and no further."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest
from flask.testing import FlaskClient
from werkzeug.test import Client

from service.app import create_app
from service.config import Config
from service.http import proxies
from service.store.game_store import GameStore
from tests.player import refused

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

FOR, HOST = "X-Forwarded-For", "X-Forwarded-Host"
PEER = "10.0.0.9"


def seen(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """An application that answers with the address, the scheme and the host of a request."""
    start_response("200 OK", [])
    values = (environ["REMOTE_ADDR"], environ["wsgi.url_scheme"], environ["HTTP_HOST"])
    return [" ".join(values).encode()]


def seen_behind(trusted: int, **headers: str) -> list[str]:
    client = Client(proxies.before(seen, trusted))
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = client.get(headers=named, environ_base={"REMOTE_ADDR": PEER})
    return answer.get_data(as_text=True).split(" ")


def address(trusted: int, value: str) -> str:
    return seen_behind(trusted, X_Forwarded_For=value)[0]


@pytest.mark.parametrize(
    ("trusted", "expected"),
    [
        (0, [PEER, "http", "localhost"]),
        (1, ["192.0.2.3", "http", "inner.example"]),
        (2, ["192.0.2.2", "https", "outer.example"]),
        (3, ["192.0.2.1", "http", "forged.example"]),
        (4, [PEER, "http", "localhost"]),
    ],
)
def test_so_many_values_count_from_the_end(trusted: int, expected: list[str]) -> None:
    sent = {
        "X_Forwarded_For": "192.0.2.1, 192.0.2.2, 192.0.2.3",
        "X_Forwarded_Proto": "http, https, http",
        "X_Forwarded_Host": "forged.example, outer.example, inner.example",
    }
    assert seen_behind(trusted, **sent) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("192.0.2.1:50123", "192.0.2.1"),
        ("[2001:db8::1]:50123", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("2001:DB8:0::1", "2001:db8::1"),
        ("unknown", PEER),
        ("_hidden", PEER),
        ("", PEER),
        ("192.0.2.1\u00e9", PEER),
        ("192.0.2.999", PEER),
        ("192.0.2.1;192.0.2.2", PEER),
        ("[]:1", PEER),
    ],
)
def test_an_address_is_one_address_however_it_is_written(value: str, expected: str) -> None:
    assert address(1, value) == expected


@pytest.mark.parametrize("value", ["javascript", "HTTPS", "", "ws"])
def test_a_scheme_is_http_or_https(value: str) -> None:
    assert seen_behind(1, X_Forwarded_Proto=value)[1] == "http"


def behind(redis_url: str, store: GameStore, trusted: int) -> FlaskClient:
    config = Config.from_environ({"REDIS_URL": redis_url, "TRUSTED_PROXIES": str(trusted)})
    return create_app(config, store).test_client()


def test_the_host_that_a_trusted_proxy_names_is_judged(redis_url: str, store: GameStore) -> None:
    client = behind(redis_url, store, 1)
    foreign, local = {"Host": "localhost", HOST: "evil.example"}, {"Host": "x", HOST: "localhost"}
    refused(client.get("/v1/problems", headers=foreign), 400, "foreign-host")
    assert client.get("/v1/problems", headers=local).status_code == 200
    for nonsense in ("a b", "user@localhost", "[", "two..dots", "x" * 300):
        answer = client.get("/v1/problems", headers={"Host": "localhost", HOST: nonsense})
        refused(answer, 400, "foreign-host")


def test_without_trust_no_header_gives_a_host_or_an_origin(
    redis_url: str, store: GameStore
) -> None:
    client = behind(redis_url, store, 0)
    named = {"Host": "evil.example", HOST: "localhost", "Forwarded": "host=localhost"}
    refused(client.get("/v1/problems", headers=named), 400, "foreign-host")
    page = {"Host": "localhost", HOST: "evil.example", "Origin": "https://evil.example"}
    refused(client.post("/v1/games", headers=page), 403, "foreign-origin")


def test_a_page_of_the_host_that_a_proxy_names_is_the_services_own(
    redis_url: str, store: GameStore
) -> None:
    config = Config(redis_url=redis_url, trusted_proxies=1, allowed_hosts=("cards.example",))
    client = create_app(config, store).test_client()
    page = {"Host": "10.0.0.7", HOST: "cards.example", "Origin": "https://cards.example"}
    assert client.post("/v1/games", headers=page).status_code == 201
    foreign = page | {"Origin": "https://evil.example"}
    refused(client.post("/v1/games", headers=foreign), 403, "foreign-origin")


def test_headers_that_are_not_used_are_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    client = Client(proxies.before(seen, 0))
    with caplog.at_level(logging.DEBUG, "service.proxies"):
        client.get(environ_base={"REMOTE_ADDR": PEER})
        assert not caplog.records
        for number in range(5):
            client.get(headers={FOR: f"192.0.2.{number}"}, environ_base={"REMOTE_ADDR": PEER})
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert PEER in record.getMessage()
    assert "TRUSTED_PROXIES" in record.getMessage()
    assert "192.0.2." not in record.getMessage()


def test_headers_that_are_used_are_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "service.proxies"):
        assert address(1, "192.0.2.1") == "192.0.2.1"
    assert not caplog.records
