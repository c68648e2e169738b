"""The origin of a web page: which pages may call, and which may read the answer."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.app import create_app
from service.config import Config
from tests.player import Player, create, refused

PAGE = "http://localhost:5173"
FOREIGN = "https://evil.example"
REQUESTED = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x"}
EXPOSED = {
    *("etag", "location", "retry-after", "idempotency-replayed", "x-request-id"),
    *("ratelimit", "ratelimit-policy"),
}
PUBLIC = (
    *("/v1/problems", "/v1/problems/not-found", "/v1/openapi.json"),
    *("/verify.mjs", "/verify/game.mjs"),
)


@pytest.fixture
def player(client: FlaskClient) -> Player:
    return create(client)


def serving(redis_url: str, *allowed: str) -> FlaskClient:
    """A client of a service that allows origins beside the local ones."""
    config = Config(
        redis_url=redis_url,
        allowed_hosts=("*",),
        allowed_origins=allowed,
        log_level="WARNING",
    )
    return create_app(config).test_client()


def listed(answer: TestResponse, name: str) -> set[str]:
    return {each.strip().lower() for each in answer.headers.get(name, "").split(",")} - {""}


def varies_by_origin(answer: TestResponse) -> bool:
    return "origin" in ",".join(answer.headers.getlist("Vary")).lower()


def created(client: FlaskClient, **headers: str) -> TestResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post("/v1/games", headers=named)


@pytest.mark.parametrize(
    "origin",
    [
        *(
            "http://localhost",
            "http://localhost:5173",
            "https://LOCALHOST:1",
            "http://127.0.0.1:80",
        ),
        *("http://[::1]:3000", "https://[::1]"),
    ],
)
def test_pages_of_this_machine_may_call_and_read(client: FlaskClient, origin: str) -> None:
    answer = created(client, Origin=origin)
    assert answer.status_code == 201
    assert answer.headers["Access-Control-Allow-Origin"] == origin
    assert listed(answer, "Access-Control-Expose-Headers") == EXPOSED
    assert varies_by_origin(answer)
    assert "Access-Control-Allow-Credentials" not in answer.headers


@pytest.mark.parametrize(
    "origin",
    [
        *(FOREIGN, "null", "http://localhost.evil.example", "http://evil.example:80", ""),
        *("http://127.0.0.1.evil.example", "http://127.0.0.2", "localhost", "file://", "http://"),
        *(
            "http://localhost:80@evil.example",
            "http://localhost/",
            "ftp://localhost",
            "http://[::2]",
        ),
    ],
)
def test_pages_of_another_origin_change_nothing_and_read_nothing(
    player: Player, origin: str
) -> None:
    headers = {"Origin": origin}
    answers = [
        player.client.post("/v1/games", headers=headers),
        player.client.post("/v1/evaluations", headers=headers),
        player.draw(Origin=origin),
        player.client.delete(player.path, headers={**player.auth, **headers}),
        player.client.post("/nowhere", headers=headers),
        player.client.put("/v1/games", headers=headers),
    ]
    for answer in answers:
        refused(answer, 403, "foreign-origin")
        assert "Access-Control-Allow-Origin" not in answer.headers
    read = player.get(Origin=origin)
    assert read.get_json()["version"] == player.game["version"]
    assert "Access-Control-Allow-Origin" not in read.headers
    assert varies_by_origin(read)


def test_a_refused_origin_reads_which_setting_allows_it(client: FlaskClient) -> None:
    detail = refused(created(client, Origin=FOREIGN), 403, "foreign-origin")["detail"]
    assert FOREIGN in detail
    assert "ALLOWED_ORIGINS" in detail


def test_without_an_origin_nothing_is_said_of_it(player: Player) -> None:
    answer = player.draw()
    assert answer.status_code == 200
    assert not [name for name, _ in answer.headers if name.startswith("Access-Control")]


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("https://cards.example", "cards.example"),
        ("http://cards.example:8000", "Cards.example:8000"),
        ("https://cards.example", "cards.example:443"),
        ("http://192.0.2.7:8000", "192.0.2.7:8000"),
    ],
)
def test_the_services_own_pages_may_call_whatever_the_scheme(
    redis_url: str, origin: str, host: str
) -> None:
    assert created(serving(redis_url), Origin=origin, Host=host).status_code == 201


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("https://cards.example:8443", "cards.example"),
        ("http://cards.example", "cards.example:8000"),
        ("https://a.cards.example", "cards.example"),
        ("http://", ""),
    ],
)
def test_another_port_or_name_is_another_origin(redis_url: str, origin: str, host: str) -> None:
    refused(created(serving(redis_url), Origin=origin, Host=host), 403, "foreign-origin")


def test_what_the_browser_calls_the_same_origin_may_call_behind_a_proxy(
    client: FlaskClient,
) -> None:
    answer = created(client, Origin=FOREIGN, Sec_Fetch_Site="same-origin")
    assert answer.status_code == 201
    refused(created(client, Origin=FOREIGN, Sec_Fetch_Site="same-site"), 403, "foreign-origin")


@pytest.mark.parametrize("origin", ["https://app.example", "capacitor://localhost", "null"])
def test_origins_of_the_settings_may_call(redis_url: str, origin: str) -> None:
    client = serving(redis_url, "https://app.example", "capacitor://localhost", "null")
    answer = created(client, Origin=origin)
    assert answer.status_code == 201
    assert answer.headers["Access-Control-Allow-Origin"] == origin
    refused(created(client, Origin="https://app.example:444"), 403, "foreign-origin")


def test_a_star_is_for_every_origin(redis_url: str) -> None:
    answer = created(serving(redis_url, "*"), Origin=FOREIGN)
    assert answer.status_code == 201
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("path", PUBLIC)
@pytest.mark.parametrize("headers", [{}, {"Origin": FOREIGN}, {"Origin": PAGE}])
def test_what_is_the_same_for_all_is_for_every_origin(
    client: FlaskClient, path: str, headers: dict[str, str]
) -> None:
    answer = client.get(path, headers=headers, buffered=True)
    assert answer.status_code == 200
    assert answer.headers.getlist("Access-Control-Allow-Origin") == ["*"]


def test_a_page_reads_errors_too(player: Player) -> None:
    client, page = player.client, {"Origin": PAGE}
    answers = [
        client.get("/nowhere", headers=page),
        client.get("/v1/games/none", headers=page),
        client.post("/v1/games", data=b"{", content_type="application/json", headers=page),
        client.put("/v1/games", headers=page),
        client.get(player.path, headers={**page, "Accept": "text/html"}),
        client.get(player.path, headers={**page, "Host": "elsewhere.example"}),
        client.post(player.path + "/draw", json={"source": "stock"}, headers=page),
    ]
    assert [answer.status_code for answer in answers] == [404, 404, 400, 405, 406, 400, 401]
    for answer in answers:
        assert answer.headers["Access-Control-Allow-Origin"] == PAGE


def test_a_page_reads_a_failure_of_the_service_too(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a fault")

    client.application.config.update(PROPAGATE_EXCEPTIONS=False, TESTING=False)
    monkeypatch.setattr("service.http.resources.problems.problem_of_code", fail)
    answer = client.get("/v1/problems/not-found", headers={"Origin": PAGE})
    refused(answer, 500, "internal-error")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("path", ["/v1/games", "/v1/games/none/draw", "/nowhere", "/v1/problems"])
def test_a_preflight_is_answered_on_every_path_and_may_be_kept(
    client: FlaskClient, path: str
) -> None:
    answer = client.options(path, headers={"Origin": PAGE, **REQUESTED})
    assert (answer.status_code, answer.get_data()) == (204, b"")
    assert answer.headers["Access-Control-Allow-Origin"] in {PAGE, "*"}
    assert listed(answer, "Access-Control-Allow-Methods") == {"get", "post", "delete"}
    assert listed(answer, "Access-Control-Allow-Headers") == {
        *("authorization", "content-type", "idempotency-key", "if-match", "if-none-match"),
        *("last-event-id", "x-request-id"),
    }
    assert int(answer.headers["Access-Control-Max-Age"]) == 7_200


def test_a_preflight_of_another_origin_allows_nothing(client: FlaskClient) -> None:
    answer = client.options("/v1/games", headers={"Origin": FOREIGN, **REQUESTED})
    assert answer.status_code == 204
    assert not [name for name, _ in answer.headers if name.startswith("Access-Control")]
    assert varies_by_origin(answer)


def test_options_that_is_no_preflight_is_answered_by_its_address(client: FlaskClient) -> None:
    answer = client.options("/v1/problems", headers={"Origin": PAGE})
    assert answer.status_code == 200
    assert "GET" in answer.headers["Allow"]


def test_under_a_prefix_pages_are_judged_alike(redis_url: str) -> None:
    config = Config(redis_url=redis_url, root_path="/games", log_level="WARNING")
    client = create_app(config).test_client()
    foreign = client.post("/games/v1/games", headers={"Origin": FOREIGN})
    assert (foreign.status_code, foreign.get_json()["code"]) == (403, "foreign-origin")
    answer = client.get("/games/v1/problems", headers={"Origin": FOREIGN})
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_a_page_plays_a_game(player: Player) -> None:
    answer = player.draw(Origin=PAGE, Idempotency_Key="a-key")
    assert answer.headers["Access-Control-Allow-Origin"] == PAGE
    again = player.draw(Origin=PAGE, Idempotency_Key="a-key")
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.headers["Access-Control-Allow-Origin"] == PAGE
