"""The pages that problems link to."""

from __future__ import annotations

from flask import Response, request

from service.http.openapi.blueprint import Blueprint
from service.http.operations import Resource
from service.http.parsing import Token
from service.http.problems.catalogue import PROBLEMS, Problem, problem_of_code
from service.http.replies import json_reply
from service.http.root_path import located
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


def _page(problem: Problem, root_path: str = "") -> dict[str, object]:
    return {
        "type": located(problem.type, root_path),
        "code": problem.code,
        "status": problem.status,
        "title": problem.title,
        "remedy": located(problem.remedy, root_path),
    }


@blueprint.route("")
class ProblemsResource(Resource):
    """All problems."""

    @blueprint.operation("listProblems", Token.IGNORED)
    @blueprint.response(
        200,
        ProblemPages,
        description="All problems, by status.",
        example={"problems": [_page(PROBLEMS["wrong-phase"]), _page(PROBLEMS["stale-version"])]},
    )
    def get(self) -> Response:
        """List all problems.

        Every code that an answer may have, with what to do about it.
        """
        pages = [_page(problem, request.script_root) for problem in PROBLEMS.values()]
        return json_reply({"problems": pages})


@blueprint.route("/<code>", parameters=[_CODE])
class ProblemResource(Resource):
    """One problem."""

    @blueprint.operation("getProblem", Token.IGNORED, "not-found")
    @blueprint.response(
        200,
        ProblemPage,
        description="What the problem means.",
        example=_page(PROBLEMS["wrong-phase"]),
    )
    def get(self, code: str) -> Response:
        """Read about a problem.

        What it means and what to do about it: the `type` of every refusal leads here.
        """
        return json_reply(_page(problem_of_code(code), request.script_root))
