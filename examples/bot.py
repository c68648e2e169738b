"""A bot that holds a seat of a game against others; it plays by a simple strategy of its own.

Run it as: python examples/bot.py GAME_ID INVITE [http://127.0.0.1:8000]
or set GAME_ID, INVITE and SERVICE_URL. createGame answers an invite for each further human seat.
"""

import json
import os
import secrets
import sys
import time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

RANKS, JOKER = "A23456789TJQK", "JK"
given = os.environ | dict(zip(("GAME_ID", "INVITE", "SERVICE_URL"), sys.argv[1:], strict=False))
if not {"GAME_ID", "INVITE"} <= given.keys():
    sys.exit(__doc__)
GAME = f"{given.get('SERVICE_URL', 'http://127.0.0.1:8000')}/v1/games/{given['GAME_ID']}"


def call(path, body=None, **headers):
    """Return status, ETag and body of an answer; what failed for a moment is sent again as it was.

    A move that was made although its answer was lost is not made again: it has the same key.
    """
    data = None if body is None else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items() if value}
    for attempt in range(12):
        try:
            request = Request(GAME + path, data, {"Content-Type": "application/json"} | named)
            with urlopen(request, timeout=30) as answer:
                return answer.status, answer.headers["ETag"], json.load(answer)
        except HTTPError as refusal:
            if refusal.code not in (429, 502, 503, 504):
                told = json.loads(refusal.read() or "null")  # 304 has no body
                return refusal.code, refusal.headers["ETag"], told
            after = refusal.headers["Retry-After"] or ""  # a proxy may send none, or a date
            pause = min(int(after), 60) if after.isdigit() else min(0.1 * 2**attempt, 10)
        except (OSError, HTTPException):  # no answer, or half of one
            pause = min(0.1 * 2**attempt, 10)
        time.sleep(pause + secrets.randbelow(100) / 1000)
    sys.exit("the service does not answer")


def wait_for_news(token, tag=None):
    """Return a view that is not the one of the tag, and its own tag, as soon as there is one."""
    pause = 0.05
    while True:
        status, new_tag, view = call("", Authorization=token, If_None_Match=tag)
        if status != 304:
            return (new_tag, view) if status == 200 else sys.exit(view["detail"])
        time.sleep(pause)
        pause = min(pause * 1.5, 2)  # others may think for long


def partners(card, hand, wild):
    """Count the cards of a hand that stand near a card; a wild stands near all."""
    if card == JOKER or card[0] == wild:
        return len(hand)
    place = RANKS.index(card[0])
    return sum(
        other[0] == card[0] or (other[1] == card[1] and abs(RANKS.index(other[0]) - place) <= 2)
        for other in hand
        if other != JOKER
    )


def choose(view):
    """Return the next move: the name of the call and its body."""
    you, wild, top = view["you"], view["round"]["wild_rank"], view["discard_top"]
    if view["turn"]["phase"] == "draw":
        take = "discard" in you["legal"]["draw"] and partners(top, you["hand"], wild) >= 2
        return "draw", {"source": "discard" if take else "stock"}
    loose = [*you["arrangement"]["deadwood"], you["arrangement"]["discard"]]
    loose.sort(key=lambda card: (partners(card, you["hand"], wild), -RANKS.find(card[0])))
    return "discard", {"card": (you["can_go_out_with"] or loose)[0]}


invited = {"invite": given["INVITE"], "name": "Bot"}
status, tag, joined = call("/seats", invited, Idempotency_Key=secrets.token_urlsafe(24))
if status != 201:
    sys.exit(joined["detail"])
seat, view, token = joined["seat"], joined["game"], f"Bearer {joined['token']}"
while view["status"] != "finished":
    if view["turn"] is None or view["turn"]["seat"] != seat:
        tag, view = wait_for_news(token, tag)
        continue
    move, body = choose(view)
    headers = {"If_Match": tag, "Idempotency_Key": secrets.token_urlsafe(24)}
    status, new_tag, answer = call(f"/{move}", body, Authorization=token, **headers)
    if status == 200:
        tag, view = new_tag, answer["game"]
    elif status in (409, 412):  # the game went on without us: look at it again
        tag, view = wait_for_news(token)
    else:
        sys.exit(answer["detail"])
print(f"seat {seat} was the bot's:", view["result"])
