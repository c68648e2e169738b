"""Plays a whole game with the client of openapi-python-client: python … URL."""

import json
import sys

from made import AuthenticatedClient, Client
from made.api.games import create_game, discard_card, draw_card, get_scores
from made.models import (
    DiscardRequest,
    DrawRequest,
    DrawRequestSource,
    GameRequest,
    SeatRequest,
    SeatRequestKind,
    SeatRequestLevelType1,
)

url = sys.argv[1]
seats = [
    SeatRequest(SeatRequestKind.HUMAN),
    SeatRequest(SeatRequestKind.AI, level=SeatRequestLevelType1.EASY),
]
with Client(url) as nobody:
    created = create_game.sync(client=nobody, body=GameRequest(seats=seats))
game = created.game
with AuthenticatedClient(url, created.token) as client:
    while game.status == "playing":
        draw = DrawRequest(DrawRequestSource.STOCK)
        game = draw_card.sync(game.id, client=client, body=draw).game
        discard = DiscardRequest(game.you.arrangement.discard)
        game = discard_card.sync(game.id, client=client, body=discard).game
    scores = get_scores.sync(game.id, client=client)
print(json.dumps({"id": game.id, "rounds": len(scores.rounds), "totals": scores.result.totals}))
