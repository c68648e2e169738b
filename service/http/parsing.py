"""Requests, read strictly: the body, the parameters, the seat token, the idempotency key.

- Bodies: only JSON that `strict_json` accepts; another media type is 415, not an empty body.
- Queries: where an operation has parameters, one that is not known is refused, not ignored.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import wraps
from typing import Any, NoReturn, ParamSpec, TypeVar

import marshmallow as ma
from flask import Request, current_app, request
from webargs import missing
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import RequestEntityTooLarge

from service.errors import (
    ContentEncodingError,
    Fault,
    InvalidRequestError,
    MalformedJsonError,
    MediaTypeError,
    RequestError,
)
from service.games.idempotency import Idempotency, fingerprint
from service.http import strict_json
from service.http.use_cases import queries

_SCHEME = "bearer"
_Parameters = ParamSpec("_Parameters")
_Answer = TypeVar("_Answer")


class Token(Enum):
    """What an operation does with the token of a seat."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    IGNORED = "ignored"


def bearer_token() -> str | None:
    """The token of the request, None without an Authorization header.

    Another scheme, or a header without a token, counts as a token that no seat has.
    """
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, token = header.strip().partition(" ")
    return token.strip() if scheme.lower() == _SCHEME else ""


def idempotency(operation: str, headers: Mapping[str, str], body: object) -> Idempotency:
    """The request's idempotency key with the fingerprint of the request."""
    key = headers.get("idempotency_key")
    return Idempotency(key, fingerprint(operation, request.path, body))


def check_access_first(
    token: Token,
) -> Callable[[Callable[_Parameters, _Answer]], Callable[_Parameters, _Answer]]:
    """Report an unknown game or a wrong token before what else is wrong with the request.

    Costs nothing while requests are right: the use case itself checks in the same order.
    """

    def decorate(view: Callable[_Parameters, _Answer]) -> Callable[_Parameters, _Answer]:
        @wraps(view)
        def checked(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Answer:
            try:
                return view(*args, **kwargs)
            except RequestError:
                given = None if token is Token.IGNORED else bearer_token()
                required = token is Token.REQUIRED
                queries().require_access(str(kwargs["game_id"]), given, needs_token=required)
                raise

        return checked

    return decorate


class Parser(FlaskParser):
    """The parser of every operation's arguments; it raises the service's own errors."""

    DEFAULT_UNKNOWN_BY_LOCATION: dict[str, str | None] = {  # noqa: RUF012 - webargs' own
        **FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION,
        "query": ma.RAISE,
        "headers": ma.EXCLUDE,
    }

    def load_json(self, req: Request, schema: ma.Schema) -> object:
        """The body's JSON, a byte order mark left out; an empty body counts as none at all."""
        body = _body(req)
        _check_encoding(req, body)
        body = body.removeprefix(codecs.BOM_UTF8)
        if not body.strip():
            return missing
        if not req.is_json:
            raise MediaTypeError(f"the body is {req.mimetype or 'of no declared type'}")
        return strict_json.parse(body)

    def handle_error(
        self, error: ma.ValidationError, req: Request, schema: ma.Schema, **kwargs: object
    ) -> NoReturn:
        """Raise everything that the schema found wrong, each with its pointer."""
        raise InvalidRequestError(*_faults(_messages(error))) from error


def _body(req: Request) -> bytes:
    """The whole body of a request; a part of one is refused rather than taken for it."""
    try:
        body = req.get_data()
    except OSError as error:
        raise MalformedJsonError("the body cannot be read to its end") from error
    if len(body) > current_app.config["MAX_BODY_BYTES"]:
        raise RequestEntityTooLarge
    if len(body) < (req.content_length or 0):
        raise MalformedJsonError("the body is shorter than its Content-Length says")
    return body


def _check_encoding(req: Request, body: bytes) -> None:
    """Refuse a body that is encoded; where there is none, its header says nothing."""
    codings = req.headers.get("Content-Encoding", "")
    named = {coding.strip().lower() for coding in codings.split(",")}
    if body and not named <= {"", "identity"}:
        raise ContentEncodingError(codings)


def _messages(error: ma.ValidationError) -> dict[str, Any]:
    messages: dict[str, Any] = error.normalized_messages()  # type: ignore[no-untyped-call]
    return messages


def _faults(messages: Mapping[str, object]) -> Iterator[Fault]:
    for location, inner in messages.items():
        start = "" if location == "json" else f"/{location.removesuffix('s')}"
        yield from _faults_at(start, inner)


def _faults_at(pointer: str, messages: object) -> Iterator[Fault]:
    if isinstance(messages, Mapping):
        for name, inner in messages.items():
            step = "" if name == "_schema" else f"/{_escaped(str(name))}"
            yield from _faults_at(pointer + step, inner)
    else:
        for detail in messages if isinstance(messages, list) else [messages]:
            yield Fault(pointer, str(detail))


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
