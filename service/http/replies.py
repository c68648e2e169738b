"""Replies: what the use cases answer, as HTTP."""

from __future__ import annotations

import orjson
from flask import Response, request

from service.games.entity_tags import is_cached
from service.games.responses import GameResponse
from service.http.card_images.images import CardImage
from service.http.root_path import located

JSON = "application/json"
MARKDOWN = "text/markdown"
SVG = "image/svg+xml"
IMMUTABLE = "public, max-age=31536000, immutable"


class Reply(Response):
    """A response that has a media type only if it is given one."""

    default_mimetype = None


def game_reply(answer: GameResponse) -> Response:
    """A use case's answer; every view of a game says how it may be cached."""
    headers = [("Content-Type", JSON)] if answer.body else []
    headers += [("Vary", "Authorization"), ("Cache-Control", "private, no-cache")]
    if answer.etag is not None:
        headers.append(("ETag", answer.etag))
    if answer.location is not None:
        headers.append(("Location", located(answer.location, request.script_root)))
    if answer.replayed:
        headers.append(("Idempotency-Replayed", "true"))
    return Reply(answer.body, answer.status, headers)


def json_reply(body: object, **headers: str) -> Response:
    """A body that belongs to no game, with headers by their names in Python."""
    named = {name.replace("_", "-").title(): value for name, value in headers.items()}
    return Response(orjson.dumps(body), content_type=JSON, headers=named)


def markdown_reply(text: str) -> Response:
    """A text in Markdown."""
    return Response(text, content_type=f"{MARKDOWN}; charset=utf-8")


def image_reply(image: CardImage, if_none_match: str | None) -> Response:
    """An image, which may be kept for a year; without its body for who has it already."""
    headers = {"ETag": image.etag, "Cache-Control": IMMUTABLE}
    if is_cached(if_none_match, image.etag):
        return Reply(status=304, headers=headers)
    return Reply(image.svg, content_type=SVG, headers=headers)
