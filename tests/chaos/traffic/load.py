"""The load of the trials: clients that play whole games at once and check every answer.

    run_load -> GameClient (one game, all its human seats) -> Client (repeats requests)

What is promised of a move: with a key it may be repeated until it is answered, and it is made once.
Without a key the move is made, or its outcome is unknown, and the client reads the game again. A
move that the view allows is never refused, since each game has one client; if that client sends two
different moves of one seat at once, one is made and the other refused.
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tests.chaos.traffic.history import History
from tests.chaos.traffic.http_client import (
    REPEAT_SECONDS,
    Answer,
    Client,
    Request,
    Transport,
    UnansweredError,
    UnexpectedRefusalError,
)
from tests.dealer import Replayer

_PAGE = 1000
_NEWEST = 8
"""How many answers of a seat come again."""
_HUMAN = {"kind": "human"}
_SEATS: tuple[tuple[Mapping[str, str], ...], ...] = (
    (_HUMAN, {"kind": "ai", "level": "hard"}),
    (_HUMAN, _HUMAN),
    (_HUMAN, {"kind": "ai", "level": "expert"}),
    (_HUMAN, {"kind": "ai", "level": "hard"}, {"kind": "ai", "level": "easy"}),
    (_HUMAN, _HUMAN, {"kind": "ai", "level": "medium"}),
)


@dataclass(frozen=True, slots=True)
class Workload:
    """How often a client sends a move in a special way; each is a share of its moves.

    duplicates        twice at once, with one key
    conflicts         at once with another move of the same seat
    keyless           without a key
    late_repeats      after an older move has been repeated
    expired_repeats   after a move has been repeated whose answer is stored no longer
    conditional       with If-Match
    concurrent_reads  while another request reads the game
    """

    duplicates: float = 0.2
    conflicts: float = 0.05
    keyless: float = 0.0
    late_repeats: float = 0.1
    expired_repeats: float = 0.05
    conditional: float = 0.3
    concurrent_reads: float = 0.2


class GameClient:
    """The only client of one game; it has the tokens of all human seats."""

    def __init__(
        self, client: Client, history: History, workload: Workload, rng: random.Random
    ) -> None:
        self._client = client
        self._history = history
        self._workload = workload
        self._rng = rng
        self._answered: deque[tuple[Request, Answer]] = deque(maxlen=_NEWEST)
        self._keyed_moves: dict[int, list[Request]] = defaultdict(list)  # by seat, in order
        self._outcome_unknown = False  # a move of unknown outcome may still take effect

    def open(self, seats: Sequence[Mapping[str, str]]) -> None:
        """Create the game and join all its human seats."""
        options: dict[str, Any] = {"seats": seats, "jokers": self._rng.choice((0, 2, 4))}
        if seats.count(_HUMAN) == 1:
            options["seed"] = f"{self._rng.getrandbits(256):064x}"
        created = self._send_create_or_join(
            Request("POST", "/v1/games", None, options, self._key())
        )
        self._game = created["game"]["id"]
        self._tokens = {0: created["token"]}
        for invite in created["invites"]:
            path, body = f"/v1/games/{self._game}/seats", {"invite": invite["code"], "name": "Bo"}
            joined = self._send_create_or_join(Request("POST", path, None, body, self._key()))
            self._tokens[joined["seat"]] = joined["token"]
        self._read(0)

    def play(self, goes_on: Callable[[], bool]) -> None:
        """Make moves until the game is over, or while `goes_on`."""
        with ThreadPoolExecutor(2) as pool:
            while self._view["status"] == "playing" and goes_on():
                self._repeat_an_older_move()
                self._repeat_an_expired_move()
                self._turn(pool)

    def close(self) -> None:
        """Compare all answers with the game's event log and, if it is finished, its replay."""
        self._read(None)
        if self._view["status"] == "finished":
            replay = self._client.read(f"/v1/games/{self._game}/replay").json
            self._history.compare_with_log(self._game, replay["events"])
            self._history.count("finished")
            try:
                Replayer(replay).check()
            except (AssertionError, LookupError) as error:
                self._history.add_violation(f"game {self._game}: the replay differs: {error}")
        else:
            self._history.compare_with_log(self._game, self._log())

    def _log(self) -> list[Mapping[str, Any]]:
        log: list[Mapping[str, Any]] = []
        more = True
        while more:
            query = f"after={len(log)}&limit={_PAGE}"
            page = self._client.read(f"/v1/games/{self._game}/events?{query}").json
            log += page["events"]
            more = page["more"]
        return log

    def _turn(self, pool: ThreadPoolExecutor) -> None:
        """One move of the seat whose turn it is, sent in the way that the generator chooses."""
        seat = self._view["turn"]["seat"]
        if not self._may_move(seat):
            self._read(seat)
        if not self._may_move(seat):
            if not self._outcome_unknown:  # no other client plays this game
                self._violation(f"seat {seat} was to move, but is not", [])
            return
        sent = self._requests_for(seat)
        read = None
        if self._happens(self._workload.concurrent_reads):
            read = pool.submit(self._client.read_game, self._game)
        answers = self._send_at_once(pool, sent)
        if read is not None:
            read.result()
        self._check_answers(sent, answers)
        made = [(each, got) for each, got in zip(sent, answers, strict=True) if _is_made(got)]
        if made:
            self._use_view(made[0][1])
            self._answered += [(each, got) for each, got in made[:1] if each.key]
            self._keyed_moves[seat] += [each for each, _ in made[:1] if each.key]
        else:
            self._read(seat)

    def _may_move(self, seat: int) -> bool:
        """Whether the view is this seat's, and it is the seat's turn."""
        turn, you = self._view["turn"], self._view["you"]
        return bool(turn and you) and turn["seat"] == you["seat"] == seat

    def _requests_for(self, seat: int) -> list[Request]:
        """The move of a seat: one request, or two that are sent at once."""
        workload, number = self._workload, self._rng.random()
        move = self._move(seat)
        if number < workload.duplicates:
            self._history.count("duplicates")
            return [move, move]
        if number < workload.duplicates + workload.conflicts:
            self._history.count("conflicts")
            return [move, replace(self._move(seat), key=self._key())]
        if number < workload.duplicates + workload.conflicts + workload.keyless:
            self._history.count("keyless")
            return [replace(move, key=None)]
        return [move]

    def _move(self, seat: int) -> Request:
        you = self._view["you"]
        conditional = self._etag if self._happens(self._workload.conditional) else None
        request = Request("POST", f"/v1/games/{self._game}", self._tokens[seat], None, self._key())
        if self._view["turn"]["phase"] == "draw":
            body = {"source": self._rng.choice(you["legal"]["draw"])}
        else:
            body = {"card": you["arrangement"]["discard"]}
        what = "draw" if "source" in body else "discard"
        return replace(request, path=f"{request.path}/{what}", body=body, if_match=conditional)

    def _send_at_once(
        self, pool: ThreadPoolExecutor, sent: Sequence[Request]
    ) -> list[Answer | None]:
        calls = [
            partial(self._client.move, self._game, each, self._operation_key(each)) for each in sent
        ]
        others = [pool.submit(call) for call in calls[1:]]
        return [calls[0](), *[other.result() for other in others]]

    def _check_answers(self, sent: Sequence[Request], answers: Sequence[Answer | None]) -> None:
        made = [answer for answer in answers if _is_made(answer)]
        refused = [answer.code for answer in answers if answer and not _is_made(answer)]
        moves = len({each.key for each in sent})
        if moves == 1 and len(set(made)) > 1:
            self._violation("requests with one key got different answers", sent)
        if len(made) > 1 and moves > 1:
            self._violation("two moves of one turn were both made", sent)
        if len(refused) >= moves and not self._outcome_unknown:
            self._violation(f"a legal move was refused: {refused}", sent)
        self._outcome_unknown = None in answers or (self._outcome_unknown and not made)

    def _repeat_an_older_move(self) -> None:
        if self._answered and self._happens(self._workload.late_repeats):
            self._history.count("late_repeats")
            request, first = self._rng.choice(self._answered)
            again = self._client.move(self._game, request, self._operation_key(request))
            if again != first:
                self._violation("a repeat of an older move got another answer", [request])

    def _repeat_an_expired_move(self) -> None:
        expired = [each for moves in self._keyed_moves.values() for each in moves[:-_NEWEST]]
        if expired and self._happens(self._workload.expired_repeats):
            self._history.count("expired_repeats")
            request = self._rng.choice(expired)
            again = self._client.move(self._game, request, self._operation_key(request))
            if again is None or again.code != "idempotency-key-expired":
                self._violation(f"a repeat of an expired move was answered {again}", [request])

    def _send_create_or_join(self, request: Request) -> Any:
        answer = self._client.move("", request, self._operation_key(request))
        if answer is None or answer.status != 201:
            raise UnexpectedRefusalError(f"{request} was answered {answer}")
        return answer.json

    def _read(self, seat: int | None) -> None:
        token = None if seat is None else self._tokens[seat]
        self._use_view(self._client.read_game(self._game, token))

    def _use_view(self, answer: Answer) -> None:
        self._etag = answer.etag
        self._view = answer.json.get("game", answer.json)

    def _violation(self, text: str, sent: Sequence[Request]) -> None:
        self._history.add_violation(
            f"game {self._game}, version {self._view['version']}: {text}: {sent}"
        )

    def _key(self) -> str:
        return f"{self._rng.getrandbits(192):048x}"

    def _operation_key(self, request: Request) -> str:
        return request.key or f"without key {self._key()}"

    def _happens(self, share: float) -> bool:
        return self._rng.random() < share


def _is_made(answer: Answer | None) -> bool:
    return answer is not None and answer.status == 200


def run_load(
    transport: Transport,
    history: History,
    workload: Workload,
    seed: str,
    *,
    clients: int,
    enough: Callable[[], bool],
    to_the_end: bool = True,
    repeat_seconds: float = REPEAT_SECONDS,
    make_client: Callable[[], Client] | None = None,
) -> None:
    """Play games with so many clients at once; each begins new games until `enough`.

    With `to_the_end` the games under way are then finished, otherwise they stop where they are.
    `make_client` gives the client of each game, where another is wanted than the usual one.
    """
    numbers = itertools.count()

    def goes_on() -> bool:
        return not history.has_too_many_violations and (to_the_end or not enough())

    def play_games() -> None:
        while not history.has_too_many_violations and not enough():
            number = next(numbers)
            rng = random.Random(f"{seed}/{number}")
            client = make_client() if make_client else Client(transport, history, repeat_seconds)
            game = GameClient(client, history, workload, rng)
            try:
                _play_game(game, _SEATS[number % len(_SEATS)], goes_on)
            except (UnexpectedRefusalError, UnansweredError) as error:
                history.add_violation(f"game {number} of seed {seed}: {error}")
                if isinstance(error, UnansweredError):
                    return

    with ThreadPoolExecutor(clients) as pool:
        for each in [pool.submit(play_games) for _ in range(clients)]:
            each.result()


def _play_game(
    game: GameClient, seats: Sequence[Mapping[str, str]], goes_on: Callable[[], bool]
) -> None:
    """Create a game, play it, and compare it with its log."""
    game.open(seats)
    game.play(goes_on)
    game.close()
