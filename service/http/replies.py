"""Replies: what the use cases answer, as HTTP."""

from __future__ import annotations

import orjson
from flask import Response, request

from service.games.responses import GameResponse
from service.http.root_path import located

_JSON = "application/json"


def game_reply(answer: GameResponse) -> Response:
    """A use case's answer; every view of a game says how it may be cached."""
    response = Response(answer.body, status=answer.status, content_type=_JSON)
    if not answer.body:
        del response.headers["Content-Type"]
    response.headers["Vary"] = "Authorization"
    response.headers["Cache-Control"] = "private, no-cache"
    if answer.etag is not None:
        response.headers["ETag"] = answer.etag
    if answer.location is not None:
        response.headers["Location"] = located(answer.location, request.script_root)
    if answer.replayed:
        response.headers["Idempotency-Replayed"] = "true"
    return response


def json_reply(body: object, **headers: str) -> Response:
    """A body that belongs to no game, with headers by their names in Python."""
    named = {name.replace("_", "-").title(): value for name, value in headers.items()}
    return Response(orjson.dumps(body), content_type=_JSON, headers=named)
