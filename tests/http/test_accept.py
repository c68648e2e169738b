"""The media types that a caller accepts: who is refused, and where nobody is."""

from __future__ import annotations

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.http.openapi.blueprint import media_types
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


@pytest.mark.parametrize(
    "accept",
    [
        "application/json;charset=utf-8",
        'Application/JSON ; charset="UTF-8"',
        "application/json;q=0.3;charset=utf-8",
        "text/html, application/json;profile=x",
        "application/json;charset=latin-1;q=0, application/json;charset=utf-8",
    ],
)
def test_parameters_of_a_media_type_exclude_nothing(quick: Player, accept: str) -> None:
    assert quick.get(accept=accept).status_code == 200
    refused(quick.get(accept="application/json;charset=utf-8;q=0"), 406, "not-acceptable")


def test_no_operation_is_closed_to_its_media_types_with_a_charset(app: Flask) -> None:
    client, tried = app.test_client(), set()
    for (endpoint, method), available in media_types(app).items():
        for rule in app.url_map.iter_rules(endpoint or ""):
            path = re.sub(r"<\w+>", "JK", rule.rule)
            for media_type in available:
                accept = {"Accept": f"{media_type};charset=utf-8"}
                answer = client.open(path, method=method, headers=accept)
                assert answer.status_code != 406, (method, path, media_type)
                if answer.status_code == 200:
                    assert answer.mimetype == media_type
                tried.add(media_type)
    assert tried >= {"application/json", "text/markdown", "text/csv", "image/svg+xml"}


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
