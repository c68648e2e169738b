"""Whether the service runs, and whether it can serve."""

from __future__ import annotations

from flask import Response, current_app
from flask.views import MethodView

import engine
from service import __version__, strict_json
from service.http.rest import TOKEN_UNUSED, Blueprint
from service.http.schemas.replies import Alive, Ready

blueprint = Blueprint("health", __name__, description="For whoever runs the service.")


def _told(body: dict[str, object]) -> Response:
    response = Response(strict_json.write(body), content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.route("/healthz")
class LivenessResource(MethodView):
    """The process."""

    @blueprint.problems()
    @blueprint.response(200, Alive, description="It runs.", example={"status": "ok"})
    @blueprint.doc(operationId="liveness", security=TOKEN_UNUSED)
    def get(self) -> Response:
        """Tell whether the service runs.

        Asks nothing but the process itself.
        """
        return _told({"status": "ok"})


@blueprint.route("/readyz")
class ReadinessResource(MethodView):
    """The process and its store."""

    @blueprint.problems("storage-unavailable")
    @blueprint.response(
        200,
        Ready,
        description="It can serve.",
        example={"status": "ok", "version": __version__, "engine": "compiled"},
    )
    @blueprint.doc(operationId="readiness", security=TOKEN_UNUSED)
    def get(self) -> Response:
        """Tell whether the service can serve games.

        503 while its storage does not answer.
        """
        current_app.extensions["store"].check_ready()
        return _told({"status": "ok", "version": __version__, "engine": engine.form})
