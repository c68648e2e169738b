"""Requests, read strictly: the arguments of an operation, the seat token, the idempotency key.

- Bodies are read by `body`. What their schema does not name is refused.
- Queries: where an operation has parameters, one that is not known is refused, not ignored.
- Headers: those that the schema does not name are left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, Self

import marshmallow as ma
from flask import Request, request

from service.errors import Fault, InvalidRequestError
from service.games.idempotency import Idempotency, fingerprint
from service.http.body import json_body
from service.http.schemas.plain import PlainLoader

_SCHEME = "bearer"
_DIGITS = 4_000
"""The most digits that Python takes for a number, about."""


class Token(Enum):
    """What an operation does with the token of a seat."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    IGNORED = "ignored"


def bearer_token() -> str | None:
    """The token of the request, None without an Authorization header.

    Another scheme, or a header without a token, counts as a token that no seat has.
    """
    header: str | None = request.environ.get("HTTP_AUTHORIZATION")
    if header is None:
        return None
    scheme, _, token = header.strip().partition(" ")
    return token.strip() if scheme.lower() == _SCHEME else ""


def idempotency(operation: str, headers: Mapping[str, str], body: object) -> Idempotency:
    """The request's idempotency key with the fingerprint of the request."""
    key = headers.get("idempotency_key")
    return Idempotency(key, fingerprint(operation, request.path, body))


def stream_start(headers: Mapping[str, str], query: Mapping[str, int]) -> int | None:
    """The seq after which a stream begins; None to begin with the game as it is.

    Raises InvalidRequestError.
    """
    faults = [
        Fault(f"/query/{name}", "This is for a page of events, not for a stream.")
        for name in ("limit", "wait")
        if name in query
    ]
    last: str | None = headers.get("last_event_id")
    if last is not None and not (last.isascii() and last.isdigit() and len(last) <= _DIGITS):
        faults.append(Fault("/header/Last-Event-ID", "This is not a whole number from 0."))
    if faults:
        raise InvalidRequestError(*faults)
    return query.get("after") if last is None else int(last)


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
                return cls(location, schema, plain, json_body)
            case "headers":
                names = [field.data_key or name for name, field in schema.fields.items()]
                variables = {name: f"HTTP_{name.upper().replace('-', '_')}" for name in names}
                return cls(location, schema, plain, partial(_headers, variables))
            case "query":
                return cls(location, schema, plain, _query)
            case _:
                raise ValueError(f"arguments stand in json, headers or query, not in {location}")

    def parse(self, request: Request) -> dict[str, Any]:
        """The values that a request has there; raises RequestError, with all faults found."""
        return self.load(self.read(request))

    def load(self, given: Any) -> dict[str, Any]:
        """The values of what stands there; raises InvalidRequestError, with all faults found."""
        plain = self.plain.load(given)
        return self._load(given) if plain is None else plain

    def _load(self, given: Any) -> dict[str, Any]:
        try:
            values: dict[str, Any] = self.schema.load(given)
        except ma.ValidationError as error:
            start = "" if self.location == "json" else f"/{self.location.removesuffix('s')}"
            raise InvalidRequestError(*_faults_at(start, error.messages)) from error
        return values


def _headers(variables: Mapping[str, str], request: Request) -> dict[str, str]:
    """The headers that a request has of those whose names and variables of WSGI are given."""
    environ = request.environ
    return {name: environ[key] for name, key in variables.items() if key in environ}


def _query(request: Request) -> dict[str, str]:
    """The parameters of the query; of one that is there twice, the first."""
    return request.args.to_dict()


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
