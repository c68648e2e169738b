"""Play a whole game: draw from the stock, discard what the service finds best.

Run it as: python examples/play.py [http://127.0.0.1:8000]
"""

import json
import sys
from urllib.request import Request, urlopen

GAMES = (sys.argv[1:] or ["http://127.0.0.1:8000"])[0] + "/v1/games"


def post(path, body, token=""):
    """Send a request and return its answer."""
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    with urlopen(Request(GAMES + path, json.dumps(body).encode(), headers)) as answer:
        return json.load(answer)


created = post("", {})
game, token = created["game"], created["token"]
while game["status"] == "playing":
    game = post(f"/{game['id']}/draw", {"source": "stock"}, token)["game"]
    card = game["you"]["arrangement"]["discard"]
    game = post(f"/{game['id']}/discard", {"card": card}, token)["game"]
print(game["result"])
