"""The operations on seats."""

from __future__ import annotations

from typing import Any

from flask import Response

from service.games.changes import Join, Leave
from service.http.openapi.blueprint import READ_PROBLEMS, Blueprint
from service.http.openapi.headers import CHANGE_HEADERS, GAME_ID
from service.http.operations import Resource
from service.http.parsing import Token, bearer_token, idempotency
from service.http.replies import game_reply
from service.http.schemas.replies import JoinedGame
from service.http.schemas.requests import CreateHeaders, JoinRequest, KeyHeaders
from service.http.use_cases import transactions

blueprint = Blueprint(
    "seats", __name__, url_prefix="/v1/games", description="Play with others: join, leave."
)
_MEMBERSHIP_PROBLEMS = (*READ_PROBLEMS, "idempotency-key-reused", "game-finished")


@blueprint.route("/<game_id>/seats", parameters=[GAME_ID])
class SeatsResource(Resource):
    """The seats that humans take."""

    @blueprint.operation(
        "joinGame", Token.IGNORED, *_MEMBERSHIP_PROBLEMS, "unknown-invite", "seat-taken"
    )
    @blueprint.arguments(CreateHeaders, location="headers")
    @blueprint.arguments(JoinRequest)
    @blueprint.response(
        201, JoinedGame, description="The game and your token.", headers=CHANGE_HEADERS
    )
    def post(self, headers: dict[str, str], body: dict[str, Any], game_id: str) -> Response:
        """Join a game.

        Takes the seat that the invite is for, once, and answers with its token. When the last
        human has joined, the first round is dealt; until then `status` is `waiting`. In a rematch
        the invite is your seat's `token` of the game before.
        """
        key = idempotency("joinGame", headers, body)
        is_token = "token" in body
        invite = body["token" if is_token else "invite"]
        join = Join(
            game_id=game_id, invite=invite, name=body["name"], idempotency=key, is_token=is_token
        )
        return game_reply(transactions().run(join))


@blueprint.route("/<game_id>/leave", parameters=[GAME_ID])
class LeaveResource(Resource):
    """The way out."""

    @blueprint.operation(
        "leaveGame",
        Token.REQUIRED,
        *_MEMBERSHIP_PROBLEMS,
        "idempotency-key-expired",
        "validation-failed",
    )
    @blueprint.arguments(KeyHeaders, location="headers")
    @blueprint.response(204, description="You have left.")
    def post(self, headers: dict[str, str], game_id: str) -> Response:
        """Leave a game.

        For good: an AI player plays the seat on and your token is void. When the last human
        leaves, the game is over.
        """
        key = idempotency("leaveGame", headers, {})
        leave = Leave(game_id=game_id, token=bearer_token(), idempotency=key)
        return game_reply(transactions().run(leave))
