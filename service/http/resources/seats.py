"""The operations on seats."""

from __future__ import annotations

from typing import Any

from flask import Response
from flask.views import MethodView

from service.games.changes import Join, Leave
from service.http.authorization import bearer_token
from service.http.openapi.headers import CHANGE_HEADERS, GAME_ID
from service.http.rest import (
    BODY,
    GAME,
    TOKEN_NEEDED,
    TOKEN_UNUSED,
    Blueprint,
    Caller,
    game_first,
    idempotency,
    reply,
    transactions,
)
from service.http.schemas.replies import JoinedGame
from service.http.schemas.requests import CreateHeaders, JoinRequest, KeyHeaders

blueprint = Blueprint(
    "seats", __name__, url_prefix="/v1/games", description="Play with others: join, leave."
)
_CHANGING = (*GAME, "idempotency-key-reused", "game-finished", "conflict", "outcome-unknown")


@blueprint.route("/<game_id>/seats", parameters=[GAME_ID])
class SeatsResource(MethodView):
    """The seats that humans take."""

    @game_first(Caller.STRANGER)
    @blueprint.arguments(CreateHeaders, location="headers")
    @blueprint.arguments(JoinRequest)
    @blueprint.problems(*BODY, *_CHANGING, "unknown-invite", "seat-taken")
    @blueprint.response(
        201, JoinedGame, description="The game and your token.", headers=CHANGE_HEADERS
    )
    @blueprint.doc(operationId="joinGame", security=TOKEN_UNUSED)
    def post(self, headers: dict[str, Any], body: dict[str, Any], game_id: str) -> Response:
        """Join a game.

        Takes the seat that the invite is for, once. When the last human has joined, the first
        round is dealt.
        """
        key = idempotency("joinGame", headers, body)
        join = Join(game_id=game_id, invite=body["invite"], name=body["name"], idempotency=key)
        return reply(transactions().run(join))


@blueprint.route("/<game_id>/leave", parameters=[GAME_ID])
class LeaveResource(MethodView):
    """The way out."""

    @game_first(Caller.SEAT)
    @blueprint.arguments(KeyHeaders, location="headers")
    @blueprint.problems(*_CHANGING, "token-required", "invalid-token", "validation-failed")
    @blueprint.response(204, description="You have left.")
    @blueprint.doc(operationId="leaveGame", security=TOKEN_NEEDED)
    def post(self, headers: dict[str, Any], game_id: str) -> Response:
        """Leave a game.

        For good: an AI player plays the seat on and your token is void. When the last human
        leaves, the game is over.
        """
        key = idempotency("leaveGame", headers, {})
        leave = Leave(game_id=game_id, token=bearer_token(), idempotency=key)
        return reply(transactions().run(leave))
