"""A service under a prefix: every address has it, whatever the proxy and the client send."""

from __future__ import annotations

import json
import re
from urllib.parse import urljoin

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.app import create_app
from service.config import Config
from service.http.problems.catalogue import PROBLEMS
from service.store.game_store import GameStore
from tests.player import create

PREFIX = "/cards/game"
FORMS = pytest.mark.parametrize("sent", [PREFIX, ""], ids=["kept by the proxy", "stripped"])
KEY = {"Idempotency-Key": "a-key-of-22-characters"}


def application(redis_url: str, store: GameStore, root_path: str) -> Flask:
    config = Config(redis_url=redis_url, root_path=root_path, log_level="WARNING")
    return create_app(config, store)


@pytest.fixture
def prefixed(redis_url: str, store: GameStore) -> FlaskClient:
    return application(redis_url, store, PREFIX).test_client()


@FORMS
def test_a_game_is_created_and_played_under_the_prefix(prefixed: FlaskClient, sent: str) -> None:
    created = prefixed.post(f"{sent}/v1/games", json={"seed": "11" * 32})
    location = created.headers["Location"]
    assert location == f"{PREFIX}/v1/games/{created.get_json()['game']['id']}"
    assert prefixed.get(location).status_code == 200
    auth = {"Authorization": f"Bearer {created.get_json()['token']}"}
    below = location.removeprefix(PREFIX)
    drawn = prefixed.post(f"{sent}{below}/draw", json={"source": "stock"}, headers=auth)
    assert drawn.status_code == 200


@FORMS
def test_a_problem_and_its_page_have_the_prefix(prefixed: FlaskClient, sent: str) -> None:
    problem = prefixed.get(f"{sent}/v1/nothing").get_json()
    assert problem["type"] == f"{PREFIX}/v1/problems/not-found"
    assert f"{PREFIX}/v1/openapi.json" in problem["detail"]
    page = prefixed.get(problem["type"]).get_json()
    assert (page["type"], page["code"]) == (problem["type"], "not-found")
    assert f"{PREFIX}/v1/docs" in page["remedy"]
    listed = prefixed.get(f"{sent}/v1/problems").get_json()["problems"]
    assert [each["type"] for each in listed] == [
        f"{PREFIX}/v1/problems/{code}" for code in PROBLEMS
    ]


@FORMS
def test_the_root_leads_to_the_page_and_the_page_to_its_files(
    prefixed: FlaskClient, sent: str
) -> None:
    for root in (f"{sent}/", PREFIX):
        place = prefixed.get(root).headers["Location"]
        assert place == f"{PREFIX}/v1/docs"
    page = prefixed.get(place, buffered=True).get_data(as_text=True)
    linked = [urljoin(place, link) for link in re.findall(r'(?:src|href)="([^"]+)"', page)]
    assert len(linked) == 7
    for address in linked:
        assert address.startswith((f"{PREFIX}/v1/", f"{PREFIX}/play"))
        assert prefixed.get(address, buffered=True).status_code == 200, address


@FORMS
def test_the_description_names_the_prefix_as_its_server(prefixed: FlaskClient, sent: str) -> None:
    text = prefixed.get(f"{sent}/v1/openapi.json").get_data(as_text=True)
    spec = json.loads(text)
    assert [server["url"] for server in spec["servers"]] == [PREFIX]
    assert "/v1/games" in spec["paths"]
    for example in spec["components"]["examples"].values():
        assert example["value"]["type"].startswith(f"{PREFIX}/v1/problems/")
    created = spec["paths"]["/v1/games"]["post"]["responses"]["201"]
    assert created["headers"]["Location"]["example"].startswith(f"{PREFIX}/v1/games/")


@FORMS
def test_the_probes_are_answered_with_and_without_the_prefix(
    prefixed: FlaskClient, sent: str
) -> None:
    for path in ("/healthz", "/readyz"):
        answer = prefixed.get(sent + path, headers={"Host": "10.0.0.7"})
        assert answer.status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/other/v1/problems", "/cards/v1/problems", f"{PREFIX}s/v1/problems", f"{PREFIX}{PREFIX}/",
     f"{PREFIX}/v1/games/", "/CARDS/game/v1/problems"],
)  # fmt: skip
def test_what_is_under_neither_form_of_the_path_is_not_there(
    prefixed: FlaskClient, path: str
) -> None:
    answer = prefixed.get(path)
    assert (answer.status_code, answer.get_json()["code"]) == (404, "not-found")


@pytest.mark.parametrize(
    "name", ["SCRIPT_NAME", "Script-Name", "X-Script-Name", "X-Forwarded-Prefix"]
)
@pytest.mark.parametrize("root_path", ["", PREFIX])
def test_no_header_of_a_request_changes_the_prefix(
    redis_url: str, store: GameStore, name: str, root_path: str
) -> None:
    client = application(redis_url, store, root_path).test_client()
    created = client.post("/v1/games", headers={name: "/evil", "Forwarded": "prefix=/evil"})
    assert created.headers["Location"].startswith(f"{root_path}/v1/games/")


@pytest.mark.parametrize("root_path", ["", PREFIX])
def test_no_script_name_of_the_server_changes_the_prefix(
    redis_url: str, store: GameStore, root_path: str
) -> None:
    client = application(redis_url, store, root_path).test_client()
    answer = client.get("/v1/nothing", environ_overrides={"SCRIPT_NAME": "/evil"})
    assert answer.get_json()["type"] == f"{root_path}/v1/problems/not-found"


def test_a_key_that_was_used_before_the_prefix_was_set_is_recognised(
    redis_url: str, store: GameStore
) -> None:
    before = application(redis_url, store, "").test_client()
    player = create(before, {"seed": "11" * 32}, **KEY)
    moved = player.draw(idempotency_key="one")
    after = application(redis_url, store, PREFIX).test_client()
    for sent in (PREFIX, ""):
        again = after.post(f"{sent}/v1/games", json={"seed": "11" * 32}, headers=KEY)
        assert again.data == player.created.data
        assert again.headers["Idempotency-Replayed"] == "true"
        assert again.headers["Location"] == PREFIX + player.path
        headers = {**player.auth, "Idempotency-Key": "one"}
        draw = after.post(f"{sent}{player.path}/draw", json={"source": "stock"}, headers=headers)
        assert draw.data == moved.data
        assert draw.headers["Idempotency-Replayed"] == "true"
