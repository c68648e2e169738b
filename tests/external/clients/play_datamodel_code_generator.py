"""Plays a whole game with the models of datamodel-code-generator: python … URL.

It makes models and no calls: httpx sends them, and nothing else.
"""

import json
import sys

import httpx
from made import CreatedGame, DiscardRequest, DrawRequest, GameRequest, Moved, Scores


def post(client, path, body, answer):
    """Send a model, and read the answer as another."""
    content = body.model_dump_json(exclude_unset=True)
    sent = client.post(path, content=content, headers={"Content-Type": "application/json"})
    return answer.model_validate_json(sent.raise_for_status().content)


with httpx.Client(base_url=sys.argv[1], timeout=30) as client:
    seats = [{"kind": "human"}, {"kind": "ai", "level": "easy"}]
    wanted = GameRequest.model_validate({"seats": seats})
    created = post(client, "/v1/games", wanted, CreatedGame)
    client.headers["Authorization"] = f"Bearer {created.token}"
    game = created.game
    path = f"/v1/games/{game.id}"
    while game.status.value == "playing":
        draw = DrawRequest.model_validate({"source": "stock"})
        game = post(client, f"{path}/draw", draw, Moved).game
        discard = DiscardRequest(card=game.you.arrangement.discard)
        game = post(client, f"{path}/discard", discard, Moved).game
    read = client.get(f"{path}/scores").raise_for_status()
scores = Scores.model_validate_json(read.content)
print(json.dumps({"id": game.id, "rounds": len(scores.rounds), "totals": scores.result.totals}))
