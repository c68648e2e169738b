"""Operations: what is documented is what runs, and nothing stands between the two."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import flask_smorest
import marshmallow as ma
import pytest
from flask import Flask, Response
from flask.testing import FlaskClient

from service.http.openapi.blueprint import Blueprint
from service.http.operations import Operation, Resource
from service.http.parsing import Argument, Token
from tests.player import QUICK, create, refused

ROOT = Path(__file__).parents[3]
SPEC = json.loads((ROOT / "openapi/openapi.json").read_text())
PLACES = {"headers": "header", "query": "query"}


def operations(app: Flask) -> Iterator[tuple[str, Operation]]:
    """Every operation that the application runs, by its operationId."""
    for rule in app.url_map.iter_rules():
        resource = getattr(app.view_functions[rule.endpoint], "view_class", None)
        if resource is not None:
            for method, operation in resource()._operations.items():
                yield (
                    vars(operation.method.__func__)["_apidoc"]["manual_doc"]["operationId"],
                    operation,
                )
                assert method in rule.methods


def described(operation: Operation) -> tuple[set[tuple[str, str]], str | None]:
    """The parameters that an operation parses, each with its place; its body's schema."""
    parameters: set[tuple[str, str]] = set()
    body = None
    for argument in operation.arguments:
        if argument.location == "json":
            body = type(argument.schema).__name__
        else:
            names = [field.data_key or name for name, field in argument.schema.fields.items()]
            parameters |= {(PLACES[argument.location], name) for name in names}
    return parameters, body


def stated(operation: dict[str, Any]) -> tuple[set[tuple[str, str]], str | None]:
    """The same as the API description has it."""
    ours = [one for one in operation["parameters"] if "$ref" not in one and one["in"] != "path"]
    parameters = {(one["in"], one["name"]) for one in ours}
    content = operation.get("requestBody", {"content": {}})["content"]
    schema = content["application/json"]["schema"]["$ref"].rpartition("/")[2] if content else None
    return parameters, schema


def test_what_is_documented_as_arguments_is_what_is_parsed(app: Flask) -> None:
    documented = {
        operation["operationId"]: stated({"parameters": [], **operation})
        for path in SPEC["paths"].values()
        for operation in path.values()
    }
    assert {name: described(operation) for name, operation in operations(app)} == documented


def test_no_wrapper_stands_around_the_method_that_answers(app: Flask) -> None:
    for name, operation in operations(app):
        function = operation.method.__func__
        assert not hasattr(function, "__wrapped__"), name
        assert Path(function.__code__.co_filename).parent == ROOT / "service/http/resources", name


def test_arguments_are_handed_over_in_the_order_of_their_decorators() -> None:
    class First(ma.Schema):
        first = ma.fields.String(data_key="First")

    class Second(ma.Schema):
        second = ma.fields.String()

    blueprint = Blueprint("drinks", __name__)

    @blueprint.route("/<cup>")
    class Drinks(Resource):
        @blueprint.operation("pourTea", Token.IGNORED)
        @blueprint.arguments(First, location="headers")
        @blueprint.arguments(Second)
        def post(self, headers: dict[str, Any], body: dict[str, Any], cup: str) -> Response:
            return Response(f"{headers} {body} {cup}")

    app = Flask(__name__)
    app.config["MAX_BODY_BYTES"] = 100
    app.register_blueprint(blueprint)
    answer = app.test_client().post("/old", headers={"First": "a"}, json={"second": "b"})
    assert answer.text == "{'first': 'a'} {'second': 'b'} old"


def test_a_place_that_requests_do_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="not in cookies"):
        Argument.of("cookies", ma.Schema())


def test_headers_are_judged_before_the_body(client: FlaskClient) -> None:
    player = create(client, QUICK)
    for body in (b"{", b'{"source": 1}'):
        answer = client.post(
            player.path + "/draw",
            data=body,
            content_type="application/json",
            headers={**player.auth, "Idempotency-Key": "k" * 256},
        )
        faults = refused(answer, 422, "validation-failed")["errors"]
        assert [fault["pointer"] for fault in faults] == ["/header/Idempotency-Key"]


def test_head_has_the_headers_of_get_and_no_body(client: FlaskClient) -> None:
    player = create(client, QUICK)
    got, head = player.get(), client.head(player.path, headers=player.auth)
    assert (head.status_code, head.data) == (200, b"")
    assert head.headers["ETag"] == got.headers["ETag"]
    assert head.headers["Content-Length"] == got.headers["Content-Length"]


@pytest.mark.parametrize(
    ("decorate", "documentation"),
    [
        (
            lambda blueprint: blueprint.arguments(ma.Schema, location="query", required=False),
            {
                "arguments": {
                    "parameters": [{"in": "query", "required": False, "schema": ma.Schema}]
                }
            },
        ),
        (
            lambda blueprint: blueprint.alt_response(304, description="Unchanged."),
            {
                "response": {
                    "responses": {304: [{"description": "Unchanged.", "content_type": None}]}
                }
            },
        ),
        (
            lambda blueprint: blueprint.doc(operationId="pourTea"),
            {"manual_doc": {"operationId": "pourTea"}},
        ),
    ],
)
def test_flask_smorest_writes_its_documentation_where_it_is_read(
    decorate: Callable[[Any], Callable[..., Any]], documentation: dict[str, Any]
) -> None:
    def view() -> None:
        """Pour tea."""

    written = decorate(flask_smorest.Blueprint("drinks", __name__))(view)._apidoc
    written.get("arguments", {}).pop("responses", None)
    assert written == documentation
