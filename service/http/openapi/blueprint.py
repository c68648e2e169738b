"""Groups of operations, and the decorators that document an operation.

The decorators describe and leave the view as it is: what flask-smorest's own would wrap around it
is not kept. `operations` reads here what a view says of its arguments, and parses them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import groupby
from typing import Any, TypeVar

import flask_smorest
import marshmallow as ma
from flask import Flask

from service.http.openapi.api import Api
from service.http.openapi.headers import PROBLEM_HEADERS, rate_limit_headers
from service.http.parsing import Token
from service.http.problems.catalogue import MEDIA_TYPE, PROBLEMS, Problem
from service.http.rate_limits.table import LIMITS
from service.http.schemas.replies import ProblemReply

_View = TypeVar("_View", bound=Callable[..., object])

GAME_PROBLEMS = ("game-not-found", "game-damaged", "storage-unavailable")
# A seat that reads may bring its game up to date, which is a change.
READ_PROBLEMS = (*GAME_PROBLEMS, "conflict", "outcome-unknown")
MOVE_PROBLEMS = (
    *READ_PROBLEMS,
    "idempotency-key-reused",
    "idempotency-key-expired",
    "stale-version",
    "game-waiting",
    "game-finished",
    "not-your-turn",
    "wrong-phase",
)
_ALL = ("foreign-host", "internal-error")
_CHANGING = ("post", "delete")
"""The methods that web pages of foreign origins may not use."""
_JSON = "application/json"
_DOCUMENTATION = "_apidoc"
"""The attribute of a view in which flask-smorest's decorators write and its description reads."""
_AVAILABLE = "available_media_types"
"""The attribute of a view that says among which media types its caller may choose."""
_TOKEN_USE = "token_use"  # noqa: S105 - the name of an attribute, too
"""The attribute of a view that says what it does with the token of a seat."""
_NAME = "operation_name"
"""The attribute of a view that has its operationId."""
_BODY = ("malformed-json", "body-too-large", "unsupported-media-type", "validation-failed")
_TOKEN = {
    Token.REQUIRED: ("token-required", "invalid-token"),
    Token.OPTIONAL: ("invalid-token",),
    Token.IGNORED: (),
}
_SECURITY: dict[Token, list[dict[str, list[str]]]] = {
    Token.REQUIRED: [{"seatToken": []}],
    Token.OPTIONAL: [{}, {"seatToken": []}],
    Token.IGNORED: [],
}


class _Growing(dict[str, Any]):
    """What a view's decorators have said so far; the last of them leaves a plain dict.

    flask-smorest copies it whole for each decorator, the schemas included: a tenth of the time that
    the application needs to be imported.
    """

    def __deepcopy__(self, memo: dict[int, object]) -> _Growing:
        return self


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]
    """A group of operations."""

    def arguments(
        self, schema: type[ma.Schema], *, location: str = "json", **more: object
    ) -> Callable[[_View], _View]:
        """Document an argument: the body, or the parameters in `headers` or `query`.

        The view is called with the values of its arguments, those of the topmost decorator first.
        """
        return _documenting(super().arguments(schema, location=location, **more))

    def response(self, status: int, *schema: object, **more: object) -> Callable[[_View], _View]:
        """Document the answer to a request that succeeds."""
        return _documenting(super().response(status, *schema, **more))

    def alt_response(self, status: int, **more: object) -> Callable[[_View], _View]:
        """Document another answer."""
        return _documenting(super().alt_response(status, **more))

    def text_response(
        self, media_type: str, description: str, headers: Mapping[str, object]
    ) -> Callable[[_View], _View]:
        """Document that a caller may choose a text of this media type as the successful answer."""
        return self.alt_response(
            200,
            schema={"type": "string"},
            content_type=media_type,
            description=description,
            headers=headers,
            success=True,
        )

    def register_views_in_doc(self, api: Api, *context: object, **named: object) -> None:
        """Leave the description of the operations until it is asked for."""
        api.describe_later(partial(super().register_views_in_doc, api, *context, **named))

    @staticmethod
    def doc(**more: object) -> Callable[[_View], _View]:
        """Document what the other decorators do not."""
        return _documenting(flask_smorest.Blueprint.doc(**more))

    def operation(self, name: str, token: Token, *problems: str) -> Callable[[_View], _View]:
        """Document an operation: its operationId, whether it takes a token, what may refuse it.

        The problems of its token, of its body and of its answer's media type are added; so this
        decorator stands above those that describe arguments and responses.
        """

        def decorate(view: _View) -> _View:
            available = _success_types(view)
            codes = {*problems, *_TOKEN[token]}
            codes |= {"not-acceptable"} if available else set()
            codes |= set(_BODY) if _has_body(view) else set()
            limit = LIMITS.get(name)
            codes |= {"quota-exceeded"} if limit else set()
            described = self._described(view, name, token, codes)
            if limit:
                _add_headers(described, rate_limit_headers(limit.name, limit.default))
            vars(described)[_AVAILABLE] = available
            return described

        return decorate

    def probe(self, name: str, *problems: str) -> Callable[[_View], _View]:
        """Document an operation that monitors call: under any host name, whatever they accept."""
        return lambda view: self._described(view, name, Token.IGNORED, {*problems})

    def _described(self, view: _View, name: str, token: Token, codes: set[str]) -> _View:
        if unknown := codes - PROBLEMS.keys():
            raise ValueError(f"{name}: no problem of the catalogue is called {sorted(unknown)}")
        always = (*_ALL, "foreign-origin") if view.__name__ in _CHANGING else _ALL
        kinds = sorted((PROBLEMS[code] for code in {*codes, *always}), key=_by_status)
        for status, group in groupby(kinds, key=lambda problem: problem.status):
            view = self._refusal(status, list(group))(view)
        described = self.doc(operationId=name, security=_SECURITY[token])(view)
        vars(described)[_DOCUMENTATION] = {**vars(described)[_DOCUMENTATION]}
        vars(described)[_TOKEN_USE] = token
        vars(described)[_NAME] = name
        return described

    def _refusal(self, status: int, problems: list[Problem]) -> Callable[[_View], _View]:
        return self.alt_response(
            status,
            schema=ProblemReply,
            content_type=MEDIA_TYPE,
            description=_listed([f"`{problem.code}`: {problem.title}." for problem in problems]),
            examples={problem.code: problem.code for problem in problems},  # by name
            headers=PROBLEM_HEADERS.get(problems[0].code),
        )

    def _prepare_arguments_doc(
        self, doc: dict[str, Any], doc_info: dict[str, Any], **kwargs: object
    ) -> dict[str, Any]:
        """Leave the automatic 422 out: where values can be refused, `operation` says so."""
        doc_info.get("arguments", {}).pop("responses", None)
        documented: dict[str, Any] = super()._prepare_arguments_doc(doc, doc_info, **kwargs)
        return documented


def media_types(app: Flask) -> dict[tuple[str | None, str], tuple[str, ...]]:
    """The media types among which a caller may choose, by endpoint and method."""
    types: dict[tuple[str | None, str], tuple[str, ...]] = {}
    for endpoint, function in app.view_functions.items():
        resource = getattr(function, "view_class", None)
        for method in getattr(resource, "methods", ()):
            available = getattr(getattr(resource, method.lower()), _AVAILABLE, ())
            types[endpoint, method] = available
            if method == "GET":
                types[endpoint, "HEAD"] = available
    return types


def operation_names(app: Flask) -> dict[tuple[str | None, str], str]:
    """The operationIds of all operations, by endpoint and method."""
    names: dict[tuple[str | None, str], str] = {}
    for endpoint, function in app.view_functions.items():
        resource = getattr(function, "view_class", None)
        for method in getattr(resource, "methods", ()):
            names[endpoint, method] = documented_name(getattr(resource, method.lower()))
            if method == "GET":
                names[endpoint, "HEAD"] = names[endpoint, method]
    return names


def documented_name(view: Callable[..., object]) -> str:
    """The operationId of a view."""
    name: str = getattr(view, _NAME)
    return name


def documented_arguments(view: Callable[..., object]) -> list[tuple[str, type[ma.Schema]]]:
    """Where each argument of a view stands in a request, and its schema; in their order."""
    documented = getattr(view, _DOCUMENTATION, {}).get("arguments", {"parameters": []})
    return [(each["in"], each["schema"]) for each in reversed(documented["parameters"])]


def documented_token(view: Callable[..., object]) -> Token:
    """What a view does with the token of a seat."""
    token: Token = getattr(view, _TOKEN_USE)
    return token


def _documenting(decorate: Callable[[_View], _View]) -> Callable[[_View], _View]:
    """A decorator of flask-smorest's that documents the view itself and wraps nothing around it."""

    def document(view: _View) -> _View:
        vars(view).setdefault(_DOCUMENTATION, _Growing())
        vars(view)[_DOCUMENTATION] = vars(decorate(view))[_DOCUMENTATION]
        return view

    return document


def _add_headers(view: Callable[..., object], headers: Mapping[str, object]) -> None:
    """Document headers on every answer that is documented so far."""
    documented: dict[str, Any] = getattr(view, _DOCUMENTATION)
    for alternatives in documented["response"]["responses"].values():
        for stated in alternatives:
            stated["headers"] = {**stated.get("headers", {}), **headers}


def _success_types(view: Callable[..., object]) -> tuple[str, ...]:
    """The media types of the successes that are documented so far; none where they have no body."""
    responses = getattr(view, _DOCUMENTATION, {}).get("response", {"responses": {}})["responses"]
    return tuple(
        stated["content_type"] or _JSON
        for status, alternatives in responses.items()
        for stated in alternatives
        if int(status) < 300 and "schema" in stated
    )


def _has_body(view: Callable[..., object]) -> bool:
    """Whether the arguments that are documented so far have one that is the request's body."""
    return any(location == "json" for location, _ in documented_arguments(view))


def _by_status(problem: Problem) -> tuple[int, str]:
    return problem.status, problem.code


def _listed(lines: list[str]) -> str:
    return lines[0] if len(lines) == 1 else "\n".join(f"- {line}" for line in lines)
