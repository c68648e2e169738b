"""Who may do what: every operation, by every caller, in every state of a game.

The table is written by hand from the contract. Its callers:

    nobody    without a token; also a seat's token where no token belongs, such as a cookie
    stranger  with a token that is no seat's: of another game, of a seat that was left, with one
              character altered, or of a seat, but not as a bearer token
    seat      a human seat that is neither the creator's nor to move
    key       that seat, with an idempotency key that another seat has used for such a call
    mover     the seat that is to move, due to draw; while the game waits, any seat
    creator   seat 0, which is not to move
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient

from service.app import create_app
from service.config import Config
from service.http.problems.catalogue import MEDIA_TYPE
from service.runtime.embedded_server import throwaway_server
from service.store.game_store import Store
from service.store.models import Stored
from tests.chaos.access import calls
from tests.chaos.access.calls import GAME, Call
from tests.chaos.trial import Outcome, Proof

DESCRIPTION = Path(__file__).parents[3] / "openapi/openapi.json"
STATES = ("waiting", "playing", "finished")
CALLERS = ("nobody", "stranger", "seat", "key", "mover", "creator")
Outcomes = tuple[str, str, str]

_OPEN = dict.fromkeys(CALLERS, ("200", "200", "200"))
_READING = _OPEN | {"stranger": ("invalid-token",) * 3}
_HOLDING = {"nobody": ("token-required",) * 3, "stranger": ("invalid-token",) * 3}
_MOVING = _HOLDING | dict.fromkeys(
    ("seat", "key", "creator"), ("game-waiting", "not-your-turn", "game-finished")
)
_REPLAYING = dict.fromkeys(CALLERS, ("game-not-finished", "game-not-finished", "200"))
_DELETING = dict.fromkeys(CALLERS, ("not-permitted",) * 3) | _HOLDING

TABLE: dict[str, dict[str, Outcomes]] = {
    "createGame": dict.fromkeys(CALLERS, ("201",) * 3) | {"key": ("idempotency-key-reused",) * 3},
    "getGame": _READING,
    "deleteGame": _DELETING | {"creator": ("204", "not-permitted", "204")},
    "drawCard": _MOVING | {"mover": ("game-waiting", "200", "game-finished")},
    "discardCard": _MOVING | {"mover": ("game-waiting", "wrong-phase", "game-finished")},
    "getScores": _READING,
    "getHint": _MOVING | {"mover": ("game-waiting", "200", "game-finished")},
    "listEvents": _READING,
    "getReplay": _REPLAYING | {"stranger": ("invalid-token",) * 3},
    "joinGame": dict.fromkeys(CALLERS, ("seat-taken", "seat-taken", "game-finished")),
    "leaveGame": dict.fromkeys(CALLERS, ("204", "204", "game-finished")) | _HOLDING,
    "evaluateHand": _OPEN,
    "listProblems": _OPEN,
    "getProblem": _OPEN,
    "liveness": _OPEN,
    "readiness": _OPEN,
}
"""By operation and caller, the status of a success or the code of a refusal in each state."""

_FOUR_HUMANS = {"seats": [{"kind": "human"}] * 4}
_CREATOR, _MOVER, _LEFT, _LATE = range(4)
_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_SCHEMES = (
    "Basic {}",
    "Token {}",
    "{}",
    "Bearer: {}",
    'Bearer "{}"',
    "Bearer",
    "",
    "Bearer {0} {0}",
)


def operations() -> set[str]:
    """Every operation that the API description names."""
    paths = json.loads(DESCRIPTION.read_text())["paths"].values()
    return {each["operationId"] for path in paths for each in path.values()}


@dataclass
class Table:
    """A game of four humans of whom seat 2 has left, in one of the states.

    One seat has used an idempotency key for each operation that has one: seat 2 for joining and
    leaving, the creator for the rest.
    """

    client: FlaskClient
    store: Store
    state: str
    chance: random.Random
    game_id: str = ""
    tokens: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.mark = f"{self.chance.getrandbits(128):032x}"
        created = self._made(self.keyed("createGame", calls.posted("/v1/games", _FOUR_HUMANS)))
        self.game_id = created["game"]["id"]
        self.tokens = [created["token"]]
        self.invites = [invite["code"] for invite in created["invites"]]
        self._join(_MOVER)
        self._join(_LEFT)
        self._made(self.keyed("leaveGame", calls.LEAVE), _LEFT)
        if self.state != "waiting":
            self._join(_LATE)
            self._play()

    def keyed(self, operation: str, call: Call) -> Call:
        """The call with the key that one seat of this table uses for the operation."""
        return call.but(Idempotency_Key=f"{operation}-{self.mark}")

    def kept(self) -> tuple[Stored | None, list[bytes]]:
        """Everything that is stored of the game."""
        return self.store.read(self.game_id)[0], self.store.events(self.game_id, 0, 10_000)

    def seat(self, caller: str) -> int | None:
        """The seat whose token a caller has."""
        late = _MOVER if self.state == "waiting" else _LATE
        seats = {"creator": _CREATOR, "mover": _MOVER, "seat": late, "key": late}
        return seats.get(caller)

    def _made(self, call: Call, seat: int | None = None) -> Any:
        """What a call answers that must succeed."""
        auth = None if seat is None else f"Bearer {self.tokens[seat]}"
        answer = call.open(self.client, self.game_id, auth)
        assert answer.status_code < 300, answer.get_data()
        return answer.get_json(silent=True)

    def _join(self, seat: int) -> None:
        call = calls.post("/seats", {"invite": self.invites[seat - 1]})
        call = self.keyed("joinGame", call) if seat == _LEFT else call
        self.tokens.append(self._made(call)["token"])

    def _play(self) -> None:
        """Play to the end, or until the creator has had a turn and seat 1 is to draw."""
        played = False
        while (seen := self._made(calls.get()))["status"] == "playing":
            mover = seen["turn"]["seat"]
            if self.state == "playing" and played and mover == _MOVER:
                return
            self._take_turn(mover, keyed=mover == _CREATOR and not played)
            played = played or mover == _CREATOR

    def _take_turn(self, seat: int, *, keyed: bool) -> None:
        draw = calls.DRAW
        own = self._made(self.keyed("drawCard", draw) if keyed else draw, seat)["game"]["you"]
        discard = calls.post("/discard", {"card": own["arrangement"]["discard"]})
        self._made(self.keyed("discardCard", discard) if keyed else discard, seat)


def call_of(operation: str, table: Table) -> Call:
    """A call of the operation that is right but for its caller."""
    return {
        "createGame": calls.posted("/v1/games", {}),
        "getGame": calls.get(),
        "deleteGame": calls.DELETE,
        "drawCard": calls.DRAW,
        "discardCard": calls.post("/discard", {"card": "8H"}),
        "getScores": calls.get("/scores"),
        "getHint": calls.get("/hint"),
        "listEvents": calls.get("/events?limit=1000"),
        "getReplay": calls.get("/replay"),
        "joinGame": calls.post("/seats", {"invite": table.invites[0]}),
        "leaveGame": calls.LEAVE,
        "evaluateHand": calls.posted("/v1/evaluations", {"cards": ["8H"], "wild_rank": "5"}),
        "listProblems": Call("/v1/problems"),
        "getProblem": Call("/v1/problems/not-found"),
        "liveness": Call("/healthz"),
        "readiness": Call("/readyz"),
    }[operation]


def presented(caller: str, table: Table, other: Table) -> Iterator[dict[str, str]]:
    """The headers of every form in which a caller presents itself."""
    seat, own = table.seat(caller), table.tokens[_MOVER]
    if caller == "nobody":
        yield {}
        yield {"Cookie": f"token={own}", "X-Authorization": f"Bearer {own}"}
    elif seat is not None:
        yield {"Authorization": f"Bearer {table.tokens[seat]}"}
    else:
        place = table.chance.randrange(len(own))
        letter = table.chance.choice(_CHARACTERS.replace(own[place], ""))
        altered = own[:place] + letter + own[place + 1 :]
        for token in (other.tokens[_MOVER], table.tokens[_LEFT], altered, own[:-1], own + "A"):
            yield {"Authorization": f"Bearer {token}"}
        for scheme in _SCHEMES:
            yield {"Authorization": scheme.format(own)}


@dataclass
class Trial:
    """All cells of the table, tried on games of one state."""

    client: FlaskClient
    store: Store
    state: str
    chance: random.Random
    done: int = 0
    breaches: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.other = Table(self.client, self.store, "waiting", self.chance)
        self.table: Table | None = None

    def run(self) -> None:
        """Try every operation by every caller, what ends the game last."""
        for operation in sorted(TABLE, key=lambda name: name == "deleteGame"):
            for caller in CALLERS:
                self._cell(operation, caller, TABLE[operation][caller])

    def _cell(self, operation: str, caller: str, outcomes: Outcomes) -> None:
        expected = outcomes[STATES.index(self.state)]
        table = self._untouched()
        for headers in presented(caller, table, self.other):
            call = call_of(operation, table)
            call = table.keyed(operation, call) if caller == "key" else call
            faults = self._faults(table, replace(call, headers=(*call.headers, *headers.items())),
                                  expected, table.seat(caller))  # fmt: skip
            where = f"{operation} by {caller} {headers} in a game that is {self.state}"
            self.breaches += [f"{where}: {fault}" for fault in faults]
            self.done += 1

    def _untouched(self) -> Table:
        """The table; a new one where a call has changed it."""
        if self.table is None:
            self.table = Table(self.client, self.store, self.state, self.chance)
        return self.table

    def _faults(self, table: Table, call: Call, expected: str, seat: int | None) -> Iterator[str]:
        """What is wrong with the answer to a call, and with what it did to the game."""
        before = table.kept()
        answer = call.open(self.client, table.game_id)
        body = answer.get_json(silent=True, force=True) or {}
        got = str(answer.status_code) if answer.status_code < 400 else body.get("code")
        if got != expected:
            yield f"{got} instead of {expected}"
        if "Idempotency-Replayed" in answer.headers:
            yield "the answer is another's"
        if answer.status_code >= 400 and answer.content_type != MEDIA_TYPE:
            yield f"{answer.content_type} is no problem"
        if table.kept() != before:
            self.table = None
            if answer.status_code >= 400 or call.method == "GET":
                yield "the game changed"
        if answer.status_code < 300 and call.path.startswith(GAME):
            yield from oversteps(body, seat)


def oversteps(body: dict[str, Any], seat: int | None) -> Iterator[str]:
    """What an answer shows that the caller's seat, or nobody, may not see while a game is on."""
    game = body.get("game", body)
    if "seats" in game and game.get("status"):
        own = game["you"] and game["you"]["seat"]
        if own != seat:
            yield f"the view is seat {own}'s"
        for each in game["seats"]:
            if each["hand"] is not None and each["seat"] != game["went_out"]:
                yield f"the hand of seat {each['seat']} is shown"
    for event in body.get("events", []):
        drawn = event["type"] == "card_drawn" and event["source"] == "stock"
        if drawn and event["seat"] != seat and event["card"] is not None and "secret" not in body:
            yield f"the draw of seat {event['seat']} is shown"


def callers(rounds: int = 40, states: Sequence[str] = STATES) -> Outcome:
    """Every cell of the table has the outcome that the contract says, and no other effect."""
    done, breaches = 0, []
    with throwaway_server() as server:
        store = Store.from_url(server.url, connections=2)
        config = Config(redis_url=server.url, data_dir=Path("unused"), log_level="CRITICAL")
        client = create_app(config, store).test_client(use_cookies=False)
        for seed in range(rounds):
            for state in states:
                trial = Trial(client, store, state, random.Random(f"callers {seed} {state}"))
                trial.run()
                done += trial.done
                breaches += [f"seed {seed}: {breach}" for breach in trial.breaches]
    cells = sum(map(len, TABLE.values())) * len(states)
    return Outcome(f"{rounds} times {cells} cells, {done} calls", breaches)


PROOFS = [
    Proof(
        "every caller may do what the contract says, and nothing else",
        "every operation by every caller in every state, against a table written by hand",
        callers,
    )
]
