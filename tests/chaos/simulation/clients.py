"""What the guests of simulated games ask for, and what they are told.

A `Request` is a value: sent again it is the same request. `Guests` choose the next ones by what is
known of the games: mostly moves that are due, sometimes anything else that a client may send.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from engine.cards import Card
from engine.game import Game, Status
from engine.round import Drawing
from engine.solver.arrangement import best_discard
from tests.chaos.simulation.invariants import Truth
from tests.chaos.simulation.messages import Request
from tests.chaos.simulation.state import Table

_LEVELS = ("easy", "easy", "medium", "hard", "expert")
_READS = ("getGame", "getGame", "getScores", "listEvents", "getHint", "getReplay")


class Guests:
    """Chooses requests; everything by chance comes from one generator."""

    def __init__(self, chance: random.Random, truth: Truth) -> None:
        self._chance = chance
        self._truth = truth
        self._sent: list[Request] = []
        self._kinds: dict[Callable[[Table], Request], int] = {
            self._move: 60,
            self._stray: 8,
            self._read: 14,
            self._join: 6,
            self._repeat: 10,
            self._leave: 2,
            self._delete: 1,
        }

    def create(self) -> Request:
        """A new game of one to three humans."""
        body = {
            "seats": [{"kind": "human"}, *(self._seat() for _ in range(self._pick(1, 1, 2, 3)))],
            "jokers": self._pick(0, 2, 4),
            "aces": self._pick("low", "high", "both"),
            "turn_seconds": self._pick(None, 10, 30),
        }
        key = self._key() if self._chance.random() < 0.8 else None
        return self._noted(Request("createGame", body=body, key=key))

    def any(self) -> Request:
        """Whatever a guest may ask for next."""
        tables = [table for table in self._truth.tables.values() if table.is_known]
        playing = [table for table in tables if not table.is_over]
        if not playing or self._chance.random() < 0.01:
            return self._repeat(None) if self._chance.random() < 0.1 else self.create()
        table = self._chance.choice(playing if self._chance.random() < 0.95 else tables)
        kind = self._chance.choices(list(self._kinds), list(self._kinds.values()))[0]
        return kind(table)

    def due(self, table: Table) -> Request:
        """What brings the game on: a join, or the best move of the seat that is to move."""
        game = table.game
        if game is None or game.status is Status.WAITING:
            return self.invited(
                table, next(seat for seat in table.invites if self._free(table, seat))
            )
        seat = game.layout.seat
        if isinstance(game.round, Drawing):
            return self._moving("drawCard", table, seat, {"source": "stock"})
        return self._moving("discardCard", table, seat, {"card": str(_best(game))})

    def _move(self, table: Table) -> Request:
        """The move that is due or another of that seat, perhaps on a condition."""
        game = table.game
        if game is None or game.status is Status.WAITING:
            return self._join(table)
        if game.status is Status.FINISHED or game.layout.seat not in table.tokens:
            return self._read(table)
        seat = game.layout.seat
        if isinstance(game.round, Drawing):
            return self._draw(table, seat)
        card = _best(game) if self._chance.random() < 0.7 else self._pick(*game.layout.hand)
        return self._discard(table, seat, str(card))

    def invited(self, table: Table, seat: int) -> Request:
        """A join by a seat's invite."""
        body = {"invite": table.invites[seat], "name": self._pick(None, "Bo")}
        return self._noted(Request("joinGame", table.game_id, seat, body=body, key=self._key()))

    def leave(self, table: Table, seat: int) -> Request:
        """The way out of a seat."""
        return self._noted(
            Request("leaveGame", table.game_id, seat, table.tokens[seat], key=self._maybe_key())
        )

    def _seat(self) -> dict[str, str]:
        if self._chance.random() < 0.4:
            return {"kind": "human"}
        return {"kind": "ai", "level": self._pick(*_LEVELS)}

    def _draw(self, table: Table, seat: int) -> Request:
        body = {"source": self._pick("stock", "stock", "discard")}
        return self._moving("drawCard", table, seat, body, self._condition(table, seat))

    def _discard(self, table: Table, seat: int, card: str) -> Request:
        condition = self._condition(table, seat)
        return self._moving("discardCard", table, seat, {"card": card}, condition)

    def _condition(self, table: Table, seat: int) -> str | None:
        """An ETag, of this version or the last."""
        if self._chance.random() >= 0.1:
            return None
        return f'"{table.version - self._pick(0, 0, 1)}.{seat}.1"'

    def _moving(
        self,
        operation: str,
        table: Table,
        seat: int,
        body: dict[str, Any],
        condition: str | None = None,
    ) -> Request:
        token, key = table.tokens.get(seat) or table.left.get(seat), self._maybe_key()
        return self._noted(Request(operation, table.game_id, seat, token, body, key, condition))

    def _stray(self, table: Table) -> Request:
        """A move by whoever, in whatever phase."""
        seat = self._anybody(table)
        if seat is None or self._chance.random() < 0.5:
            return self._draw(table, seat or 0)
        return self._discard(table, seat, self._pick("AS", "7H", "JK", "KD"))

    def _read(self, table: Table) -> Request:
        seat = self._pick(None, self._anybody(table))
        token = None if seat is None else table.tokens.get(seat) or table.left[seat]
        operation = self._pick(*_READS)
        condition = None
        if operation == "getGame" and self._chance.random() < 0.3:
            condition = f'"{table.version}.{"s" if seat is None else seat}.1"'
        query = {}
        if operation == "listEvents":
            query = {"after": self._chance.randrange(40), "limit": self._pick(1, 10, 1000)}
        return Request(operation, table.game_id, seat, token, condition=condition, query=query)

    def _join(self, table: Table) -> Request:
        free = [seat for seat in table.invites if self._free(table, seat)]
        if not free or self._chance.random() < 0.1:
            free = list(table.invites)
        return self.invited(table, self._chance.choice(free)) if free else self._read(table)

    def _free(self, table: Table, seat: int) -> bool:
        return seat not in table.tokens and seat not in table.left

    def _leave(self, table: Table) -> Request:
        seat = self._anybody(table)
        if seat is None or seat not in table.tokens:
            return self._read(table)
        return self.leave(table, seat)

    def _delete(self, table: Table) -> Request:
        seat = self._anybody(table)
        token = None if seat is None else table.tokens.get(seat) or table.left[seat]
        return Request("deleteGame", table.game_id, seat, token)

    def _repeat(self, _: Table | None) -> Request:
        """A request of before, unchanged: with its key if it had one, else as a new one."""
        return self._chance.choice(self._sent[-12:]) if self._sent else self.create()

    def _anybody(self, table: Table) -> int | None:
        """A seat with a token, be it void."""
        seats = sorted({*table.tokens, *table.left})
        return self._chance.choice(seats) if seats else None

    def _noted(self, request: Request) -> Request:
        self._sent.append(request)
        return request

    def _maybe_key(self) -> str | None:
        return self._key() if self._chance.random() < 0.6 else None

    def _key(self) -> str:
        return f"{self._chance.getrandbits(128):032x}"

    def _pick(self, *among: Any) -> Any:
        return self._chance.choice(among)


def _best(game: Game) -> Card:
    layout = game.layout
    return best_discard(layout.hand, layout.wild, layout.aces)[0]
