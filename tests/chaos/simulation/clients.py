"""The clients of simulated games: a generator of random requests.

A `Request` is a value: when it is sent again it is the same request. Most requests are legal moves;
the others are reads, joins, leaves, deletions, repeats, and moves that are not legal.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from engine.cards import Card
from engine.game import Game, Status
from engine.round import Drawing
from engine.seats import Level
from engine.solver.arrangement import best_discard
from service.games.answers.entity_tags import VIEW_FORMAT
from tests.chaos.simulation.faulty_store import NEWEST
from tests.chaos.simulation.invariants import InvariantChecker
from tests.chaos.simulation.messages import READS, Request
from tests.chaos.simulation.state import GameState

_LEVELS = (Level.EASY, *Level)
_READS = ("getGame", *READS)


class ClientGenerator:
    """Generates requests; all random choices come from one generator."""

    def __init__(self, rng: random.Random, checker: InvariantChecker) -> None:
        self._rng = rng
        self._checker = checker
        self._sent: list[Request] = []
        self._kinds: dict[Callable[[GameState], Request], int] = {
            self._move: 60,
            self._random_move: 8,
            self._read: 14,
            self._join: 6,
            self._repeat: 10,
            self._repeat_of_seat: 12,
            self._leave: 2,
            self._delete: 1,
            self._rematch: 2,
        }

    def create(self) -> Request:
        """A request for a new game, with a human and one to three more seats."""
        body = {
            "seats": [{"kind": "human"}, *(self._seat() for _ in range(self._pick(1, 1, 2, 3)))],
            "jokers": self._pick(0, 2, 4),
            "aces": self._pick("low", "high", "both"),
            "turn_seconds": self._pick(None, 10, 30),
            "rounds": self._pick({}, {}, {"last": 2}, {"first": 3, "last": 3}),
        }
        key = self._key() if self._rng.random() < 0.8 else None
        return self._remember(Request("createGame", body=body, key=key))

    def random_request(self) -> Request:
        """Any request that a client may send next."""
        games = [state for state in self._checker.games.values() if state.is_known]
        playing = [state for state in games if not state.is_over]
        if not playing or self._rng.random() < 0.01:
            return self._repeat(None) if self._rng.random() < 0.1 else self.create()
        state = self._rng.choice(playing if self._rng.random() < 0.95 else games)
        kind = self._rng.choices(list(self._kinds), list(self._kinds.values()))[0]
        return kind(state)

    def next_move(self, state: GameState) -> Request:
        """The request that continues a game: a join, or the best move of the seat to move."""
        game = state.game
        if game is None or game.status is Status.WAITING:
            return self.join(state, next(seat for seat in state.invites if self._free(state, seat)))
        seat = game.layout.seat
        if isinstance(game.round, Drawing):
            return self._move_request("drawCard", state, seat, {"source": "stock"})
        return self._move_request("discardCard", state, seat, {"card": str(_best(game))})

    def _move(self, state: GameState) -> Request:
        """A legal move of the seat to move, sometimes with If-Match."""
        game = state.game
        if game is None or game.status is Status.WAITING:
            return self._join(state)
        if game.status is Status.FINISHED or game.layout.seat not in state.tokens:
            return self._read(state)
        seat = game.layout.seat
        if isinstance(game.round, Drawing):
            return self._draw(state, seat)
        card = _best(game) if self._rng.random() < 0.7 else self._pick(*game.layout.hand)
        return self._discard(state, seat, str(card))

    def join(self, state: GameState, seat: int) -> Request:
        """A join with a seat's invite."""
        kind = "token" if state.is_rematch else "invite"
        body = {kind: state.invites[seat], "name": self._pick(None, "Bo")}
        return self._remember(Request("joinGame", state.game_id, seat, body=body, key=self._key()))

    def leave(self, state: GameState, seat: int) -> Request:
        """A request to leave a seat."""
        return self._remember(
            Request("leaveGame", state.game_id, seat, state.tokens[seat], key=self._maybe_key())
        )

    def rematch(self, state: GameState, seat: int) -> Request:
        """A request for a rematch."""
        token = state.tokens.get(seat) or state.left[seat]
        key = self._maybe_key()
        return self._remember(Request("rematchGame", state.game_id, seat, token, key=key))

    def _rematch(self, state: GameState) -> Request:
        seat = self._any_seat(state)
        return self._read(state) if seat is None else self.rematch(state, seat)

    def _seat(self) -> dict[str, str]:
        if self._rng.random() < 0.4:
            return {"kind": "human"}
        return {"kind": "ai", "level": self._pick(*_LEVELS).value}

    def _draw(self, state: GameState, seat: int) -> Request:
        body = {"source": self._pick("stock", "stock", "discard")}
        return self._move_request("drawCard", state, seat, body, self._condition(state, seat))

    def _discard(self, state: GameState, seat: int, card: str) -> Request:
        condition = self._condition(state, seat)
        return self._move_request("discardCard", state, seat, {"card": card}, condition)

    def _condition(self, state: GameState, seat: int) -> str | None:
        """None, or an ETag of the current or the previous version."""
        if self._rng.random() >= 0.1:
            return None
        return f'"{state.version - self._pick(0, 0, 1)}.{seat}.{VIEW_FORMAT}"'

    def _move_request(
        self,
        operation: str,
        state: GameState,
        seat: int,
        body: dict[str, Any],
        condition: str | None = None,
    ) -> Request:
        token, key = state.tokens.get(seat) or state.left.get(seat), self._maybe_key()
        return self._remember(Request(operation, state.game_id, seat, token, body, key, condition))

    def _random_move(self, state: GameState) -> Request:
        """A move of any seat, in any phase."""
        seat = self._any_seat(state)
        if seat is None or self._rng.random() < 0.5:
            return self._draw(state, seat or 0)
        return self._discard(state, seat, self._pick("AS", "7H", "JK", "KD"))

    def _read(self, state: GameState) -> Request:
        seat = self._pick(None, self._any_seat(state))
        token = None if seat is None else state.tokens.get(seat) or state.left[seat]
        operation = self._pick(*_READS)
        condition = None
        if operation == "getGame" and self._rng.random() < 0.3:
            condition = f'"{state.version}.{"s" if seat is None else seat}.{VIEW_FORMAT}"'
        query = {}
        if operation == "listEvents":
            query = {"after": self._rng.randrange(40), "limit": self._pick(1, 10, 1000)}
        return Request(operation, state.game_id, seat, token, condition=condition, query=query)

    def _join(self, state: GameState) -> Request:
        free = [seat for seat in state.invites if self._free(state, seat)]
        if not free or self._rng.random() < 0.1:
            free = list(state.invites)
        return self.join(state, self._rng.choice(free)) if free else self._read(state)

    def _free(self, state: GameState, seat: int) -> bool:
        return seat not in state.tokens and seat not in state.left

    def _leave(self, state: GameState) -> Request:
        seat = self._any_seat(state)
        if seat is None or seat not in state.tokens:
            return self._read(state)
        return self.leave(state, seat)

    def _delete(self, state: GameState) -> Request:
        seat = self._any_seat(state)
        token = None if seat is None else state.tokens.get(seat) or state.left[seat]
        return Request("deleteGame", state.game_id, seat, token)

    def _repeat(self, _: GameState | None) -> Request:
        """One of the last requests again; without a key it is a new request."""
        return self._rng.choice(self._sent[-12:]) if self._sent else self.create()

    def _repeat_of_seat(self, state: GameState) -> Request:
        """A move of a seat again, near the oldest whose answer comes again; else a new move."""
        moves = self._checker.keyed_moves(state.game_id, self._any_seat(state))
        later = self._rng.randint(NEWEST - 2, NEWEST + 1)
        return moves[-1 - later] if later < len(moves) else self._move(state)

    def _any_seat(self, state: GameState) -> int | None:
        """A seat that has or had a token."""
        seats = sorted({*state.tokens, *state.left})
        return self._rng.choice(seats) if seats else None

    def _remember(self, request: Request) -> Request:
        self._sent.append(request)
        return request

    def _maybe_key(self) -> str | None:
        return self._key() if self._rng.random() < 0.6 else None

    def _key(self) -> str:
        return f"{self._rng.getrandbits(128):032x}"

    def _pick(self, *among: Any) -> Any:
        return self._rng.choice(among)


def _best(game: Game) -> Card:
    layout = game.layout
    return best_discard(layout.hand, layout.wild, layout.aces)[0]
