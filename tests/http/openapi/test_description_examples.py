"""The examples of the API description are what the service answers, and fit together."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient
from redis import Redis

from service.http.openapi.example_games import (
    BEGAN,
    BETWEEN,
    id_of,
    key_of,
    rematch_id_of,
    secret_of,
)
from service.http.openapi.example_problems import WRONG_REQUESTS
from service.http.openapi.examples import AGAIN, DEFAULT, HUMANS, HUMANS_AGAIN, SHORT
from tests.clock import Clock
from tests.http.caller import OPERATIONS
from tests.player import Player, refused

_JSON = "application/json"
_IDS = (
    *map(id_of, (DEFAULT, SHORT, HUMANS)),
    rematch_id_of(SHORT, AGAIN),
    rematch_id_of(HUMANS, HUMANS_AGAIN),
)


def sent(operation: str, name: str) -> Any:
    """The example of a request's body."""
    body = OPERATIONS[operation][2]["requestBody"]
    return body["content"][_JSON]["examples"][name]["value"]


def answered(operation: str, name: str, media_type: str = _JSON) -> Any:
    """The example of the body of a successful answer."""
    responses = OPERATIONS[operation][2]["responses"]
    success = next(each for status, each in responses.items() if status < "300")
    return success["content"][media_type]["examples"][name]["value"]


class Story:
    """Callers of the service, in which nothing is random and every call takes the same time."""

    def __init__(
        self, client: FlaskClient, clock: Clock, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        self._client, self._clock, self._monkeypatch = client, clock, monkeypatch
        clock.now = BEGAN
        self.begin(name)

    def begin(self, name: str) -> None:
        """Let the next game be the one that has this name among the examples."""
        secret = secret_of(name)
        made = {len(secret): secret}  # a commit has random bytes of its own
        self._monkeypatch.setattr(
            secrets, "token_bytes", lambda count: made.get(count) or os.urandom(count)
        )
        self._key = {"Idempotency-Key": key_of(name)}

    def call(self, operation: str, name: str, game: Any = None, token: str | None = None) -> Any:
        """Send the request of an example; the answer's body, which is that of the example."""
        game_id = "" if game is None else game["id"]
        made = self.post(operation, game_id, sent(operation, name), token)
        assert made == answered(operation, name)
        return made

    def post(self, operation: str, game_id: str, body: Any, token: str | None) -> Any:
        """Send a request; what it changes is made a while after the last change."""
        path = OPERATIONS[operation][1].replace("{game_id}", game_id)
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        if operation in ("createGame", "joinGame", "rematchGame"):
            headers |= self._key
        answer = self._client.post(path, json=body, headers=headers)
        assert answer.status_code in (200, 201), answer.get_data(as_text=True)
        self._clock.now += BETWEEN
        return answer.get_json()

    def get(self, path: str, token: str | None = None, accept: str = _JSON) -> Any:
        """Read something of a game."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        answer = self._client.get(f"/v1/games/{path}", headers={**headers, "Accept": accept})
        assert answer.status_code == 200
        return answer.get_json() if accept == _JSON else answer.get_data(as_text=True)

    def turn(self, game: Any, token: str) -> Any:
        """Draw from the stock and discard what is best."""
        drawn = self.post("drawCard", game["id"], {"source": "stock"}, token)["game"]
        best = {"card": drawn["you"]["arrangement"]["discard"]}
        return self.post("discardCard", game["id"], best, token)


@pytest.fixture
def story(
    client: FlaskClient, clock: Clock, monkeypatch: pytest.MonkeyPatch, server: Redis
) -> Iterator[Any]:
    yield lambda name: Story(client, clock, monkeypatch, name)
    for game_id in _IDS:  # the next test makes the same games
        server.delete(*server.keys(f"{{g:{game_id}}}*"), "no key")


def test_the_default_game_is_played_as_its_examples_say(story: Any) -> None:
    played = story(DEFAULT)
    created = played.call("createGame", "default")
    game, token = created["game"], created["token"]
    assert played.get(f"{game['id']}/hint", token) == answered("getHint", "draw")
    played.call("drawCard", "stock", game, token)
    assert played.get(game["id"], token) == answered("getGame", "seat")
    assert played.get(game["id"]) == answered("getGame", "spectator")
    assert played.get(f"{game['id']}/hint", token) == answered("getHint", "discard")
    game = played.call("discardCard", "play", game, token)["game"]
    assert played.get(f"{game['id']}/events", token) == answered("listEvents", "beginning")
    game = played.turn(game, token)["game"]
    drawn = played.post("drawCard", game["id"], {"source": "stock"}, token)["game"]
    out = sent("discardCard", "go_out")["card"]
    assert out in drawn["you"]["can_go_out_with"]
    ended = played.call("discardCard", "go_out", game, token)
    assert {"went_out", "round_scored", "round_dealt"} <= {each["type"] for each in ended["events"]}
    assert played.get(f"{game['id']}/scores") == answered("getScores", "playing")


def test_the_top_discard_is_drawn_as_its_example_says(story: Any) -> None:
    played = story(DEFAULT)
    created = played.call("createGame", "default")
    played.call("drawCard", "discard", created["game"], created["token"])


def test_the_short_game_is_played_as_its_examples_say(story: Any) -> None:
    played = story(SHORT)
    created = played.call("createGame", "short")
    game, token = created["game"], created["token"]
    while game["status"] == "playing":
        game = played.turn(game, token)["game"]
    path = game["id"]
    assert played.get(path, token) == answered("getGame", "finished")
    assert played.get(f"{path}/scores") == answered("getScores", "finished")
    sheet = played.get(f"{path}/scores", accept="text/csv")
    assert sheet == answered("getScores", "finished", "text/csv")
    assert played.get(f"{path}/replay") == answered("getReplay", "finished")
    played.begin(AGAIN)
    again = played.post("rematchGame", path, sent("rematchGame", "empty"), token)
    assert again == answered("rematchGame", "alone")
    assert (again["game"]["status"], again["invites"]) == ("playing", [])


def test_two_humans_meet_and_meet_again_as_their_examples_say(story: Any) -> None:
    played = story(HUMANS)
    created = played.call("createGame", "humans")
    (invite,) = created["invites"]
    assert sent("joinGame", "invite")["invite"] == invite["code"]
    joined = played.call("joinGame", "invite", created["game"])
    tokens, game = [created["token"], joined["token"]], joined["game"]
    while game["status"] == "playing":
        seat = game["turn"]["seat"]
        game = played.turn(game, tokens[seat])["game"]
    played.begin(HUMANS_AGAIN)
    again = played.post("rematchGame", game["id"], {}, tokens[1])
    assert again == answered("rematchGame", "humans")
    assert (again["seat"], again["invites"], again["game"]["status"]) == (1, [], "waiting")
    assert sent("joinGame", "token") == {"token": tokens[0]}
    assert played.call("joinGame", "token", again["game"])["seat"] == 0


@pytest.mark.parametrize("name", sorted(WRONG_REQUESTS))
def test_a_wrong_request_gets_the_faults_of_its_example(client: FlaskClient, name: str) -> None:
    location, _, values = WRONG_REQUESTS[name]
    method, path, stated = OPERATIONS[name]
    player = Player(client, client.post("/v1/games"))
    path = path.replace("{game_id}", player.game["id"]).replace("{code}", "JK")
    parts = {"json": {"json": values}, "query": {"query_string": values}, "headers": {}}[location]
    headers = {**player.auth, **(values if location == "headers" else {})}
    answer = client.open(path, method=method, headers=headers, **parts)
    problem = refused(answer, 422, "validation-failed")
    example = stated["responses"]["422"]["content"]["application/problem+json"]["examples"]
    assert problem == example["validation-failed"]["value"]


@pytest.mark.parametrize("name", ["wilds", "aces"])
def test_a_hand_is_arranged_as_its_example_says(client: FlaskClient, name: str) -> None:
    answer = client.post("/v1/evaluations", json=sent("evaluateHand", name))
    assert answer.get_json() == answered("evaluateHand", name)
    assert answer.get_json()["melds"]


def test_an_answer_has_the_name_of_its_request() -> None:
    for name, (_, _, stated) in OPERATIONS.items():
        requests = stated.get("requestBody", {}).get("content", {}).get(_JSON, {"examples": {}})
        if set(requests["examples"]) - {"empty"}:
            successes = [each for status, each in stated["responses"].items() if status < "300"]
            named = set(successes[0]["content"][_JSON]["examples"])
            assert named <= set(requests["examples"]), name
