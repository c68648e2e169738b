"""Requests, read strictly: the body, the parameters, the seat token, the idempotency key.

- Bodies: only JSON that `strict_json` accepts; another media type is 415, not an empty body.
- Queries: where an operation has parameters, one that is not known is refused, not ignored.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, Self

import marshmallow as ma
from flask import Request, current_app, request
from werkzeug.exceptions import RequestEntityTooLarge

from service.errors import (
    ContentEncodingError,
    Fault,
    InvalidRequestError,
    MalformedJsonError,
    MediaTypeError,
)
from service.games.idempotency import Idempotency, fingerprint
from service.http import strict_json
from service.http.schemas.plain import PlainLoader

_SCHEME = "bearer"


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


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of an operation: where it stands in a request, and the schema of its values."""

    location: str
    schema: ma.Schema
    plain: PlainLoader
    read: Callable[[Request], Any]

    @classmethod
    def of(cls, location: str, schema: ma.Schema) -> Self:
        """The argument with a schema; raises ValueError for a location that no request has."""
        plain = PlainLoader.of(schema)
        match location:
            case "json":
                return cls(location, schema, plain, _json_body)
            case "headers":
                names = [field.data_key or name for name, field in schema.fields.items()]
                return cls(location, schema, plain, partial(_headers, names))
            case "query":
                return cls(location, schema, plain, _query)
            case _:
                raise ValueError(f"arguments stand in json, headers or query, not in {location}")

    def parse(self, request: Request) -> dict[str, Any]:
        """The values that a request has there; raises RequestError, with all faults found."""
        given = self.read(request)
        values = self.plain.load(given)
        return self._load(given) if values is None else values

    def _load(self, given: Any) -> dict[str, Any]:
        try:
            values: dict[str, Any] = self.schema.load(given)
        except ma.ValidationError as error:
            start = "" if self.location == "json" else f"/{self.location.removesuffix('s')}"
            raise InvalidRequestError(*_faults_at(start, error.messages)) from error
        return values


def _headers(names: Iterable[str], request: Request) -> dict[str, str]:
    """The headers with those names, as far as a request has them."""
    headers = request.headers
    return {name: headers[name] for name in names if name in headers}


def _query(request: Request) -> dict[str, str]:
    """The parameters of the query; of one that is there twice, the first."""
    return request.args.to_dict()


def _json_body(request: Request) -> object:
    """The body's JSON, a byte order mark left out; an empty body is an empty object."""
    body = _body(request)
    _check_encoding(request, body)
    body = body.removeprefix(codecs.BOM_UTF8)
    if not body.strip():
        return {}
    if not request.is_json:
        raise MediaTypeError(f"the body is {request.mimetype or 'of no declared type'}")
    return strict_json.parse(body)


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
