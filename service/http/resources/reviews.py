"""The operation that looks back on a finished game."""

from __future__ import annotations

from flask import Response

from service.http.openapi.blueprint import READ_PROBLEMS, Blueprint
from service.http.openapi.headers import GAME_ID
from service.http.operations import Resource
from service.http.parsing import Token, bearer_token
from service.http.replies import game_reply
from service.http.schemas.reviews import Review, ReviewQuery
from service.http.use_cases import queries

blueprint = Blueprint(
    "reviews",
    __name__,
    url_prefix="/v1/games",
    description="Look back on a finished game: what was given away, and what was luck.",
)


@blueprint.route("/<game_id>/review", parameters=[GAME_ID])
class ReviewResource(Resource):
    """A finished game, judged."""

    @blueprint.operation(
        "getReview", Token.OPTIONAL, *READ_PROBLEMS, "game-not-finished", "validation-failed"
    )
    @blueprint.arguments(ReviewQuery, location="query")
    @blueprint.response(200, Review, description="The moves of the seat, judged.")
    def get(self, query: dict[str, int], game_id: str) -> Response:
        """Review the moves of a seat in a finished game.

        Every draw and discard stands beside the one that the expert would have made, judged by
        what the seat could see then and by nothing else. Figures are points of deadwood, to
        hundredths.

        `loss` is how many more points than `best` the move left to be expected. Whether to go out
        is not judged. From the seat's 16th turn of a round on, a move that the expert would choose
        by lot, so that the round ends, loses nothing.

        `luck` is by how many points the card from the stock was better than the mean of all cards
        that the seat had not seen.

        `accuracy` is 100 less the share, in per cent, of the sum of `loss` in what the worst
        possible moves would have lost.

        To show a player the mistakes of a game, list the `moves` of most `loss` and find the event
        of each by its `seq`. Any seat can be reviewed, an AI player's too. The first review of a
        seat takes a moment; it is then kept with the game.
        """
        return game_reply(queries().review(game_id, bearer_token(), query["seat"]))
