"""Replies: what the use cases answer, as HTTP."""

from __future__ import annotations

import orjson
from flask import Response, request
from werkzeug.datastructures import Headers

from service.games.answers.entity_tags import is_cached
from service.games.answers.responses import GameResponse
from service.http.card_images.images import CardImage
from service.http.middleware import SentResponse
from service.http.root_path import located

JSON = "application/json"
CSV = "text/csv"
MARKDOWN = "text/markdown"
EVENT_STREAM = "text/event-stream"
SVG = "image/svg+xml"
IMMUTABLE = "public, max-age=31536000, immutable"


class _WrittenHeaders(Headers):
    """Headers that are known to be right, and not looked at one by one."""

    def __init__(self, headers: list[tuple[str, str]]) -> None:
        self._list = headers


class Reply(SentResponse):
    """A response with a body as it is sent, and a media type only if it is given one."""

    default_mimetype = None

    def __init__(self, body: bytes, status: int, headers: list[tuple[str, str]]) -> None:
        """Do what werkzeug does for these types; a test holds the one against the other."""
        headers.append(("Content-Length", str(len(body))))
        self.headers = _WrittenHeaders(headers)
        self.status = status
        self.direct_passthrough = False
        self._on_close = []
        self.response = [body]


def game_reply(
    answer: GameResponse, content_type: str = JSON, vary: str = "Authorization"
) -> Response:
    """A use case's answer; every view of a game says how it may be cached."""
    headers = [("Content-Type", content_type)] if answer.body or answer.is_open else []
    headers += [("Vary", vary), ("Cache-Control", "private, no-cache")]
    if answer.etag is not None:
        headers.append(("ETag", answer.etag))
    if answer.location is not None:
        headers.append(("Location", located(answer.location, request.script_root)))
    if answer.replayed:
        headers.append(("Idempotency-Replayed", "true"))
    return _reply(answer, headers)


def stream_reply(answer: GameResponse) -> Response:
    """A stream of events, which nobody on the way may keep or hold back."""
    headers = [("Vary", "Accept, Authorization"), ("Cache-Control", "no-store")]
    if answer.body or answer.is_open:
        headers += [("Content-Type", EVENT_STREAM), ("X-Accel-Buffering", "no")]
    return _reply(answer, headers)


def _reply(answer: GameResponse, headers: list[tuple[str, str]]) -> Response:
    if answer.is_open:
        return SentResponse(iter(()), answer.status, Headers(headers))
    return Reply(answer.body, answer.status, headers)


def json_reply(body: object, **headers: str) -> Response:
    """A body that belongs to no game, with headers by their names in Python."""
    named = {name.replace("_", "-").title(): value for name, value in headers.items()}
    return Reply(orjson.dumps(body), 200, [*named.items(), ("Content-Type", JSON)])


def markdown_reply(text: str) -> Response:
    """A text in Markdown."""
    return Response(text, content_type=f"{MARKDOWN}; charset=utf-8")


def image_reply(image: CardImage, if_none_match: str | None) -> Response:
    """An image, which may be kept for a year; without its body for who has it already."""
    headers = [("ETag", image.etag), ("Cache-Control", IMMUTABLE)]
    if is_cached(if_none_match, image.etag):
        return Reply(b"", 304, headers)
    return Reply(image.svg, 200, [*headers, ("Content-Type", SVG)])
