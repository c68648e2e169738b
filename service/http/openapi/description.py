"""What the API description says beside the operations themselves, and how it is written."""

from __future__ import annotations

import json
import re
from typing import Any

from service.games.answers.entity_tags import entity_tag
from service.http.openapi import example_problems, examples, links
from service.http.problems.catalogue import MEDIA_TYPE
from service.http.replies import JSON
from service.http.root_path import located

_Object = dict[str, Any]
"""A JSON object of the description."""
SPEC_OPTIONS: _Object = {
    "info": {
        "summary": "Play Three-Thirteen Rummy over HTTP.",
        "description": (
            "You against AI players: eleven rounds, dealt from three to thirteen cards, in which "
            "the rank that equals the number of cards is wild. The lowest total wins.\n\n"
            "1. **createGame** answers a `token` and the game's `id`. Send the token as "
            "`Authorization: Bearer <token>`; in Swagger UI it is set by then, and so is every "
            "`game_id`.\n"
            "2. **drawCard**, then **discardCard**: that is your turn. The answer has every "
            "event up to your next one, the AI players' moves included.\n"
            "3. When your hand melds completely after a discard you are out; the others have one "
            "last turn, the round is scored and the next one dealt.\n\n"
            "When the game is over, **getReview** tells move by move what was given away and what "
            "was luck. **getRules** has the rules in full, in five languages.\n\n"
            "A card is its rank (`A 2 3 4 5 6 7 8 9 T J Q K`) and suit (`C D H S`); a joker is "
            "`JK`, and **getCard** has an image of each. Every refusal is an "
            "`application/problem+json` that says what to do, and a refused call makes no change "
            "of its own. (Where turns have a time limit, a call of a seat first plays the turns "
            "that are overdue, whatever becomes of the call.) Repeating a request with its own "
            "`Idempotency-Key` is always safe. Each answer has an `X-Request-Id`: yours, if you "
            "sent one."
        ),
        "license": {"name": "MIT", "identifier": "MIT"},
    },
    "servers": [{"url": "/", "description": "This service"}],
    "components": {
        "securitySchemes": {
            "seatToken": {
                "type": "http",
                "scheme": "bearer",
                "description": (
                    "The `token` that createGame answered, without the word Bearer. It belongs "
                    "to one seat of one game."
                ),
            }
        }
    },
}

_PARTS = ("openapi", "info", "servers", "tags", "paths", "components")
_OPERATION_PARTS = (
    "operationId",
    "summary",
    "description",
    "tags",
    "security",
    "parameters",
    "requestBody",
    "responses",
)
_LINE_END = re.compile(r"(?<!\n)\n(?!\n)")


def completed(spec: _Object, root_path: str) -> _Object:
    """The description with examples and links, its parts in the order in which they are read.

    Under a `root_path` it names that as the server, and the addresses in its examples have it.
    """
    shown = examples.by_operation()
    paths = spec["paths"]
    shared = _shared(paths)
    spec["components"]["parameters"] = {each["name"]: each for each in shared}
    for path in paths.values():
        own = [_named(each) if each in shared else each for each in path.pop("parameters", [])]
        for method, operation in path.items():
            name = operation["operationId"]
            if name in shown.requests:
                operation["requestBody"]["content"][JSON]["examples"] = shown.requests[name]
            for media_type, named in shown.answers.get(name, {}).items():
                _success(operation)["content"][media_type]["examples"] = named
            _show_tag(_success(operation))
            _show_own_problems(operation)
            path[method] = _ordered(operation, own)
    for schema in spec["components"]["schemas"].values():
        if schema.get("additionalProperties") is True:
            del schema["additionalProperties"]  # what is not said is allowed
        for stated in schema.get("properties", {}).values():
            _say_default(stated)
    links.add(paths)
    _drop_unused_examples(spec)
    if root_path:
        spec["servers"] = [{**server, "url": root_path} for server in spec["servers"]]
        spec = _located(spec, root_path)
    return {part: spec[part] for part in _PARTS}


def written(spec: _Object) -> bytes:
    """The description as the JSON text that is served and committed."""
    return (json.dumps(spec, indent=2, ensure_ascii=False) + "\n").encode()


def _located(node: Any, root_path: str) -> Any:
    """A part of the description with the prefix before every address that is a value in it."""
    match node:
        case str():
            return located(node, root_path)
        case list():
            return [_located(inner, root_path) for inner in node]
        case dict():
            return {name: _located(inner, root_path) for name, inner in node.items()}
        case _:
            return node


def _shared(paths: _Object) -> list[_Object]:
    """The parameters that several paths have alike, each once."""
    stated = [parameter for path in paths.values() for parameter in path.get("parameters", [])]
    several = [parameter for parameter in stated if stated.count(parameter) > 1]
    return [each for place, each in enumerate(several) if several.index(each) == place]


def _named(parameter: _Object) -> _Object:
    """A reference to a parameter that the components hold."""
    return {"$ref": f"#/components/parameters/{parameter['name']}"}


def _success(operation: _Object) -> _Object:
    responses: _Object = operation["responses"]
    return next(response for status, response in responses.items() if status.startswith("2"))


def _ordered(operation: _Object, of_path: list[_Object]) -> _Object:
    """An operation as it is read: the path's parameters first, statuses in order, no hard lines."""
    parts = {
        **operation,
        "summary": operation["summary"].removesuffix("."),
        "description": _LINE_END.sub(" ", operation["description"]),
        "parameters": [*of_path, *operation.get("parameters", [])],
        "responses": dict(sorted(operation["responses"].items())),
    }
    return {part: parts[part] for part in _OPERATION_PARTS if parts.get(part) or part == "security"}


def _show_tag(response: _Object) -> None:
    """Show the tag of the game that the first example of a response has, where it has a tag."""
    named: dict[str, _Object] = response.get("content", {}).get(JSON, {}).get("examples", {})
    body: _Object = next((example["value"] for example in named.values()), {})
    game = body.get("game", body)
    if "ETag" in response.get("headers", {}) and "version" in game:
        tag = entity_tag(game["version"], game["you"]["seat"])
        shown = {**response["headers"]["ETag"], "example": tag}
        response["headers"] = {**response["headers"], "ETag": shown}


def _show_own_problems(operation: _Object) -> None:
    """Show the problems that an operation gets in its own way, instead of what is shared."""
    own = example_problems.of_operation(operation["operationId"])
    for response in operation["responses"].values():
        named = response.get("content", {}).get(MEDIA_TYPE, {}).get("examples", {})
        named |= {code: {"value": own[code]} for code in named.keys() & own.keys()}


def _drop_unused_examples(spec: _Object) -> None:
    """Leave out the problems that every operation with them shows in its own way."""
    text = json.dumps(spec["paths"])
    shared = spec["components"]["examples"]
    used = {code for code in shared if f'"#/components/examples/{code}"' in text}
    spec["components"]["examples"] = {code: shared[code] for code in shared if code in used}


def _say_default(stated: _Object) -> None:
    """Say in words what is taken where a member of a body is left out.

    Many generators of clients take a member with a `default` for one that is always there.
    """
    default = stated.pop("default", None)
    if default is not None:
        stated["description"] += f" Default: `{json.dumps(default)}`."
