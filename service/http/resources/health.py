"""Whether the service runs, and whether it can serve."""

from __future__ import annotations

from flask import Response, current_app

import engine
from service import __version__
from service.http.openapi.blueprint import Blueprint
from service.http.operations import Resource
from service.http.replies import json_reply
from service.http.schemas.replies import Alive, Ready

blueprint = Blueprint("health", __name__, description="For whoever runs the service.")


@blueprint.route("/healthz")
class LivenessResource(Resource):
    """The process."""

    @blueprint.probe("liveness")
    @blueprint.response(200, Alive, description="It runs.", example={"status": "ok"})
    def get(self) -> Response:
        """Tell whether the service runs.

        Asks nothing but the process itself.
        """
        return json_reply({"status": "ok"}, cache_control="no-store")


@blueprint.route("/readyz")
class ReadinessResource(Resource):
    """The process and its store."""

    @blueprint.probe("readiness", "storage-unavailable")
    @blueprint.response(
        200,
        Ready,
        description="It can serve.",
        example={"status": "ok", "version": __version__, "engine": "compiled"},
    )
    def get(self) -> Response:
        """Tell whether the service can serve games.

        503 while its storage does not answer.
        """
        current_app.extensions["store"].check_ready()
        body = {"status": "ok", "version": __version__, "engine": engine.form}
        return json_reply(body, cache_control="no-store")
