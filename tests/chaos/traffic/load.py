"""Clients that play whole games, repeat what was not answered, and write down what they are told.

    play -> Table (one game, all its human seats) -> Client (a request until answered) -> wire

What is promised of a move: with a key it may be repeated until it is answered, and is made once.
Without one it is made, or it is said that its outcome is unknown, and the client reads the game
again. A move that the view allows is never refused, for only one client plays at a table; where
it sends two different moves of one seat at once, one of them is made and the other refused.
"""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tests.chaos.traffic.linearizability import Record
from tests.chaos.traffic.wire import Answer, Client, RefusedError, Request, UnansweredError, Wire
from tests.dealer import Replayer

_PAGE = 1000
_HUMAN = {"kind": "human"}
_TABLES: tuple[tuple[Mapping[str, str], ...], ...] = (
    (_HUMAN, {"kind": "ai", "level": "hard"}),
    (_HUMAN, _HUMAN),
    (_HUMAN, {"kind": "ai", "level": "expert"}),
    (_HUMAN, {"kind": "ai", "level": "hard"}, {"kind": "ai", "level": "easy"}),
    (_HUMAN, _HUMAN, {"kind": "ai", "level": "medium"}),
)


@dataclass(frozen=True, slots=True)
class Habits:
    """How often a client does what makes moves hard to keep: each a share of its moves.

    `twins`: sent twice at once with one key; `rivals`: at once with another move of the same
    seat; `keyless`: without a key; `late`: after a repeat of an older move; `matched`: on
    condition of the version; `looks`: while somebody reads the game.
    """

    twins: float = 0.2
    rivals: float = 0.05
    keyless: float = 0.0
    late: float = 0.1
    matched: float = 0.3
    looks: float = 0.2


class Table:
    """One game and its only client, which holds the tokens of all human seats."""

    def __init__(self, client: Client, record: Record, habits: Habits, rng: random.Random) -> None:
        self._client = client
        self._record = record
        self._habits = habits
        self._rng = rng
        self._answered: deque[tuple[Request, Answer]] = deque(maxlen=8)
        self._doubt = False  # whether a move of unknown outcome may still take effect

    def open(self, seats: Sequence[Mapping[str, str]]) -> None:
        """Create the game and take all its human seats."""
        options: dict[str, Any] = {"seats": seats, "jokers": self._rng.choice((0, 2, 4))}
        if seats.count(_HUMAN) == 1:
            options["seed"] = f"{self._rng.getrandbits(256):064x}"
        created = self._seated(Request("POST", "/v1/games", None, options, self._key()))
        self._game = created["game"]["id"]
        self._tokens = {0: created["token"]}
        for invite in created["invites"]:
            path, body = f"/v1/games/{self._game}/seats", {"invite": invite["code"], "name": "Bo"}
            joined = self._seated(Request("POST", path, None, body, self._key()))
            self._tokens[joined["seat"]] = joined["token"]
        self._look(0)

    def play(self, going: Callable[[], bool]) -> None:
        """Move after move, until the game is over or `going` says to stop."""
        with ThreadPoolExecutor(2) as pool:
            while self._view["status"] == "playing" and going():
                self._repeat_an_older_move()
                self._turn(pool)

    def close(self) -> None:
        """Hold everything that was told against what the game has become."""
        self._look(None)
        if self._view["status"] == "finished":
            replay = self._client.read(f"/v1/games/{self._game}/replay").told
            self._record.hold_against(self._game, replay["events"])
            self._record.count("finished")
            try:
                Replayer(replay).check()
            except (AssertionError, LookupError) as error:
                self._record.violation(f"game {self._game}: the replay differs: {error}")
        else:
            self._record.hold_against(self._game, self._log())

    def _log(self) -> list[Mapping[str, Any]]:
        log: list[Mapping[str, Any]] = []
        more = True
        while more:
            query = f"after={len(log)}&limit={_PAGE}"
            page = self._client.read(f"/v1/games/{self._game}/events?{query}").told
            log += page["events"]
            more = page["more"]
        return log

    def _turn(self, pool: ThreadPoolExecutor) -> None:
        """One move by whoever is to move, in the manner that rng has chosen."""
        seat = self._view["turn"]["seat"]
        if not self._is_due(seat):
            self._look(seat)
        if not self._is_due(seat):
            if not self._doubt:  # nobody else plays here
                self._violation(f"seat {seat} was to move, but is not", [])
            return
        sent = self._chosen(seat)
        if self._happens(self._habits.looks):
            looking = pool.submit(self._client.look, self._game)
            answers = self._sent_at_once(pool, sent)
            looking.result()
        else:
            answers = self._sent_at_once(pool, sent)
        self._judge(sent, answers)
        made = [(each, got) for each, got in zip(sent, answers, strict=True) if _is_made(got)]
        if made:
            self._take(made[0][1])
            self._answered += [(each, got) for each, got in made[:1] if each.key]
        else:
            self._look(seat)

    def _is_due(self, seat: int) -> bool:
        """Whether the view is this seat's and lets it move."""
        turn, you = self._view["turn"], self._view["you"]
        return bool(turn and you) and turn["seat"] == you["seat"] == seat

    def _chosen(self, seat: int) -> list[Request]:
        """One request, or two for the same instant."""
        habits, rng = self._habits, self._rng.random()
        move = self._move(seat)
        if rng < habits.twins:
            self._record.count("twins")
            return [move, move]
        if rng < habits.twins + habits.rivals:
            self._record.count("rivals")
            return [move, replace(self._move(seat), key=self._key())]
        if rng < habits.twins + habits.rivals + habits.keyless:
            self._record.count("keyless")
            return [replace(move, key=None)]
        return [move]

    def _move(self, seat: int) -> Request:
        you = self._view["you"]
        matched = self._etag if self._happens(self._habits.matched) else None
        request = Request("POST", f"/v1/games/{self._game}", self._tokens[seat], None, self._key())
        if self._view["turn"]["phase"] == "draw":
            body = {"source": self._rng.choice(you["legal"]["draw"])}
        else:
            body = {"card": you["arrangement"]["discard"]}
        what = "draw" if "source" in body else "discard"
        return replace(request, path=f"{request.path}/{what}", body=body, if_match=matched)

    def _sent_at_once(
        self, pool: ThreadPoolExecutor, sent: Sequence[Request]
    ) -> list[Answer | None]:
        calls = [partial(self._client.move, self._game, each, self._name(each)) for each in sent]
        others = [pool.submit(call) for call in calls[1:]]
        return [calls[0](), *[other.result() for other in others]]

    def _judge(self, sent: Sequence[Request], answers: Sequence[Answer | None]) -> None:
        made = [answer for answer in answers if _is_made(answer)]
        refused = [answer.code for answer in answers if answer and not _is_made(answer)]
        moves = len({each.key for each in sent})
        if moves == 1 and len(set(made)) > 1:
            self._violation("one key had two answers", sent)
        if len(made) > 1 and moves > 1:
            self._violation("two moves of one turn were both made", sent)
        if len(refused) >= moves and not self._doubt:
            self._violation(f"a move that was due was refused: {refused}", sent)
        self._doubt = None in answers or (self._doubt and not made)

    def _repeat_an_older_move(self) -> None:
        if self._answered and self._happens(self._habits.late):
            self._record.count("late")
            request, first = self._rng.choice(self._answered)
            again = self._client.move(self._game, request, self._name(request))
            if again != first:
                self._violation("a late repeat had another answer", [request])

    def _seated(self, request: Request) -> Any:
        answer = self._client.move("", request, self._name(request))
        if answer is None or answer.status != 201:
            raise RefusedError(f"{request} was answered {answer}")
        return answer.told

    def _look(self, seat: int | None) -> None:
        token = None if seat is None else self._tokens[seat]
        self._take(self._client.look(self._game, token))

    def _take(self, answer: Answer) -> None:
        self._etag = answer.etag
        self._view = answer.told.get("game", answer.told)

    def _violation(self, words: str, sent: Sequence[Request]) -> None:
        self._record.violation(
            f"game {self._game}, version {self._view['version']}: {words}: {sent}"
        )

    def _key(self) -> str:
        return f"{self._rng.getrandbits(192):048x}"

    def _name(self, request: Request) -> str:
        return request.key or f"without key {self._key()}"

    def _happens(self, share: float) -> bool:
        return self._rng.random() < share


def _is_made(answer: Answer | None) -> bool:
    return answer is not None and answer.status == 200


def play(
    wire: Wire,
    record: Record,
    habits: Habits,
    seed: str,
    *,
    clients: int,
    enough: Callable[[], bool],
    to_the_end: bool = True,
) -> None:
    """Games by so many clients at once, new ones until there is enough; then they are ended.

    Unless each is to be played `to_the_end`, they are left where they are.
    """
    numbers = itertools.count()

    def going() -> bool:
        return not record.is_hopeless and (to_the_end or not enough())

    def serve() -> None:
        while not record.is_hopeless and not enough():
            number = next(numbers)
            rng = random.Random(f"{seed}/{number}")
            table = Table(Client(wire, record), record, habits, rng)
            try:
                table.open(_TABLES[number % len(_TABLES)])
                table.play(going)
                table.close()
            except RefusedError as error:
                record.violation(f"game {number} of seed {seed}: {error}")
            except UnansweredError as error:
                record.violation(f"game {number} of seed {seed}: {error}")
                return

    with ThreadPoolExecutor(clients) as pool:
        for each in [pool.submit(serve) for _ in range(clients)]:
            each.result()
