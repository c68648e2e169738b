"""Two humans and an AI player: one creates the game and invites, the other joins, both poll.

Run it as: python examples/two_humans.py [http://127.0.0.1:8000]

The two would be programs of their own, which wait a little before they ask again; here one script
plays both seats. See bot.py for what to do when an answer is lost or the service is busy.
"""

import json
import secrets
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen

GAMES = (sys.argv[1:] or ["http://127.0.0.1:8000"])[0] + "/v1/games"


def call(path, body=None, **headers):
    """Return an answer and the tag of its view; None as the answer where nothing is new."""
    data = None if body is None else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if data:  # sent again with the same key, a call that changes something changes it once
        named["Idempotency-Key"] = secrets.token_urlsafe(24)
    request = Request(GAMES + path, data, {"Content-Type": "application/json"} | named)
    try:
        with urlopen(request) as answer:
            return json.load(answer), answer.headers["ETag"]
    except HTTPError as refusal:
        if refusal.code != 304:
            raise
        return None, refusal.headers["ETag"]


class Human:
    """Whoever holds a seat: knows its token, its last view and the tag of that."""

    def __init__(self, seated, tag):
        self.seat, self.game, self.tag = seated["seat"], seated["game"], tag
        self.path, self.token = "/" + self.game["id"], f"Bearer {seated['token']}"

    def look(self):
        """Ask for a newer view, and tell whether there was one: the tag makes that cheap."""
        seen, self.tag = call(self.path, Authorization=self.token, If_None_Match=self.tag)
        self.game = seen or self.game
        return seen is not None

    def is_to_move(self):
        return self.game["turn"] is not None and self.game["turn"]["seat"] == self.seat

    def play(self):
        """Play a turn; with the tag a move on an old view would be refused (412)."""
        self._move("draw", {"source": "stock"})
        self._move("discard", {"card": self.game["you"]["arrangement"]["discard"]})

    def _move(self, name, body):
        path = f"{self.path}/{name}"
        moved, self.tag = call(path, body, Authorization=self.token, If_Match=self.tag)
        self.game = moved["game"]


seats = [{"kind": "human", "name": "Ann"}, {"kind": "human"}, {"kind": "ai"}]
created, tag = call("", {"seats": seats})
ann = Human(created, tag)
(invite,) = created["invites"]
print(f"Ann: the game is {ann.game['status']}; seat {invite['seat']} has an invite")
print(f"Ann: is there something new? {ann.look()}")
bo = Human(*call(f"{ann.path}/seats", {"invite": invite["code"], "name": "Bo"}))
print(f"Bo: I joined, the game is {bo.game['status']}; my hand is {bo.game['you']['hand']}")
print(f"Ann: is there something new? {ann.look()}")

known = asked = 0
while ann.game["status"] == "playing":
    for human in (ann, bo):
        asked += 1
        known += not human.look()
        if human.is_to_move():
            human.play()
    ann.look()
bo.look()
print(f"They asked {asked} times what is new, and {known} times it was nothing")
for human in (ann, bo):
    print(human.game["seats"][human.seat]["name"], human.game["result"])
