"""The media types that a caller accepts: who is refused, and where nobody is."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from tests.player import QUICK, Player, create, refused

NO_JSON = ["text/html", "application/xml", "text/event-stream", "image/*"]
PROBLEM = "application/problem+json"


@pytest.fixture
def quick(client: FlaskClient) -> Player:
    return create(client, QUICK)


@pytest.mark.parametrize("accept", [*NO_JSON, PROBLEM])
def test_who_does_not_take_json_gets_none(quick: Player, accept: str) -> None:
    refused(quick.get(accept=accept), 406, "not-acceptable")
    refused(quick.draw(accept=accept), 406, "not-acceptable")
    assert quick.get().get_json()["version"] == 1


@pytest.mark.parametrize(
    "accept",
    [
        "*/*",
        "application/*",
        "application/json;q=0.5, text/html",
        "application/json",
        "",
        "Text/*, */*",
    ],
)
def test_who_takes_json_among_others_gets_it(quick: Player, accept: str) -> None:
    assert quick.get(accept=accept).status_code == 200


@pytest.mark.parametrize("accept", [*NO_JSON, PROBLEM, "nonsense", "text/html;q=0"])
def test_an_operation_without_a_body_in_its_success_asks_for_no_media_type(
    client: FlaskClient, accept: str
) -> None:
    for method, path in (("POST", "/leave"), ("DELETE", "")):
        player = create(client, QUICK)
        headers = {**player.auth, "Accept": accept}
        answer = client.open(player.path + path, method=method, headers=headers)
        assert (answer.status_code, answer.data) == (204, b"")


@pytest.mark.parametrize("accept", [*NO_JSON, PROBLEM])
@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_probe_is_answered_whatever_is_accepted(
    client: FlaskClient, path: str, accept: str
) -> None:
    assert client.get(path, headers={"Accept": accept}).get_json()["status"] == "ok"


@pytest.mark.parametrize("accept", NO_JSON)
def test_a_refusal_is_a_problem_whatever_is_accepted(client: FlaskClient, accept: str) -> None:
    answer = client.delete("/v1/games/AAAAAAAAAAAAAAAAAAAAAA", headers={"Accept": accept})
    refused(answer, 404, "game-not-found")
