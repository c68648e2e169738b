"""Plays a whole game with the Python client of openapi-generator: python … URL."""

import json
import sys

from made import (
    ApiClient,
    Configuration,
    DiscardRequest,
    DrawRequest,
    GameRequest,
    GamesApi,
    SeatRequest,
)

configuration = Configuration(host=sys.argv[1])
with ApiClient(configuration) as client:
    games = GamesApi(client)
    seats = [SeatRequest(kind="human"), SeatRequest(kind="ai", level="easy")]
    created = games.create_game(game_request=GameRequest(seats=seats))
    configuration.access_token = created.token
    game = created.game
    while game.status == "playing":
        game = games.draw_card(game.id, DrawRequest(source="stock")).game
        discard = DiscardRequest(card=game.you.arrangement.discard)
        game = games.discard_card(game.id, discard).game
    scores = games.get_scores(game.id)
print(json.dumps({"id": game.id, "rounds": len(scores.rounds), "totals": scores.result.totals}))
