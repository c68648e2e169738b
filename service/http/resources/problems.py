"""The pages that problems link to."""

from __future__ import annotations

from flask import Response
from flask.views import MethodView

from service import strict_json
from service.http.problems import PROBLEMS, Problem, problem
from service.http.rest import TOKEN_UNUSED, Blueprint
from service.http.schemas.replies import ProblemPage, ProblemPages

blueprint = Blueprint(
    "problems",
    __name__,
    url_prefix="/v1/problems",
    description="Every way in which a request can be refused.",
)
_CODE = {
    "in": "path",
    "name": "code",
    "description": "The problem's code.",
    "schema": {"type": "string", "enum": list(PROBLEMS)},
}


def _page(kind: Problem) -> dict[str, object]:
    return {
        "type": kind.type,
        "code": kind.code,
        "status": kind.status,
        "title": kind.title,
        "remedy": kind.remedy,
    }


@blueprint.route("")
class ProblemsResource(MethodView):
    """All problems."""

    @blueprint.problems()
    @blueprint.response(
        200,
        ProblemPages,
        description="All problems, by status.",
        example={"problems": [_page(PROBLEMS["wrong-phase"]), _page(PROBLEMS["stale-version"])]},
    )
    @blueprint.doc(operationId="listProblems", security=TOKEN_UNUSED)
    def get(self) -> Response:
        """List all problems.

        Every code that an answer may have, with what to do about it.
        """
        body = strict_json.write({"problems": list(map(_page, PROBLEMS.values()))})
        return Response(body, content_type="application/json")


@blueprint.route("/<code>", parameters=[_CODE])
class ProblemResource(MethodView):
    """One problem."""

    @blueprint.problems("not-found")
    @blueprint.response(
        200,
        ProblemPage,
        description="What the problem means.",
        example=_page(PROBLEMS["wrong-phase"]),
    )
    @blueprint.doc(operationId="getProblem", security=TOKEN_UNUSED)
    def get(self, code: str) -> Response:
        """Read about a problem.

        What it means and what to do about it: the `type` of every refusal leads here.
        """
        return Response(strict_json.write(_page(problem(code))), content_type="application/json")
