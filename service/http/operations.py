"""Operations as they run: a request's arguments are parsed and handed to the method of a resource.

The decorators of `openapi.blueprint` only describe. What they say of arguments is read here, once
for each path: so what is documented is what is parsed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from flask import Request, Response
from flask.globals import request_ctx
from flask.views import MethodView
from werkzeug.exceptions import RequestEntityTooLarge

from service.errors import RequestError
from service.http.openapi.blueprint import (
    documented_arguments,
    documented_token,
)
from service.http.parsing import Argument, Token, bearer_token
from service.http.use_cases import queries


@dataclass(frozen=True, slots=True)
class Operation:
    """A method of a resource with the arguments that it takes, in their order."""

    method: Callable[..., Response]
    arguments: tuple[Argument, ...]
    token: Token

    def answer(self, request: Request, path: Mapping[str, str]) -> Response:
        """The answer to a request; `path` has the values that its path names."""
        try:
            values = [argument.parse(request) for argument in self.arguments]
            return self.method(*values, **path)
        except (RequestError, RequestEntityTooLarge):
            self._check_access_first(path)
            raise

    def _check_access_first(self, path: Mapping[str, str]) -> None:
        """Report an unknown game or a wrong token before what else is wrong with the request.

        Costs nothing while requests are right: the use case itself checks in the same order.
        """
        if "game_id" in path:
            given = None if self.token is Token.IGNORED else bearer_token()
            required = self.token is Token.REQUIRED
            queries().require_access(path["game_id"], given, needs_token=required)


def operation_of(method: Callable[..., Response]) -> Operation:
    """The operation that a decorated method describes."""
    arguments = tuple(
        Argument.of(where, schema()) for where, schema in documented_arguments(method)
    )
    return Operation(method, arguments, documented_token(method))


class Resource(MethodView):
    """What is found at one path: an operation for each method that is named like one of HTTP's."""

    init_every_request = False

    def __init__(self) -> None:
        methods = {name: getattr(self, name.lower()) for name in self.methods or ()}
        self._operations = {name: operation_of(method) for name, method in methods.items()}
        if "GET" in self._operations:
            self._operations.setdefault("HEAD", self._operations["GET"])

    def dispatch_request(self, **path: str) -> Response:
        """Answer the current request."""
        request = request_ctx.request
        return self._operations[request.method].answer(request, path)
