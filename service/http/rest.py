"""The base of all operations: flask-smorest with its measured traps mended.

- Bodies: only JSON that `jsontext` accepts; another media type is 415, not an empty body.
- Queries: where an operation has parameters, one that is not known is refused, not ignored.
- Errors: documented as application/problem+json by code, and answered by `problems.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from enum import Enum
from functools import wraps
from itertools import groupby
from typing import Any, NoReturn, TypeVar, cast

import flask_smorest
import marshmallow as ma
from flask import Request, Response, current_app, request
from gunicorn.http.errors import ParseException
from webargs import missing
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import RequestEntityTooLarge

from service.errors import (
    Fault,
    InvalidRequestError,
    MalformedJsonError,
    MediaTypeError,
    RequestError,
)
from service.games import tokens
from service.games.bodies import Answer
from service.games.tokens import Idempotency
from service.games.use_cases import Games
from service.http import problems, strict_json
from service.http.authorization import bearer_token
from service.http.openapi.headers import PROBLEM_HEADERS
from service.http.problems import PROBLEMS, Problem
from service.http.schemas.events import EVENT_SCHEMAS, UNION
from service.http.schemas.replies import ProblemReply

_View = TypeVar("_View", bound=Callable[..., Any])

ALWAYS = ("foreign-host", "not-acceptable", "internal-error")
BODY = ("malformed-json", "body-too-large", "unsupported-media-type", "validation-failed")
GAME = ("game-not-found", "storage-unavailable")
# A seat that reads may bring its game up to date, which is a change.
READING = (*GAME, "invalid-token", "conflict", "outcome-unknown")
MOVING = (
    *BODY,
    *GAME,
    "token-required",
    "invalid-token",
    "idempotency-key-reused",
    "stale-version",
    "game-waiting",
    "game-finished",
    "not-your-turn",
    "wrong-phase",
    "conflict",
    "outcome-unknown",
)
TOKEN_NEEDED: list[dict[str, list[str]]] = [{"seatToken": []}]
TOKEN_OPTIONAL: list[dict[str, list[str]]] = [{}, {"seatToken": []}]
TOKEN_UNUSED: list[dict[str, list[str]]] = []


class Parser(FlaskParser):
    """Reads requests strictly and raises the service's own errors."""

    DEFAULT_UNKNOWN_BY_LOCATION: dict[str, str | None] = {  # noqa: RUF012 - webargs' own
        **FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION,
        "query": ma.RAISE,
        "headers": ma.EXCLUDE,
    }

    def load_json(self, req: Request, schema: ma.Schema) -> Any:
        """The body's JSON; an empty body counts as none at all."""
        body = _body(req)
        if not body.strip():
            return missing
        if not req.is_json:
            raise MediaTypeError(f"the body is {req.mimetype or 'of no declared type'}")
        return strict_json.parse(body)

    def handle_error(
        self, error: ma.ValidationError, req: Request, schema: ma.Schema, **kwargs: Any
    ) -> NoReturn:
        """Every fault that the schema found, each with its pointer."""
        raise InvalidRequestError(*_faults(_messages(error))) from error


def _body(req: Request) -> bytes:
    """The whole body of a request; a part of one is refused rather than taken for it."""
    try:
        body = req.get_data()
    except (OSError, ParseException) as error:  # the latter of a body in broken chunks
        raise MalformedJsonError("the body cannot be read to its end") from error
    if len(body) > current_app.config["MAX_BODY_BYTES"]:
        raise RequestEntityTooLarge
    if len(body) < (req.content_length or 0):
        raise MalformedJsonError("the body is shorter than its Content-Length says")
    return body


def _messages(error: ma.ValidationError) -> dict[str, Any]:
    messages: dict[str, Any] = error.normalized_messages()  # type: ignore[no-untyped-call]
    return messages


def _faults(messages: Mapping[str, Any]) -> Iterator[Fault]:
    for location, found in messages.items():
        start = "" if location == "json" else f"/{location.removesuffix('s')}"
        yield from _faults_at(start, found)


def _faults_at(pointer: str, found: Any) -> Iterator[Fault]:
    if isinstance(found, Mapping):
        for name, inner in found.items():
            step = "" if name == "_schema" else f"/{_escaped(str(name))}"
            yield from _faults_at(pointer + step, inner)
    else:
        for detail in found if isinstance(found, list) else [found]:
            yield Fault(pointer, str(detail))


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


class Api(flask_smorest.Api):  # type: ignore[misc]
    """The API and its description; errors are registered by `problems`."""

    ERROR_SCHEMA = ProblemReply
    DEFAULT_ERROR_RESPONSE_NAME = None

    def _register_error_handlers(self) -> None:
        problems.register(self._app)

    def _register_pagination_header(self) -> None:
        """Leave the header of pages out: no operation has it."""

    def _register_responses(self) -> None:
        """Name what operations share: the union of events, and an example of each problem."""
        for kind in PROBLEMS.values():
            self.spec.components.example(kind.code, {"value": _example(kind)}, lazy=True)
        self.ma_plugin.converter.add_attribute_function(_as_documented)
        for schema in EVENT_SCHEMAS.values():
            self.spec.components.schema(schema.__name__, schema=schema)
        self.spec.components.schema(UNION, _union())

    def description(self) -> dict[str, Any]:
        """A new copy of the API description, each schema with the docstring of its class."""
        described: dict[str, Any] = deepcopy(self.spec.to_dict())
        schemas = described["components"]["schemas"]
        for (schema, *_), name in self.ma_plugin.converter.refs.items():
            schemas[name] = {"description": schema.__doc__, **schemas[name]}
        return described


def _union() -> dict[str, Any]:
    refs = {
        kind: f"#/components/schemas/{schema.__name__}" for kind, schema in EVENT_SCHEMAS.items()
    }
    return {
        "description": "One thing that happened in a game.",
        "oneOf": [{"$ref": ref} for ref in refs.values()],
        "discriminator": {"propertyName": "type", "mapping": refs},
    }


def _as_documented(_: Any, field: ma.fields.Field[Any], **_context: Any) -> dict[str, Any]:
    documented: dict[str, Any] = getattr(field, "DOCUMENTED", {})
    return documented


def games() -> Games:
    """The use cases of the running application."""
    cases: Games = current_app.extensions["games"]
    return cases


def idempotency(operation: str, headers: Mapping[str, Any], body: object) -> Idempotency:
    """The request's idempotency key with the fingerprint of the request."""
    fingerprint = tokens.fingerprint(operation, request.path, body)
    return Idempotency(headers.get("idempotency_key"), fingerprint)


def reply(answer: Answer) -> Response:
    """A use case's answer as HTTP; every view of a game says how it may be cached."""
    response = Response(answer.body, status=answer.status, content_type="application/json")
    if not answer.body:
        del response.headers["Content-Type"]
    response.headers["Vary"] = "Authorization"
    response.headers["Cache-Control"] = "private, no-cache"
    if answer.etag is not None:
        response.headers["ETag"] = answer.etag
    if answer.location is not None:
        response.headers["Location"] = answer.location
    if answer.replayed:
        response.headers["Idempotency-Replayed"] = "true"
    return response


class Caller(Enum):
    """Whom an operation on a game is for: a seat, also spectators, or anybody at all."""

    SEAT = "seat"
    SPECTATOR = "spectator"
    STRANGER = "stranger"


def game_first(caller: Caller) -> Callable[[_View], _View]:
    """Judge a request's game and token before what else is wrong with the request.

    Costs nothing while requests are right: the use case itself judges in the same order.
    """

    def decorate(view: _View) -> _View:
        @wraps(view)
        def judged(*args: Any, game_id: str, **kwargs: Any) -> Any:
            try:
                return view(*args, game_id=game_id, **kwargs)
            except RequestError:
                given = None if caller is Caller.STRANGER else bearer_token()
                games().check(game_id, given, needs_token=caller is Caller.SEAT)
                raise

        return cast("_View", judged)

    return decorate


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]
    """A group of operations."""

    ARGUMENTS_PARSER = Parser()

    def problems(self, *codes: str) -> Callable[[_View], _View]:
        """Document the problems that an operation may answer, with the ones all may."""
        kinds = sorted({PROBLEMS[code] for code in (*codes, *ALWAYS)}, key=_by_status)

        def decorate(view: _View) -> _View:
            for status, group in groupby(kinds, key=lambda kind: kind.status):
                view = self._alternative(status, list(group))(view)
            return view

        return decorate

    def _alternative(self, status: int, kinds: list[Problem]) -> Callable[[_View], _View]:
        decorated: Callable[[_View], _View] = self.alt_response(
            status,
            schema=ProblemReply,
            content_type=problems.MEDIA_TYPE,
            description=_listed([f"`{kind.code}`: {kind.title}." for kind in kinds]),
            examples={kind.code: kind.code for kind in kinds},  # by name
            headers=PROBLEM_HEADERS.get(kinds[0].code),
        )
        return decorated

    def _prepare_arguments_doc(
        self, doc: dict[str, Any], doc_info: dict[str, Any], **kwargs: Any
    ) -> dict[str, Any]:
        """Leave the automatic 422 out: where values can be refused, `problems` says so."""
        doc_info.get("arguments", {}).pop("responses", None)
        documented: dict[str, Any] = super()._prepare_arguments_doc(doc, doc_info, **kwargs)
        return documented


def _by_status(kind: Problem) -> tuple[int, str]:
    return kind.status, kind.code


def _listed(lines: list[str]) -> str:
    return lines[0] if len(lines) == 1 else "\n".join(f"- {line}" for line in lines)


def _example(kind: Problem) -> dict[str, Any]:
    return {
        "type": kind.type,
        "title": kind.title,
        "status": kind.status,
        "detail": kind.remedy,
        "code": kind.code,
    }
