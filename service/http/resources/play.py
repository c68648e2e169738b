"""The table to play at: a page, its modules, its styles.

They are asked for again each time (304 where nothing changed): modules of two versions would not
fit. Every address in them is relative, so that they work under any prefix.
"""

from __future__ import annotations

from importlib.resources import files

from flask import Blueprint, Response, redirect, request, send_from_directory
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as BaseResponse

blueprint = Blueprint("play", __name__)

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_FILES = str(files("service.http") / "static" / "play")
_MEDIA_TYPES = {
    "mjs": "text/javascript",
    "css": "text/css",
    "svg": "image/svg+xml",
    "txt": "text/plain",
}
"""By the ending of a name: what is served, and as what; browsers refuse modules of other types."""


@blueprint.get("/play")
def table() -> Response:
    """The page."""
    return _guarded(send_from_directory(_FILES, "index.html"))


@blueprint.get("/play/")
def with_slash() -> BaseResponse:
    """Lead to the page: below this address its relative ones would be wrong."""
    return redirect(f"{request.script_root}/play")


@blueprint.get("/play/<path:name>")
def part(name: str) -> Response:
    """A file that the page loads."""
    media_type = _MEDIA_TYPES.get(name.rpartition(".")[2])
    if media_type is None:
        raise NotFound
    return _guarded(send_from_directory(_FILES, name, mimetype=media_type))


def _guarded(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = _POLICY
    return response
