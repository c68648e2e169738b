"""The API description, Swagger UI and the verifier of replays, without any outside request.

The verifier is a module of JavaScript with others below it. They are asked for again each time
(304 where nothing changed): modules of two versions would not fit.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

from flask import Blueprint, Response, current_app, redirect, request
from werkzeug.wrappers import Response as BaseResponse

from service.games.answers.entity_tags import is_cached
from service.http.root_path import located
from service.http.static_files import StaticFile, StaticFiles

blueprint = Blueprint("docs", __name__)

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_OWN_FILES = Path(str(files("service.http") / "static"))
_SWAGGER_FILES = Path(str(files("flask_swagger_ui") / "dist"))
_OWN_NAMES = ("docs.js", "docs.css")
_SWAGGER_NAMES = (
    "swagger-ui.css",
    "swagger-ui-bundle.js",
    "favicon-16x16.png",
    "favicon-32x32.png",
)
_FILES = StaticFiles(
    {name: _OWN_FILES / name for name in _OWN_NAMES}
    | {name: _SWAGGER_FILES / name for name in _SWAGGER_NAMES}
)
_VERIFIER = StaticFiles({"verify.mjs": _OWN_FILES / "verify.mjs"})
_VERIFIER_PARTS = StaticFiles.below(_OWN_FILES / "verify")
_PAGE = "/v1/docs"


@blueprint.get("/")
def root() -> BaseResponse:
    """Lead to Swagger UI."""
    return redirect(located(_PAGE, request.script_root))


@blueprint.get("/v1/openapi.json")
def spec() -> Response:
    """The API description; an `If-Match`, which is for changes, is left alone."""
    response = Response(current_app.extensions["openapi"](), content_type="application/json")
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    if is_cached(request.headers.get("If-None-Match"), response.headers["ETag"]):
        response.status_code = 304
    return response


@blueprint.get(_PAGE)
def swagger_ui() -> Response:
    """The page of Swagger UI."""
    return _guarded(_page().reply())


@blueprint.get(f"{_PAGE}/<version>/<name>")
def kept_asset(version: str, name: str) -> Response:
    """A file that the page loads, at the address that the page names."""
    return _guarded(_FILES.kept_reply(version, name))


@blueprint.get(f"{_PAGE}/<name>")
def asset(name: str) -> Response:
    """A file that the page loads, at an address that stays the same."""
    return _guarded(_FILES.reply(name))


@blueprint.get("/verify.mjs")
def verifier() -> Response:
    """The verifier of replays."""
    return _VERIFIER.reply("verify.mjs")


@blueprint.get("/verify/<name>")
def verifier_part(name: str) -> Response:
    """A module that the verifier imports."""
    return _VERIFIER_PARTS.reply(name)


@cache
def _page() -> StaticFile:
    return _FILES.page(_OWN_FILES / "docs.html")


def _guarded(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = _POLICY
    return response
