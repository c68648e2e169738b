"""The table of permissions: every operation, by every caller, in every state of a game.

It is written by hand from the contract, with one entry for each operation of the API description.
The callers:

    nobody    sends no token, or a seat's token in a wrong place, such as a cookie
    stranger  sends a token that is valid for no seat of the game, or a seat's token in a wrong form
    seat      has a human seat, but is neither the creator nor the seat to move
    key       that seat again, with an idempotency key that another seat has used
    mover     has the seat to move, which is to draw; any seat while the game waits
    creator   has seat 0, which is not to move
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from tests.chaos.access import calls
from tests.chaos.access.calls import Call

STATES = ("waiting", "playing", "finished")
CALLERS = ("nobody", "stranger", "seat", "key", "mover", "creator")

ByState = tuple[str, str, str]
"""For each state the status of a success, or the problem code of a refusal."""
ByCaller = Mapping[str, ByState]


@dataclass(frozen=True)
class Operation:
    """A valid call of an operation, given a used invite, and its outcomes by caller.

    `forms`: other calls of it, which have the same outcomes.
    """

    call: Callable[[str], Call]
    outcomes: ByCaller
    forms: tuple[Call, ...] = ()

    def calls(self, invite: str) -> tuple[Call, ...]:
        """A call in every form."""
        return (self.call(invite), *self.forms)


def _everyone(*by_state: str) -> dict[str, ByState]:
    """The same outcomes for every caller: one for all states, or one for each."""
    first, second, third = by_state * 3 if len(by_state) == 1 else by_state
    return dict.fromkeys(CALLERS, (first, second, third))


_NEEDS_TOKEN = {"nobody": ("token-required",) * 3, "stranger": ("invalid-token",) * 3}
_CHECKS_TOKEN = {"stranger": ("invalid-token",) * 3}
_OPEN = _everyone("200")
_READ = _OPEN | _CHECKS_TOKEN
_MOVE = _everyone("game-waiting", "not-your-turn", "game-finished") | _NEEDS_TOKEN

PERMISSIONS: dict[str, Operation] = {
    "createGame": Operation(
        lambda _: calls.post_to("/v1/games", {}),
        _everyone("201") | {"key": ("idempotency-key-reused",) * 3},
    ),
    "getGame": Operation(lambda _: calls.get(), _READ),
    "deleteGame": Operation(
        lambda _: calls.DELETE,
        _everyone("not-permitted") | _NEEDS_TOKEN | {"creator": ("204", "not-permitted", "204")},
    ),
    "drawCard": Operation(
        lambda _: calls.DRAW, _MOVE | {"mover": ("game-waiting", "200", "game-finished")}
    ),
    "discardCard": Operation(
        lambda _: calls.post("/discard", {"card": "8H"}),
        _MOVE | {"mover": ("game-waiting", "wrong-phase", "game-finished")},
    ),
    "getScores": Operation(lambda _: calls.get("/scores"), _READ),
    "getHint": Operation(
        lambda _: calls.get("/hint"), _MOVE | {"mover": ("game-waiting", "200", "game-finished")}
    ),
    "listEvents": Operation(
        lambda _: calls.get("/events?limit=1000"),
        _READ,
        (calls.get("/events?wait=1&limit=1000"), calls.stream(), calls.stream("?after=0")),
    ),
    "getReplay": Operation(
        lambda _: calls.get("/replay"),
        _everyone("game-not-finished", "game-not-finished", "200") | _CHECKS_TOKEN,
    ),
    "getReview": Operation(
        lambda _: calls.get("/review?seat=1"),
        _everyone("game-not-finished", "game-not-finished", "200") | _CHECKS_TOKEN,
    ),
    "joinGame": Operation(
        lambda invite: calls.post("/seats", {"invite": invite}),
        _everyone("seat-taken", "seat-taken", "game-finished"),
    ),
    "leaveGame": Operation(
        lambda _: calls.LEAVE, _everyone("204", "204", "game-finished") | _NEEDS_TOKEN
    ),
    "rematchGame": Operation(
        lambda _: calls.REMATCH,
        _everyone("game-not-finished", "game-not-finished", "201")
        | _NEEDS_TOKEN
        | {"key": ("game-not-finished", "game-not-finished", "idempotency-key-reused")},
    ),
    "evaluateHand": Operation(
        lambda _: calls.post_to("/v1/evaluations", {"cards": ["8H"], "wild_rank": "5"}), _OPEN
    ),
    "getRules": Operation(lambda _: Call("/v1/rules"), _OPEN),
    "getCard": Operation(lambda _: Call("/v1/cards/8H.svg"), _OPEN),
    "listProblems": Operation(lambda _: Call("/v1/problems"), _OPEN),
    "getProblem": Operation(lambda _: Call("/v1/problems/not-found"), _OPEN),
    "liveness": Operation(lambda _: Call("/healthz"), _OPEN),
    "readiness": Operation(lambda _: Call("/readyz"), _OPEN),
}


def gaps(described: Collection[str], table: Mapping[str, Operation]) -> list[str]:
    """What a table lacks of the described operations or has too much; each entry names it."""
    lacking = [
        f"{name} has no entry in PERMISSIONS in {__file__}" for name in set(described) - set(table)
    ]
    unknown = [f"{name} is no operation of the API" for name in set(table) - set(described)]
    cells = [
        f"{name} has no outcome for the caller {caller}"
        for name, operation in table.items()
        for caller in set(CALLERS) - set(operation.outcomes)
    ]
    return sorted(lacking + unknown + cells)
