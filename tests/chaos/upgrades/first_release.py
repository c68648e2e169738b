"""What the first release stored is served by this one: no move is lost, every key is recognised.

`tests/data/first_release.json.gz` has all that the first release's own code stored of eight games:
played for a while, waiting, with a human who has left, with bounded turns, finished, abandoned; and
each request with a key that it had answered, with the SHA-256 of the answer. Snapshots have format
2, and logs, meta and records are JSON. Two instances take the games over, which write different
formats, and every game is played on by both in turn.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from redis import Redis

from engine.snapshot import WRITTEN_FORMATS
from engine.verify.game import problems
from engine.verify.replay import read
from tests.chaos.traffic.history import History
from tests.chaos.traffic.http_client import Answer, Request
from tests.chaos.traffic.linearizability import AcknowledgedMove, event_log_violations
from tests.chaos.trial import Outcome, Trial
from tests.chaos.upgrades.instances import two_instances
from tests.chaos.upgrades.load import Balancer, Counts, DocumentedClient
from tests.chaos.watching.viewers import ENDS

_DATA = Path(__file__).parents[2] / "data/first_release.json.gz"
_RECORD_SECONDS, _GAME_SECONDS = 86_400, 1_209_600
_NO_CONTENT = 204
_PAGE = 1000
_MOST_MOVES = 10_000
"""More than any game has."""


class OldGame:
    """A game that the first release began, and the client that plays it on."""

    def __init__(self, kept: Mapping[str, Any], client: DocumentedClient, seed: int) -> None:
        self.game_id: str = kept["id"]
        self.moves = 0
        self._exchanges: Sequence[Mapping[str, Any]] = kept["exchanges"]
        self._tokens = {int(seat): token for seat, token in kept["tokens"].items()}
        self._invites: Sequence[Mapping[str, Any]] = kept["invites"]
        self._is_bounded = json.loads(kept["stored"]["game"]["state"])["turn_seconds"] is not None
        self._client = client
        self._rng = random.Random(f"first release {seed}")
        self._path = f"/v1/games/{self.game_id}"
        self._acknowledged: list[AcknowledgedMove] = []
        self._without_events = 0
        """How many moves were answered without the events that they made."""

    def repeated(self, *, is_first: bool) -> Iterator[str]:
        """What is wrong with the answers to the requests that the first release had answered."""
        left = {sent["token"] for sent in self._exchanges if sent["path"].endswith("/leave")}
        for sent in self._exchanges:
            request = Request("POST", sent["path"], sent["token"], sent["body"], sent["key"])
            answer = self._client.send_until_answered(request)
            if sent["token"] in left and not sent["path"].endswith("/leave"):
                # As in the first release: a void token is refused, its leaving alone comes again.
                self._without_events += is_first
                if answer.code != "invalid-token":
                    yield f"{self._path}: {request} with a void token was answered {answer}"
                continue
            found = (answer.status, answer.etag, hashlib.sha256(answer.body).hexdigest())
            if found != (sent["status"], sent["etag"], sent["sha256"]):
                yield f"{self._path}: {request} was answered {answer}"
            elif is_first:
                self._acknowledge(sent["key"], answer)

    def play(self, most: int) -> None:
        """Have everybody join, and play the game on, by so many moves at most."""
        for invite in self._invites:
            body = {"invite": invite["code"], "name": "Bo"}
            joined = self._sent("seats", body, None)
            self._tokens[joined["seat"]] = joined["token"]
        view = self._client.read(self._path).json
        while view["status"] == "playing" and self.moves < most:
            seat = view["turn"]["seat"]
            view = self._client.read(self._path, self._tokens[seat]).json
            if view["turn"] and view["turn"]["seat"] == seat:
                view = self._moved(view, seat)

    def end(self) -> Iterator[str]:
        """What is wrong with the log of the game, and with its replay once it is finished."""
        log = self._log()
        # Overdue turns are nobody's moves.
        unknown = len(log) if self._is_bounded else self._without_events
        for text in event_log_violations(log, self._acknowledged, unknown):
            yield f"{self._path}: {text}"
        if log[-1]["type"] in ENDS:
            replay = self._client.read(f"{self._path}/replay").body
            for text in problems(read(replay)):
                yield f"{self._path}: the replay contradicts itself: {text}"

    def _log(self) -> list[Mapping[str, Any]]:
        log, more = list[Mapping[str, Any]](), True
        while more:
            page = self._client.read(f"{self._path}/events?after={len(log)}&limit={_PAGE}").json
            log += page["events"]
            more = page["more"]
        return log

    def _moved(self, view: Mapping[str, Any], seat: int) -> Any:
        you = view["you"]
        if view["turn"]["phase"] == "draw":
            source = self._rng.choice(you["legal"]["draw"])
            return self._sent("draw", {"source": source}, self._tokens[seat])["game"]
        card = you["arrangement"]["discard"]
        return self._sent("discard", {"card": card}, self._tokens[seat])["game"]

    def _sent(self, what: str, body: Mapping[str, Any], token: str | None) -> Any:
        key = f"{self._rng.getrandbits(192):048x}"
        request = Request("POST", f"{self._path}/{what}", token, body, key)
        answer = self._client.send_until_answered(request)
        assert answer.status in (200, 201), answer
        self._acknowledge(key, answer)
        self.moves += 1
        return answer.json

    def _acknowledge(self, key: str, answer: Answer) -> None:
        if answer.status == _NO_CONTENT:
            self._without_events += 1
            return
        body = answer.json
        self._acknowledged.append(AcknowledgedMove(key, body["game"]["version"], body["events"]))


def kept_games() -> list[dict[str, Any]]:
    """What is kept of each game of the first release."""
    games: list[dict[str, Any]] = json.loads(gzip.decompress(_DATA.read_bytes()))
    return games


def restore(store: Redis, kept: Mapping[str, Any]) -> None:
    """Put all that the first release stored of a game into a storage."""
    for name, value in kept["stored"].items():
        key = f"{{g:{kept['id']}}}:{name}"
        if isinstance(value, dict):
            store.hset(key, mapping=value)
        elif isinstance(value, list):
            store.rpush(key, *value)
        else:
            store.set(key, value)
        store.expire(key, _RECORD_SECONDS if name.startswith("key:") else _GAME_SECONDS)


def run(most_moves: int = _MOST_MOVES, seed: int = 1) -> Outcome:
    """Serve every kept game with two instances of this release, and play it on."""
    violations = list[str]()
    with two_instances() as (instances, store_url):
        writer = instances[1]
        writer.stop()
        with Redis.from_url(store_url) as store:
            for kept in kept_games():
                restore(store, kept)
        writer.start(WRITE_FORMAT=str(WRITTEN_FORMATS[-1]))
        writer.wait()
        balancer, counts = Balancer([each.url for each in instances]), Counts()
        client = DocumentedClient(balancer, History(), counts)
        games = [OldGame(kept, client, seed) for kept in kept_games()]
        for game in games:
            violations += game.repeated(is_first=True)
            game.play(most_moves)
            violations += game.repeated(is_first=False)
            violations += game.end()
    violations += [violation for each in instances for violation in each.violations]
    keys = sum(len(kept["exchanges"]) for kept in kept_games())
    done = (
        f"{len(games)} games, {keys} keys sent again before and after"
        f" {sum(game.moves for game in games)} more moves"
    )
    return Outcome(done, [f"seed {seed}: {each}" for each in violations])


TRIALS = (
    Trial(
        "An upgrade from the first release loses no answered move, and recognises every key.",
        "Eight games as its own code stored them, served and played to their ends by this one",
        run,
    ),
)
