"""The API description: it is the one committed, it is complete, and the answers keep to it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jsonschema_rs import Draft202012Validator
from werkzeug.test import TestResponse

from service.cli import api_description
from service.http.problems.catalogue import PROBLEMS
from service.http.schemas.events import EVENT_SCHEMAS
from tests.player import QUICK, Player, create

_WRITTEN = api_description()
_SPEC: dict[str, Any] = json.loads(_WRITTEN)
_PROBLEM = "application/problem+json"
PROBES = ("/healthz", "/readyz")
_OF_PARTS = {
    *("game-not-found", "invalid-token", "token-required", "stale-version", "foreign-host"),
    "foreign-origin",
    *("malformed-json", "body-too-large", "unsupported-media-type", "validation-failed"),
    *("not-acceptable", "idempotency-key-reused", "game-damaged"),
}
"""Problems that an operation has for one of its parts, and otherwise has not."""
README = Path(__file__).parents[3] / "README.md"
_OPTIONAL = {
    "Action": {"source", "card", "go_out"},
    "HintAction": {"source", "card"},
    "HintOption": {"source", "card", "deadwood", "improving_cards"},
    "ReviewChoice": {"source", "card"},
    "ProblemReply": {"expected", "version", "rematch", "errors"},
}
"""What an answer's schema may leave out: the rest is always there."""


class Operation(NamedTuple):
    """An operation with its place."""

    method: str
    path: str
    stated: dict[str, Any]


_OPERATIONS = {
    stated["operationId"]: Operation(method.upper(), path, stated)
    for path, methods in _SPEC["paths"].items()
    for method, stated in methods.items()
}
each_operation = pytest.mark.parametrize("operation", _OPERATIONS.values(), ids=list(_OPERATIONS))


def _resolved(node: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in node:
        return node
    node_at = _SPEC
    for step in node["$ref"].removeprefix("#/").split("/"):
        node_at = node_at[step]
    return node_at


def _nodes(node: Any) -> Iterator[dict[str, Any]]:
    """Every object in a JSON value."""
    if isinstance(node, dict):
        yield node
    for inner in (
        node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    ):
        yield from _nodes(inner)


def _answer_schemas() -> set[str]:
    """The names of all schemas that answers are made of."""
    names: set[str] = set()
    waiting: list[Any] = [operation.stated["responses"] for operation in _OPERATIONS.values()]
    while waiting:
        refs = {node["$ref"] for node in _nodes(waiting.pop()) if "$ref" in node}
        new = {ref.rpartition("/")[2] for ref in refs if "/schemas/" in ref} - names
        names |= new
        waiting += [_SPEC["components"]["schemas"][name] for name in new]
    return names


def _closed() -> dict[str, Any]:
    """The schemas, none of which takes what it does not name."""
    schemas = json.loads(json.dumps(_SPEC["components"]["schemas"]))
    for node in _nodes(schemas):
        if "properties" in node:
            node["additionalProperties"] = False
    return {"schemas": schemas}


_COMPONENTS = _closed()
_OF_OTHER_GAMES = {
    "stock_reshuffled",
    "seat_left",
    "seat_away",
    "seat_returned",
    "game_abandoned",
}


def _validator(schema: dict[str, Any]) -> Draft202012Validator:
    return Draft202012Validator({**schema, "components": _COMPONENTS}, validate_formats=True)


def _assert_valid(value: Any, schema: dict[str, Any]) -> None:
    errors = [
        f"{error.instance_path}: {error.message}" for error in _validator(schema).iter_errors(value)
    ]
    assert not errors, errors


def _operation_of(method: str, path: str) -> Operation:
    for operation in _OPERATIONS.values():
        pattern = re.sub(r"\{\w+\}", "[^/]+", operation.path)
        if operation.method == method and re.fullmatch(pattern, path):
            return operation
    raise AssertionError(f"{method} {path} is no operation")


def _assert_as_described(answer: TestResponse) -> None:
    """Hold an answer against the operation that gave it: status, headers, media type, body."""
    operation = _operation_of(answer.request.method, answer.request.path)
    responses = operation.stated["responses"]
    assert str(answer.status_code) in responses, (operation, answer.get_json())
    response = responses[str(answer.status_code)]
    for name, header in response.get("headers", {}).items():
        assert name in answer.headers or not header.get("required"), name
        if name in answer.headers:
            kind = int if header["schema"]["type"] == "integer" else str
            _assert_valid(kind(answer.headers[name]), header["schema"])
    if "content" not in response:
        assert answer.data == b""
        return
    assert answer.mimetype in response["content"]
    body = answer.get_json() if answer.is_json else answer.get_data(as_text=True)
    _assert_valid(body, response["content"][answer.mimetype]["schema"])


class Checked:
    """A test client's answers, each held against the description."""

    def __init__(self, client: FlaskClient) -> None:
        self._client = client
        self.answers: list[TestResponse] = []

    def get(self, path: str, **options: Any) -> TestResponse:
        return self._checked(self._client.get(path, **options))

    def post(self, path: str, **options: Any) -> TestResponse:
        return self._checked(self._client.post(path, **options))

    def delete(self, path: str, **options: Any) -> TestResponse:
        return self._checked(self._client.delete(path, **options))

    def _checked(self, answer: TestResponse) -> TestResponse:
        _assert_as_described(answer)
        self.answers.append(answer)
        return answer


@pytest.fixture
def checked(client: FlaskClient) -> Checked:
    return Checked(client)


@pytest.fixture
def player(checked: Checked) -> Player:
    return create(checked, QUICK)  # type: ignore[arg-type]


def test_the_committed_description_is_the_generated_one() -> None:
    committed = Path(__file__).parents[3] / "openapi/openapi.json"
    is_current = committed.read_bytes() == _WRITTEN

    assert is_current, f"{committed} is out of date: make openapi"


def test_no_field_is_described_as_nothing_but_null() -> None:
    # Client generators fail on such a type, or make code that does not compile.
    schemas = _SPEC["components"]["schemas"]
    fields = {
        f"{name}.{field}": stated
        for name, schema in schemas.items()
        for field, stated in schema.get("properties", {}).items()
    }
    assert [name for name, stated in fields.items() if stated.get("type") == "null"] == []
    assert fields["SeatJoinedEvent.round"] == fields["SeatLeftEvent.round"]


def test_the_service_serves_the_same_description(client: FlaskClient) -> None:
    assert client.get("/v1/openapi.json").data == _WRITTEN


def test_making_the_description_twice_gives_the_same(app: Flask) -> None:
    make = app.extensions["openapi"].__wrapped__  # two first requests may both make it

    assert make() == make() == _WRITTEN


def test_the_routes_are_the_paths_of_the_description(app: Flask) -> None:
    routes = {
        (method, re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule))
        for rule in app.url_map.iter_rules()
        if not rule.endpoint.startswith(("docs.", "play."))
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }

    assert routes == {(operation.method, operation.path) for operation in _OPERATIONS.values()}


def test_the_readme_lists_every_call_and_no_other() -> None:
    table = README.read_text().partition("## The calls")[2].partition("\n\n`")[0]
    listed: set[tuple[str, str]] = set()
    for method, paths in re.findall(r"^\| `([A-Z]+) ([^|]+) \|", table, re.MULTILINE):
        listed |= {(method, path) for path in re.findall(r"/[^`]+", paths)}
    calls = {(made.method, made.path.replace("{game_id}", "{id}")) for made in _OPERATIONS.values()}

    missing, unknown = sorted(calls - listed), sorted(listed - calls)
    assert not missing, f"write a row into the table of calls in {README}: {missing}"
    assert not unknown, f"{README} lists what is no call: {unknown}"


@each_operation
def test_an_operation_says_what_it_does(operation: Operation) -> None:
    stated = operation.stated

    assert stated["summary"]
    assert not stated["summary"].endswith(".")
    assert stated["description"].endswith(".")
    assert set(stated["tags"]) <= {tag["name"] for tag in _SPEC["tags"]}
    assert "security" in stated
    assert all(_resolved(parameter)["description"] for parameter in stated.get("parameters", []))
    assert all(response["description"] for response in stated["responses"].values())


@each_operation
def test_a_body_has_examples_that_fit_its_schema(operation: Operation) -> None:
    bodies = [operation.stated.get("requestBody", {}), *operation.stated["responses"].values()]
    for content in (content for body in bodies for content in body.get("content", {}).values()):
        named = [_resolved(example)["value"] for example in content.get("examples", {}).values()]
        examples = [*named, *([content["example"]] if "example" in content else [])]

        assert examples, f"give {operation.stated['operationId']} an example= in its decorator"
        for example in examples:
            _assert_valid(example, content["schema"])


@each_operation
def test_every_problem_is_one_of_the_table_in_its_media_type(operation: Operation) -> None:
    for status, response in operation.stated["responses"].items():
        if status < "400":
            continue
        assert list(response["content"]) == [_PROBLEM]
        codes = list(response["content"][_PROBLEM]["examples"])
        assert [str(PROBLEMS[code].status) for code in codes] == [status] * len(codes)
        assert re.findall(r"`([a-z-]+)`: ", response["description"]) == codes


def _expected_problems(operation: Operation) -> set[str]:
    """The problems that an operation has because of its parameters, its token and its answer."""
    stated, codes = operation.stated, {"foreign-host", "internal-error"}
    parameters = {_resolved(each)["name"] for each in stated.get("parameters", [])}
    has_game = "{game_id}" in operation.path
    codes |= {"foreign-origin"} if operation.method in {"POST", "DELETE"} else set()
    codes |= {"game-not-found", "storage-unavailable"} if has_game else set()
    codes |= {"game-damaged"} if has_game or "Idempotency-Key" in parameters else set()
    codes |= {"invalid-token"} if stated["security"] else set()
    codes |= {"token-required"} if stated["security"] == [{"seatToken": []}] else set()
    codes |= {"idempotency-key-reused"} if "Idempotency-Key" in parameters else set()
    codes |= {"stale-version"} if "If-Match" in parameters else set()
    codes |= (
        {"validation-failed"}
        if parameters & {"Idempotency-Key", "after", "colours", "seat"}
        else set()
    )
    if "requestBody" in stated:
        codes |= {"malformed-json", "body-too-large", "unsupported-media-type", "validation-failed"}
    if operation.path not in PROBES:
        success = next(stated["responses"][code] for code in stated["responses"] if code < "300")
        codes |= {"not-acceptable"} if "content" in success else set()
    return codes


def _documented_problems(operation: Operation) -> set[str]:
    contents = [response.get("content", {}) for response in operation.stated["responses"].values()]
    return {
        code for content in contents for code in content.get(_PROBLEM, {"examples": ()})["examples"]
    }


@each_operation
def test_an_operation_has_the_problems_of_its_parts(operation: Operation) -> None:
    expected, documented = _expected_problems(operation), _documented_problems(operation)

    missing, unexpected = expected - documented, (documented - expected) & _OF_PARTS
    assert not missing, f"its problems(…) lack {sorted(missing)}"
    assert not unexpected, f"its problems(…) have too much: {sorted(unexpected)}"


def test_an_answer_always_has_every_field_but_the_few_that_are_named() -> None:
    for name in sorted(_answer_schemas()):
        schema = _SPEC["components"]["schemas"][name]
        if "properties" in schema:
            optional = set(schema["properties"]) - set(schema.get("required", ()))
            assert optional == _OPTIONAL.get(name, set()), name


def test_the_example_of_a_discard_is_in_the_hand_of_the_example_of_a_draw() -> None:
    body = _OPERATIONS["discardCard"].stated["requestBody"]["content"]["application/json"]
    drawn = _OPERATIONS["drawCard"].stated["responses"]["200"]["content"]["application/json"]

    hand = drawn["examples"]["stock"]["value"]["game"]["you"]["hand"]
    assert body["examples"]["play"]["value"]["card"] in hand


@pytest.mark.parametrize("name", ["createGame", "rematchGame", "joinGame", "drawCard", "getGame"])
def test_the_example_of_a_tag_is_that_of_the_example_of_the_game(name: str) -> None:
    responses = _OPERATIONS[name].stated["responses"]
    response = next(each for status, each in responses.items() if status < "300")
    body = next(iter(response["content"]["application/json"]["examples"].values()))["value"]
    game = body.get("game", body)

    version, viewer, _ = response["headers"]["ETag"]["example"].strip('"').split(".")
    assert (int(version), int(viewer)) == (game["version"], game["you"]["seat"])


def test_only_what_several_paths_have_alike_is_among_the_shared_parameters() -> None:
    codes = [_OPERATIONS[name].stated["parameters"][0] for name in ("getCard", "getProblem")]

    assert set(_SPEC["components"]["parameters"]) == {"game_id"}
    assert [code["name"] for code in codes] == ["code", "code"]
    assert codes[0]["schema"] != codes[1]["schema"]


@pytest.mark.parametrize("name", ["createGame", "joinGame", "rematchGame"])
def test_whoever_has_a_seat_is_linked_to_all_that_can_be_done_in_the_game(name: str) -> None:
    links = _OPERATIONS[name].stated["responses"]["201"]["links"]

    assert set(links) == {name for name, made in _OPERATIONS.items() if "{game_id}" in made.path}


def test_a_draw_and_a_discard_link_to_each_other() -> None:
    links = {
        name: _OPERATIONS[name].stated["responses"]["200"]["links"]
        for name in ("drawCard", "discardCard")
    }

    assert "discardCard" in links["drawCard"]
    assert "drawCard" in links["discardCard"]


def _linked_answers() -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Every link with an example of the answer that has it, and where that is."""
    for name, operation in _OPERATIONS.items():
        for response in operation.stated["responses"].values():
            for link in response.get("links", {}).values():
                for example in response["content"]["application/json"]["examples"].values():
                    yield name, link, example["value"]


def _value_of(expression: str, answer: Any) -> Any:
    """The value of a runtime expression in an answer; raises LookupError where there is none."""
    value, pointer = answer, expression.removeprefix("$response.body#/")
    assert pointer != expression, expression
    for step in pointer.split("/"):
        value = value[int(step) if isinstance(value, list) else step]
    return value


def test_every_link_leads_to_a_request_as_described() -> None:
    linked = list(_linked_answers())
    assert {"createGame", "joinGame", "rematchGame", "drawCard"} <= {name for name, _, _ in linked}
    for _, link, answer in linked:
        target = _OPERATIONS[link["operationId"]]
        stated = {_resolved(each)["name"]: _resolved(each) for each in target.stated["parameters"]}
        for name, expression in link["parameters"].items():
            _assert_valid(_value_of(expression, answer), stated[name]["schema"])
        for expression in re.findall(r"`(\$[^`]+)`", link.get("description", "")):
            assert re.fullmatch(r"[A23456789TJQK][CDHS]|JK", _value_of(expression, answer))


def test_no_member_of_a_body_has_a_default_but_its_description_says_it() -> None:
    # openapi-typescript and others take a member with a default for one that is always there.
    schemas = _SPEC["components"]["schemas"]

    assert [node for node in _nodes(schemas) if "default" in node] == []
    options = schemas["GameRequest"]["properties"]
    assert options["aces"]["description"].endswith('Default: `"low"`.')
    assert options["rounds"]["description"].endswith('Default: `{"first": 1, "last": 11}`.')
    assert "required" not in schemas["GameRequest"]


def test_every_answer_of_a_whole_game_is_as_described(checked: Checked, player: Player) -> None:
    while player.game["status"] == "playing":
        player.turn()
        player.get()
        checked.get(player.path)
    for accept in ("application/json", "text/csv"):
        assert player.get("/scores", accept=accept).status_code == 200
    player.get("/replay")
    for seat in range(2):
        assert player.get(f"/review?seat={seat}").status_code == 200
    events = player.get("/events?limit=1000").get_json()["events"]

    missing = set(EVENT_SCHEMAS) - _OF_OTHER_GAMES - {event["type"] for event in events}
    assert not missing, f"no such event in a whole game; add to _OF_OTHER_GAMES: {sorted(missing)}"
    assert len(checked.answers) > 100


def test_all_tables_and_options_are_as_described(checked: Checked) -> None:
    for seats in range(2, 7):
        table = [{"kind": "human"}, *[{"kind": "ai"}] * (seats - 1)]
        for jokers, aces in ((0, "low"), (2, "high"), (4, "both")):
            body = {"seats": table, "jokers": jokers, "aces": aces, "hints": False}
            body["rounds"] = {"first": 1 + jokers, "last": 3 + jokers}
            create(checked, body).turn()  # type: ignore[arg-type]


def test_the_answers_without_a_game_are_as_described(checked: Checked) -> None:
    for path in ("/healthz", "/readyz", "/v1/problems", "/v1/problems/conflict"):
        assert checked.get(path).status_code == 200
    for accept in ("application/json", "text/markdown"):
        rules = checked.get("/v1/rules", headers={"Accept": accept, "Accept-Language": "vi"})
        assert rules.status_code == 200
        known = {"Accept": accept, "Accept-Language": "vi", "If-None-Match": rules.headers["ETag"]}
        assert checked.get("/v1/rules", headers=known).status_code == 304
    hand = {"cards": ["7H", "8H", "9H", "5D", "JK", "2C"], "wild_rank": "5"}
    assert checked.post("/v1/evaluations", json=hand).status_code == 200
    tag = checked.get("/v1/cards/JK.svg?colours=4").headers["ETag"]
    assert checked.get("/v1/cards/JK.svg", headers={"If-None-Match": tag}).status_code == 304


def test_the_rarer_answers_are_as_described(checked: Checked, player: Player) -> None:
    tag = player.created.headers["ETag"]
    assert player.get(if_none_match=tag).status_code == 304
    assert player.draw(idempotency_key="once").status_code == 200
    assert player.draw(idempotency_key="once").headers["Idempotency-Replayed"] == "true"
    assert checked.delete(player.path, headers=player.auth).status_code == 204


def test_refusals_are_as_described(checked: Checked, player: Player) -> None:
    stranger = {"Authorization": "Bearer of-no-seat"}
    long = {"source": "stock", "more": "m" * 20_000}
    card = player.game["discard_top"]
    refused = [
        player.post("/draw", {"source": "pocket"}),
        player.discard(card),
        player.get("/replay"),
        player.draw(if_match='"9.0.3"'),
        checked.post(
            player.path + "/draw", data=b"{", content_type="application/json", headers=player.auth
        ),
        checked.post(
            player.path + "/draw", data=b"<draw/>", content_type="text/xml", headers=player.auth
        ),
        player.post("/draw", long),
        checked.post(player.path + "/draw", json={"source": "stock"}),
        checked.get(player.path, headers=stranger),
        checked.delete(player.path),
        checked.get("/v1/games/none"),
        checked.get("/v1/problems/none"),
        checked.get("/v1/cards/none.svg"),
        checked.get("/v1/cards/JK.svg?colours=3"),
        checked.get(player.path, headers={"Accept": "text/html"}),
        checked.get(player.path, headers={"Host": "elsewhere.example"}),
        checked.post("/v1/games", headers={"Origin": "https://elsewhere.example"}),
        checked.get(player.path + "/events?limit=0"),
        player.get("/review"),
        player.get("/review?seat=2"),
        checked.post("/v1/evaluations", json={"cards": ["8H"] * 3, "wild_rank": "5"}),
        checked.post("/v1/games", json={"seats": [{"kind": "ai"}, {"kind": "ai"}]}),
    ]

    assert {answer.get_json()["code"] for answer in refused} == {
        "validation-failed",
        "wrong-phase",
        "game-not-finished",
        "stale-version",
        "malformed-json",
        "unsupported-media-type",
        "body-too-large",
        "token-required",
        "invalid-token",
        "game-not-found",
        "not-found",
        "not-acceptable",
        "foreign-host",
        "foreign-origin",
    }
