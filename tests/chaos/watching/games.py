"""Games of humans and AI players that are watched while they are played, one after another.

    WatchedGames.play: new game -> viewers -> moves, one human leaves -> the end -> judgement

The humans' moves have keys, and are repeated until they are answered.
"""

from __future__ import annotations

import itertools
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tests.chaos.traffic.history import History
from tests.chaos.traffic.http_client import (
    Answer,
    Client,
    HttpTransport,
    Request,
    UnansweredError,
    UnexpectedRefusalError,
)
from tests.chaos.watching import judgement
from tests.chaos.watching.viewers import StreamViewer, Viewer, WaitingViewer

LAG_SECONDS = 5.0
_SEATS = [*[{"kind": "human"}] * 3, {"kind": "ai", "level": "easy"}]
_LEAVER = 2
_ROUNDS = 3
_REPEATED = 0.1
"""The share of moves that are sent again although they were answered."""
END_SECONDS = 30.0


class _Humans:
    """The humans of one game."""

    def __init__(self, client: Client, rng: random.Random) -> None:
        self._client = client
        self._rng = rng
        new = {"seats": _SEATS, "rounds": {"last": _ROUNDS}, "jokers": 2}
        created = self._sent("/v1/games", None, new).json
        self.game_id: str = created["game"]["id"]
        self._path = f"/v1/games/{self.game_id}"
        self.tokens: dict[int, str] = {0: created["token"]}
        for invite in created["invites"]:
            joined = self._sent(f"{self._path}/seats", None, {"invite": invite["code"]}).json
            self.tokens[joined["seat"]] = joined["token"]

    def seen(self, seat: int | None = None) -> Mapping[str, Any]:
        """The game as it is, for a seat or a spectator."""
        token = None if seat is None else self.tokens[seat]
        view: Mapping[str, Any] = self._client.read(self._path, token).json
        return view

    def move(self, view: Mapping[str, Any]) -> Mapping[str, Any]:
        """Make the next move of the seat whose turn it is and whose view this is; its new view."""
        you = view["you"]
        if view["turn"]["phase"] == "draw":
            what, body = "draw", {"source": self._rng.choice(you["legal"]["draw"])}
        else:
            what, body = "discard", {"card": you["arrangement"]["discard"]}
        answer = self._sent(f"{self._path}/{what}", self.tokens[you["seat"]], body)
        moved: Mapping[str, Any] = answer.json["game"]
        return moved

    def leave(self, seat: int) -> None:
        """Have one of them leave; its token is refused from then on."""
        token = self.tokens.pop(seat)
        self._sent(f"{self._path}/leave", token, {})
        refusal = self._client.send_until_answered(Request("GET", self._path, token))
        if refusal is None or refusal.code != "invalid-token":
            raise UnexpectedRefusalError(f"a void token was answered {refusal}")

    def log(self) -> list[Mapping[str, Any]]:
        """The unredacted events of the finished game."""
        events: list[Mapping[str, Any]] = self._client.read(f"{self._path}/replay").json["events"]
        return events

    def _sent(self, path: str, token: str | None, body: Mapping[str, Any]) -> Answer:
        """The answer to a request that must succeed; some are sent again."""
        request = Request("POST", path, token, body, f"{self._rng.getrandbits(192):048x}")
        answer = self._client.send_until_answered(request)
        if answer is None or answer.status >= 300:
            raise UnexpectedRefusalError(f"{path} was answered {answer}")
        if self._rng.random() < _REPEATED and not path.endswith("/leave"):
            again = self._client.send_until_answered(request)
            if again != answer:
                raise UnexpectedRefusalError(f"{path} was answered {again} after {answer}")
        return answer


class WatchedGames:
    """Games that are watched by five viewers each; what goes wrong is a violation.

    `reader`: where it is given, it is told of each game, and says from when events could be seen.
    `most_lag`: how many seconds a viewer may be behind. `client`: sends the humans' requests, if it
    is not the usual one. `viewers_at`: the addresses that viewers use in turn, if not `url` alone.
    `end_seconds`: how long after a game its viewers may take to see its end.
    """

    def __init__(
        self,
        url: str,
        rng: random.Random,
        reader: Callable[[str], judgement.Since] | None = None,
        most_lag: float = LAG_SECONDS,
        *,
        client: Client | None = None,
        viewers_at: Sequence[str] = (),
        end_seconds: float = END_SECONDS,
    ) -> None:
        self.violations: list[str] = []
        self.counts: Counter[str] = Counter()
        self.longest_lag = 0.0
        self._client = client or Client(HttpTransport(url), History())
        self._end_seconds = end_seconds
        self._addresses = itertools.cycle(viewers_at or [url])
        self._rng = rng
        self._reader = reader
        self._most_lag = most_lag
        self._viewers: list[Viewer] = []
        self._lock = threading.Lock()

    @property
    def moves(self) -> int:
        """The number of moves so far."""
        return self.counts["moves"]

    def cut(self, rng: random.Random) -> bool:
        """Cut the connection of some viewer; whether one had a connection."""
        with self._lock:
            viewers = list(self._viewers)
        if viewers and rng.choice(viewers).cut():
            self.counts["cuts"] += 1
            return True
        return False

    def play(self, enough: Callable[[], bool]) -> None:
        """Play whole games until it is enough, at least one."""
        while not self.violations:
            try:
                self._play_one()
            except (UnexpectedRefusalError, UnansweredError) as error:
                self.violations.append(str(error))
            if enough():
                return

    def _play_one(self) -> None:
        humans = _Humans(self._client, self._rng)
        since = None if self._reader is None else self._reader(humans.game_id)
        viewers = list(self._open_viewers(humans))
        with self._lock:
            self._viewers = viewers
        try:
            self._play_to_the_end(humans)
            for viewer in viewers:
                viewer.wait_for_end(self._end_seconds)
        finally:
            with self._lock:
                self._viewers = []
            for viewer in viewers:
                viewer.stop()
        self._judge(humans.log(), viewers, since)
        self.counts["games"] += 1

    def _open_viewers(self, humans: _Humans) -> Iterator[Viewer]:
        for seat, token in humans.tokens.items():
            yield StreamViewer(next(self._addresses), humans.game_id, seat, token)
        yield StreamViewer(next(self._addresses), humans.game_id, None, None, from_now=True)
        yield WaitingViewer(next(self._addresses), humans.game_id, None, None)

    def _play_to_the_end(self, humans: _Humans) -> None:
        leaves_after = self._rng.randint(3, 15)
        view = humans.seen()
        moves = 0
        while view["status"] == "playing":
            if moves == leaves_after:
                humans.leave(_LEAVER)
                view = humans.seen()
            seat = view["turn"] and view["turn"]["seat"]
            if seat is None:
                return
            if view["you"] is None or view["you"]["seat"] != seat:
                view = humans.seen(seat)
            view = humans.move(view)
            moves += 1
            self.counts["moves"] += 1
        if moves < leaves_after:
            self.violations.append("the game was over before anybody left")

    def _judge(
        self, log: list[Mapping[str, Any]], viewers: list[Viewer], since: judgement.Since | None
    ) -> None:
        for viewer in viewers:
            self.violations += judgement.violations(viewer, log)
            lag = max(judgement.lags(viewer, since), default=0.0)
            self.longest_lag = max(self.longest_lag, lag)
            if lag > self._most_lag:
                self.violations.append(f"{viewer.name} was {lag:.1f} s behind")
            self.counts["events"] += len(viewer.seen)
            self.counts.update({f"connections {name}": n for name, n in viewer.counts.items()})
