"""Watch a game as a spectator: print each event as it happens, also after a cut connection.

Run it as: python examples/watch.py GAME_ID [http://127.0.0.1:8000]
"""

import json
import sys
import time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

ENDS = ("game_finished", "game_abandoned")
if len(sys.argv) < 2:
    sys.exit(__doc__)
SERVICE = (sys.argv[2:] or ["http://127.0.0.1:8000"])[0]
EVENTS = f"{SERVICE}/v1/games/{sys.argv[1]}/events"


def messages(lines):
    """Yield the id, type and data of each message; one that breaks off is left out."""
    message = {}
    for line in lines:
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name:
            message[name] = value
        elif "data" in message:  # the empty line after a message
            yield message["id"], message["event"], json.loads(message["data"])
            message = {}


def show(kind, data):
    """Print an event; a snapshot is the whole game, where the stream cannot go on."""
    if kind == "snapshot":
        print("the game as it is now: version", data["version"], flush=True)
    else:
        fields = {name: data[name] for name in data if name not in ("seq", "at", "type")}
        print(data["seq"], kind, json.dumps(fields), flush=True)


last, pause = "0", 1  # from the first event on
while True:
    try:
        headers = {"Accept": "text/event-stream", "Last-Event-ID": last}
        # A silent game sends a comment every 15 seconds: what says less is cut.
        with urlopen(Request(EVENTS, headers=headers), timeout=40) as answer:
            if answer.status == 204:  # the game is over, and all was shown
                sys.exit()
            for seq, kind, data in messages(answer):
                last, pause = seq, 1
                show(kind, data)
                if kind in ENDS:
                    sys.exit()
    except HTTPError as refusal:
        if refusal.code not in (429, 502, 503, 504):
            sys.exit(json.load(refusal)["detail"])
        after = refusal.headers["Retry-After"] or ""
        pause = max(pause, min(int(after), 60)) if after.isdigit() else pause
    except (OSError, HTTPException):  # no answer, or it was cut
        pass
    time.sleep(pause)
    pause = min(pause * 2, 30)
