"""The table to play at: a page, its modules, its styles.

They are asked for again each time (304 where nothing changed): modules of two versions would not
fit. Every address in them is relative, so that they work under any prefix.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

from flask import Blueprint, Response, redirect, request
from werkzeug.wrappers import Response as BaseResponse

from service.http.static_files import StaticFile, StaticFiles

blueprint = Blueprint("play", __name__)

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_FOLDER = Path(str(files("service.http") / "static" / "play"))
_FILES = StaticFiles.below(_FOLDER)


@blueprint.get("/play")
def table() -> Response:
    """The page."""
    return _guarded(_page().reply())


@blueprint.get("/play/")
def with_slash() -> BaseResponse:
    """Lead to the page: below this address its relative ones would be wrong."""
    return redirect(f"{request.script_root}/play")


@blueprint.get("/play/<path:name>")
def part(name: str) -> Response:
    """A file that the page loads."""
    return _guarded(_FILES.reply(name))


@cache
def _page() -> StaticFile:
    return _FILES.page(_FOLDER / "index.html")


def _guarded(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = _POLICY
    return response
