"""The description of the whole API, made by flask-smorest from what the operations say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from threading import Lock
from typing import Any

import flask_smorest
import marshmallow as ma
from flask import Flask

from service.http.openapi import example_problems
from service.http.problems import handlers
from service.http.schemas.events import EVENT_SCHEMAS, UNION
from service.http.schemas.replies import ProblemReply


class Api(flask_smorest.Api):  # type: ignore[misc]
    """The API and its description; errors are answered by the handlers of `problems`.

    What the operations say is put together at the first call for the description: that takes longer
    than all else of a start.
    """

    ERROR_SCHEMA = ProblemReply
    DEFAULT_ERROR_RESPONSE_NAME = None

    def __init__(self, app: Flask, spec_kwargs: Mapping[str, object]) -> None:
        self._lock = Lock()
        self._left: list[Callable[[], None]] = []
        super().__init__(app, spec_kwargs=spec_kwargs)

    def describe_later(self, describe: Callable[[], None]) -> None:
        """Have something described when the description is asked for."""
        self._left.append(describe)

    def _register_error_handlers(self) -> None:
        handlers.register(self._app)

    def _register_pagination_header(self) -> None:
        """Leave the header of pages out: no operation has it."""

    def _register_responses(self) -> None:
        """Name what operations share: the union of events, and an example of each problem."""
        for code, example in example_problems.by_code().items():
            self.spec.components.example(code, {"value": example}, lazy=True)
        self.ma_plugin.converter.add_attribute_function(_as_documented)
        for schema in EVENT_SCHEMAS.values():
            self.spec.components.schema(schema.__name__, schema=schema)
        self.spec.components.schema(UNION, _union())

    def description(self) -> dict[str, Any]:
        """A new copy of the API description, each schema with the docstring of its class."""
        with self._lock:  # two first requests may both ask for it
            while self._left:
                self._left.pop(0)()
        described: dict[str, Any] = deepcopy(self.spec.to_dict())
        schemas = described["components"]["schemas"]
        for (schema, *_), name in self.ma_plugin.converter.refs.items():
            schemas[name] = {"description": schema.__doc__, **schemas[name]}
        return described


def _union() -> dict[str, object]:
    refs = {
        kind: f"#/components/schemas/{schema.__name__}" for kind, schema in EVENT_SCHEMAS.items()
    }
    return {
        "description": "One thing that happened in a game.",
        "oneOf": [{"$ref": ref} for ref in refs.values()],
        "discriminator": {"propertyName": "type", "mapping": refs},
    }


def _as_documented(_: object, field: ma.fields.Field[Any], **_context: object) -> dict[str, object]:
    documented: dict[str, object] = getattr(field, "DOCUMENTED", {})
    return documented
