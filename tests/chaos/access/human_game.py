"""A game of four humans in a given state, whose seats have used idempotency keys."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from flask.testing import FlaskClient

from service.store.game_store import GameStore
from service.store.models import StoredGame
from tests.chaos.access import calls
from tests.chaos.access.calls import Call

CREATOR, MOVER, LEFT, LAST = range(4)
"""The seats: the creator's, the one to move, the one that was left, the one that joins last."""
_FOUR_HUMANS = {"seats": [{"kind": "human"}] * 4}


@dataclass
class HumanGame:
    """A game of four humans in one of the states; the human of seat 2 has left it.

    One seat has used an idempotency key for each operation that takes one: seat 2 for joining and
    leaving, the creator for the others. The key for a rematch is used on demand.
    """

    client: FlaskClient
    store: GameStore
    state: str
    rng: random.Random
    game_id: str = ""
    tokens: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.key_suffix = f"{self.rng.getrandbits(128):032x}"
        created = self._send(
            self.with_used_key("createGame", calls.post_to("/v1/games", _FOUR_HUMANS))
        )
        self.game_id = created["game"]["id"]
        self.tokens = [created["token"]]
        self.invites = [invite["code"] for invite in created["invites"]]
        self._join(MOVER)
        self._join(LEFT)
        self._send(self.with_used_key("leaveGame", calls.LEAVE), LEFT)
        if self.state != "waiting":
            self._join(LAST)
            self._play()

    def with_used_key(self, operation: str, call: Call) -> Call:
        """The call with the idempotency key that one seat has used for the operation."""
        return call.but(Idempotency_Key=f"{operation}-{self.key_suffix}")

    def use_key_for_rematch(self, operation: str) -> bool:
        """Make the rematch of a finished game under the creator's key; whether that is due."""
        is_due = (operation, self.state) == ("rematchGame", "finished")
        if is_due:
            self._send(self.with_used_key(operation, calls.REMATCH), CREATOR)
        return is_due

    def stored(self) -> tuple[StoredGame | None, list[bytes]]:
        """Everything that the store has of the game."""
        return self.store.read(self.game_id)[0], self.store.events(self.game_id, 0, 10_000)

    def seat_of(self, caller: str) -> int | None:
        """The seat whose token a caller has; None for a caller without a seat."""
        third = MOVER if self.state == "waiting" else LAST
        seats = {"creator": CREATOR, "mover": MOVER, "seat": third, "key": third}
        return seats.get(caller)

    def _send(self, call: Call, seat: int | None = None) -> Any:
        """The body of the answer to a call that must succeed."""
        auth = None if seat is None else f"Bearer {self.tokens[seat]}"
        answer = call.open(self.client, self.game_id, auth)
        assert answer.status_code < 300, answer.get_data()
        return answer.get_json(silent=True)

    def _join(self, seat: int) -> None:
        call = calls.post("/seats", {"invite": self.invites[seat - 1]})
        call = self.with_used_key("joinGame", call) if seat == LEFT else call
        self.tokens.append(self._send(call)["token"])

    def _play(self) -> None:
        """Play to the end, or until the creator has had a turn and seat 1 is to draw."""
        creator_has_played = False
        while (view := self._send(calls.get()))["status"] == "playing":
            mover = view["turn"]["seat"]
            if self.state == "playing" and creator_has_played and mover == MOVER:
                return
            self._take_turn(mover, keyed=mover == CREATOR and not creator_has_played)
            creator_has_played = creator_has_played or mover == CREATOR

    def _take_turn(self, seat: int, *, keyed: bool) -> None:
        draw = calls.DRAW
        you = self._send(self.with_used_key("drawCard", draw) if keyed else draw, seat)["game"][
            "you"
        ]
        discard = calls.post("/discard", {"card": you["arrangement"]["discard"]})
        self._send(self.with_used_key("discardCard", discard) if keyed else discard, seat)
