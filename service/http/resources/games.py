"""The operations on games."""

from __future__ import annotations

from typing import Any

from flask import Response, current_app, request

from engine.cards import Card
from engine.round import Source
from engine.rules import ALL_ROUNDS
from service.games.changes import Create, Discard, Draw, Rematch
from service.games.new_games import options_of
from service.games.tokens import token_hash
from service.http.accept import preferred_type
from service.http.openapi.blueprint import MOVE_PROBLEMS, READ_PROBLEMS, Blueprint
from service.http.openapi.example_games import id_of, rematch_id_of
from service.http.openapi.examples import AGAIN, DEFAULT, SHORT
from service.http.openapi.headers import CHANGE_HEADERS, GAME_ID, VIEW_HEADERS, header
from service.http.operations import Resource
from service.http.parsing import Token, bearer_token, idempotency
from service.http.replies import CSV, JSON, game_reply
from service.http.schemas.options import GameRequest
from service.http.schemas.replies import (
    CreatedGame,
    HintReply,
    Moved,
    RematchedGame,
    Replay,
    Scores,
)
from service.http.schemas.requests import (
    CreateHeaders,
    DiscardRequest,
    DrawRequest,
    MoveHeaders,
    RematchRequest,
    ViewHeaders,
)
from service.http.schemas.views import Game
from service.http.use_cases import queries, transactions

blueprint = Blueprint(
    "games", __name__, url_prefix="/v1/games", description="Create a game and play it."
)

_SCORES_VARY = "Accept, Authorization"
_SCORES_HEADERS = {"Vary": header("The answer depends on these.", _SCORES_VARY)}


def _created_headers(game_id: str) -> dict[str, object]:
    """The headers of the answer with a new game; the id is that of its example."""
    return {
        **CHANGE_HEADERS,
        "Location": header("The game's address.", f"/v1/games/{game_id}"),
    }


@blueprint.route("")
class GamesResource(Resource):
    """All games."""

    @blueprint.operation(
        "createGame",
        Token.IGNORED,
        "idempotency-key-reused",
        "game-damaged",  # under a key that has made a game before
        "storage-unavailable",
        "outcome-unknown",
        "capacity-reached",
    )
    @blueprint.arguments(CreateHeaders, location="headers")
    @blueprint.arguments(GameRequest, required=False)
    @blueprint.response(
        201,
        CreatedGame,
        description="The game and its creator's token.",
        headers=_created_headers(id_of(DEFAULT)),
    )
    def post(self, headers: dict[str, str], body: dict[str, Any]) -> Response:
        """Create a game.

        Without a body it is you against three AI players. The answer has your token, shown this
        once, and the view with a human to move: AI turns before the first human turn have been
        played. If it is your turn, go on with drawCard. Where other humans have seats, pass each
        of them the invite to theirs, for joinGame: the first round is dealt when all have come.
        """
        options = options_of(body, current_app.config["TURN_SOLVES"])
        if options.rules.rounds == ALL_ROUNDS:
            del body["rounds"]  # requests were recorded without it before it was an option
        secret = bytes.fromhex(body["seed"]) if options.seeded else None
        key = idempotency("createGame", headers, body)
        return game_reply(transactions().run(Create(options, key, secret)))


@blueprint.route("/<game_id>", parameters=[GAME_ID])
class GameResource(Resource):
    """One game."""

    @blueprint.operation("getGame", Token.OPTIONAL, *READ_PROBLEMS)
    @blueprint.arguments(ViewHeaders, location="headers")
    @blueprint.alt_response(304, description="You have this view already.", headers=VIEW_HEADERS)
    @blueprint.response(200, Game, description="The game as you see it.", headers=VIEW_HEADERS)
    def get(self, headers: dict[str, str], game_id: str) -> Response:
        """Look at a game.

        With a seat's token the view shows that seat's hand; without a token it is a spectator's.
        Every move answers with the view, too: read it when others have moved, or to go on later.
        With `If-None-Match` a game that has not changed costs a 304.
        """
        return game_reply(queries().view(game_id, bearer_token(), headers.get("if_none_match")))

    @blueprint.operation("deleteGame", Token.REQUIRED, *READ_PROBLEMS, "not-permitted")
    @blueprint.response(204, description="The game is gone.")
    def delete(self, game_id: str) -> Response:
        """Delete a game.

        Only its creator may, and not while others play it. The game cannot be read any more;
        requests repeated with their own key still have their answers for 24 hours.
        """
        return game_reply(transactions().delete(game_id, bearer_token()))


@blueprint.route("/<game_id>/draw", parameters=[GAME_ID])
class DrawResource(Resource):
    """The first half of a turn."""

    @blueprint.operation("drawCard", Token.REQUIRED, *MOVE_PROBLEMS)
    @blueprint.arguments(MoveHeaders, location="headers")
    @blueprint.arguments(DrawRequest)
    @blueprint.response(
        200,
        Moved,
        description="The game after the draw: the card is `you.drawn`.",
        headers=CHANGE_HEADERS,
    )
    def post(self, headers: dict[str, str], body: dict[str, Any], game_id: str) -> Response:
        """Draw a card.

        Your turn begins: from the stock, or the top card of the discard pile. The view then says
        what is best to discard (`you.arrangement`) and what you can go out with
        (`you.can_go_out_with`); discardCard ends the turn.
        """
        draw = Draw(
            game_id=game_id,
            token=bearer_token(),
            idempotency=idempotency("drawCard", headers, body),
            if_match=headers.get("if_match"),
            source=Source(body["source"]),
        )
        return game_reply(transactions().run(draw))


@blueprint.route("/<game_id>/discard", parameters=[GAME_ID])
class DiscardResource(Resource):
    """The second half of a turn."""

    @blueprint.operation("discardCard", Token.REQUIRED, *MOVE_PROBLEMS, "card-not-in-hand")
    @blueprint.arguments(MoveHeaders, location="headers")
    @blueprint.arguments(DiscardRequest)
    @blueprint.response(
        200,
        Moved,
        description="The game when you are to move again, or when it is over.",
        headers=CHANGE_HEADERS,
    )
    def post(self, headers: dict[str, str], body: dict[str, Any], game_id: str) -> Response:
        """Discard a card.

        Any card of your hand: `you.legal.discard` lists them. If every card left is in a meld
        you go out, unless you send `"go_out": false`. The AI players then move at once: the
        answer has every event up to your next turn, and where a round ended its scores and the
        next deal. Go on with drawCard until `status` is `finished`; while another human is to
        move, listEvents tells when it is your turn.
        """
        card: Card = body["card"]
        discard = Discard(
            game_id=game_id,
            token=bearer_token(),
            idempotency=idempotency("discardCard", headers, {**body, "card": str(card)}),
            if_match=headers.get("if_match"),
            card=card,
            go_out=body["go_out"],
        )
        return game_reply(transactions().run(discard))


@blueprint.route("/<game_id>/scores", parameters=[GAME_ID])
class ScoresResource(Resource):
    """The points."""

    @blueprint.operation("getScores", Token.OPTIONAL, *READ_PROBLEMS)
    @blueprint.response(200, Scores, description="The scores so far.", headers=_SCORES_HEADERS)
    @blueprint.text_response(CSV, "The scores so far.", _SCORES_HEADERS)
    def get(self, game_id: str) -> Response:
        """Read the scores.

        Each round that is over, all hands laid open, with the totals and the result.
        `Accept: text/csv` gets a table for spreadsheets, with a row for each round and seat:
        `went_out` is the seat that went out in the round, empty where it stalled, and a name that
        a spreadsheet would compute has an apostrophe before it.
        """
        if preferred_type(request, (JSON, CSV)) == CSV:
            sheet = queries().score_sheet(game_id, bearer_token())
            return game_reply(sheet, f"{CSV}; charset=utf-8", _SCORES_VARY)
        return game_reply(queries().scores(game_id, bearer_token()), vary=_SCORES_VARY)


@blueprint.route("/<game_id>/hint", parameters=[GAME_ID])
class HintResource(Resource):
    """Advice."""

    @blueprint.operation(
        "getHint",
        Token.REQUIRED,
        *READ_PROBLEMS,
        "hints-disabled",
        "game-waiting",
        "game-finished",
        "not-your-turn",
    )
    @blueprint.response(200, HintReply, description="What to do, and why.")
    def get(self, game_id: str) -> Response:
        """Ask for a hint.

        While you are to move: from the strongest AI player, who sees no more than you do. Each
        possible move is listed with its figures; `action` is the body of your next call.
        """
        return game_reply(queries().hint(game_id, bearer_token()))


@blueprint.route("/<game_id>/replay", parameters=[GAME_ID])
class ReplayResource(Resource):
    """A finished game, laid open."""

    @blueprint.operation("getReplay", Token.OPTIONAL, *READ_PROBLEMS, "game-not-finished")
    @blueprint.response(200, Replay, description="Everything about the game.")
    def get(self, game_id: str) -> Response:
        """Read the replay of a finished game.

        Its secret and actions are enough to play the game again and check every deal: that the
        secret is the one of `commitment`, which was shown when the game began, and that all cards
        follow from it.
        """
        return game_reply(queries().replay(game_id, bearer_token()))


@blueprint.route("/<game_id>/rematch", parameters=[GAME_ID])
class RematchResource(Resource):
    """The same table once more."""

    @blueprint.operation(
        "rematchGame",
        Token.REQUIRED,
        *READ_PROBLEMS,
        "idempotency-key-reused",
        "game-not-finished",
        "rematch-made",
        "validation-failed",
        "capacity-reached",
    )
    @blueprint.arguments(CreateHeaders, location="headers")
    @blueprint.arguments(RematchRequest, required=False)
    @blueprint.response(
        201,
        RematchedGame,
        description="The new game and your token for it. It waits (`waiting`) for the other "
        "humans, if there are any.",
        headers=_created_headers(rematch_id_of(SHORT, AGAIN)),
    )
    def post(self, headers: dict[str, str], _body: dict[str, Any], game_id: str) -> Response:
        """Play again.

        Once for a finished game: a new game with the same seats and options, in which the deal
        goes on to the next seat. You have your seat. The other humans find the new game's id in
        the old one (`rematch`), and join with their `token` of the old one. Send a key: without
        it, an answer that is lost takes your new token with it.
        """
        token = bearer_token()
        # The answer has the caller's new token: the same from another seat is another request.
        key = idempotency("rematchGame", headers, {"caller": token_hash(token or "").hex()})
        rematch = Rematch(game_id=game_id, token=token, idempotency=key)
        return game_reply(transactions().run(rematch))
