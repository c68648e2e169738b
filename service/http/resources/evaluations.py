"""Arranging any hand."""

from __future__ import annotations

from typing import Any

from flask import Response

from engine.rules import AceMode
from engine.solver.arrangement import arrange
from service.games.answers.bodies import arrangement_body
from service.http.openapi.blueprint import Blueprint
from service.http.operations import Resource
from service.http.parsing import Token
from service.http.replies import json_reply
from service.http.schemas.requests import EvaluationRequest
from service.http.schemas.views import Arrangement

blueprint = Blueprint(
    "evaluations", __name__, url_prefix="/v1/evaluations", description="Arrange any hand."
)


@blueprint.route("")
class EvaluationsResource(Resource):
    """Hands to arrange."""

    @blueprint.operation("evaluateHand", Token.IGNORED)
    @blueprint.arguments(EvaluationRequest)
    @blueprint.response(200, Arrangement, description="The hand, arranged.")
    def post(self, body: dict[str, Any]) -> Response:
        """Arrange a hand.

        Parts exactly these cards into melds and deadwood with the least points. It needs no game.
        """
        hand = arrange(tuple(body["cards"]), body["wild_rank"], AceMode(body["aces"]))
        return json_reply(arrangement_body(hand))
