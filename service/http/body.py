"""The body of a request: all of it, not encoded, declared as JSON, and strictly JSON.

The checks cost next to nothing for an ordinary body: one with a length, of the plain media type.
"""

from __future__ import annotations

import codecs
import io
import re
from typing import TYPE_CHECKING, Any

from flask import Request, current_app
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge

from service.errors import ContentEncodingError, MalformedJsonError, MediaTypeError
from service.http import strict_json

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

_JSON = "application/json"
_LENGTH = re.compile(r"[0-9]{1,9}")


def json_body(request: Request) -> Any:
    """The body's JSON, a byte order mark left out; an empty body is an empty object."""
    body = _whole_body(request)
    if "HTTP_CONTENT_ENCODING" in request.environ:
        _check_encoding(request, body)
    body = body.removeprefix(codecs.BOM_UTF8)
    if not body.strip():
        return {}
    if request.environ.get("CONTENT_TYPE") != _JSON and not request.is_json:
        raise MediaTypeError(f"the body is {request.mimetype or 'of no declared type'}")
    return strict_json.parse(body)


def _whole_body(request: Request) -> bytes:
    """The whole body of a request; a part of one is refused rather than taken for it."""
    limit: int = current_app.config["MAX_BODY_BYTES"]
    body = _body_by_length(request.environ, limit)
    if body is not None:
        return body
    try:
        body = request.get_data()
    except OSError as error:
        raise MalformedJsonError("the body cannot be read to its end") from error
    if len(body) > limit:
        raise RequestEntityTooLarge
    if len(body) < (request.content_length or 0):
        raise MalformedJsonError("the body is shorter than its Content-Length says")
    return body


def _body_by_length(environ: WSGIEnvironment, limit: int) -> bytes | None:
    """The body that is as long as the request says; None, with nothing lost, for any other.

    werkzeug's own stream is left out: to read a few bytes through it takes longer than all that
    follows. It is for bodies that end too soon, are too long, or state no length.
    """
    stated: str = environ.get("CONTENT_LENGTH", "")
    if not _LENGTH.fullmatch(stated) or "HTTP_TRANSFER_ENCODING" in environ:
        return None
    length = int(stated)
    if length > limit:
        return None
    try:
        body: bytes = environ["wsgi.input"].read(length)
    except (OSError, ValueError) as error:
        raise ClientDisconnected from error
    if len(body) < length:
        environ["wsgi.input"] = io.BytesIO(body)
        return None
    return body


def _check_encoding(request: Request, body: bytes) -> None:
    """Refuse a body that is encoded; where there is none, its header says nothing."""
    codings = request.headers.get("Content-Encoding", "")
    named = {coding.strip().lower() for coding in codings.split(",")}
    if body and not named <= {"", "identity"}:
        raise ContentEncodingError(codings)
