"""The API description, Swagger UI and the verifier of replays, without any outside request.

The verifier is a module of JavaScript with others below it. They are asked for again each time
(304 where nothing changed): modules of two versions would not fit.
"""

from __future__ import annotations

from importlib.resources import files

from flask import Blueprint, Response, current_app, redirect, request, send_from_directory
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as BaseResponse

from service.games.answers.entity_tags import is_cached
from service.http.root_path import located

blueprint = Blueprint("docs", __name__)

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_OWN_FILES = str(files("service.http") / "static")
_PAGE_NAMES = ("docs.js",)
_VERIFIER_FILES = f"{_OWN_FILES}/verify"
_SWAGGER_FILES = str(files("flask_swagger_ui") / "dist")
_SWAGGER_NAMES = (
    "swagger-ui.css",
    "swagger-ui-bundle.js",
    "favicon-16x16.png",
    "favicon-32x32.png",
)
_DAY = 86_400
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
    return _guarded(send_from_directory(_OWN_FILES, "docs.html"))


@blueprint.get("/v1/docs/<name>")
def asset(name: str) -> Response:
    """A file that the page loads."""
    if name in _SWAGGER_NAMES:
        return _guarded(send_from_directory(_SWAGGER_FILES, name, max_age=_DAY))
    if name in _PAGE_NAMES:
        return _guarded(send_from_directory(_OWN_FILES, name))
    raise NotFound


@blueprint.get("/verify.mjs")
def verifier() -> Response:
    """The verifier of replays."""
    return _module(_OWN_FILES, "verify.mjs")


@blueprint.get("/verify/<name>")
def verifier_part(name: str) -> Response:
    """A module that the verifier imports."""
    return _module(_VERIFIER_FILES, name)


def _module(folder: str, name: str) -> Response:
    """A module; browsers refuse one whose media type is not that of JavaScript."""
    return send_from_directory(folder, name, mimetype="text/javascript")


def _guarded(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = _POLICY
    return response
