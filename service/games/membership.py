"""The use cases of a seat: take it with an invite, leave it for good."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from engine import table
from service.errors import InvalidTokenError, UnknownInviteError
from service.games import tokens
from service.games.bodies import Answer
from service.games.records import Meta, read_record, record_key
from service.games.repository import Change, Found, Identify, Ledger, seat_holder
from service.games.tokens import Idempotency
from service.games.use_cases import created
from service.store.models import Stored


@dataclass(frozen=True, slots=True)
class Attendance:
    """The use cases over one ledger."""

    ledger: Ledger

    def join(self, game_id: str, invite: str, name: str | None, idempotency: Idempotency) -> Answer:
        """The game with its invited seat taken, and that seat's token."""

        def judge(found: Found) -> Change:
            game, seat = found.game(), found.seat
            assert seat is not None, "an invite is for a seat"
            now = self.ledger.now()
            step = table.join(game, seat, name or game.seats[seat].name, now)
            salt = secrets.token_bytes(tokens.SALT_BYTES)
            token = tokens.seat_token(idempotency.key, salt, seat)
            lifetime = self.ledger.lifetime(played=found.meta.played)
            meta = found.meta.with_token(seat, token).after(step.game, now, lifetime)
            return Change(step, meta, created(found, meta, step, token, None), salt)

        owner = f"join:{tokens.token_hash(invite)}"
        return self.ledger.change(
            game_id, owner, idempotency, _invited(invite), judge, attends=False
        )

    def leave(self, game_id: str, token: str | None, idempotency: Idempotency) -> Answer:
        """Nothing more: an AI player has the caller's seat, and the caller's token is void."""

        def judge(found: Found) -> Change:
            seat = found.seat
            assert seat is not None, "only a seat can be left"
            now = self.ledger.now()
            step = table.leave(found.game(), seat, now)
            lifetime = self.ledger.lifetime(played=found.meta.played)
            meta = found.meta.with_token(seat, None).after(step.game, now, lifetime)
            return Change(step, meta, Answer(204))

        owner = tokens.token_hash(token or "")
        identify = seat_holder(token, needs_token=True)
        try:
            return self.ledger.change(game_id, owner, idempotency, identify, judge)
        except InvalidTokenError:
            # The token is void once its seat is left; the same request still has its answer.
            kept = None
            if idempotency.key is not None:
                kept = self.ledger.kept(game_id, record_key(owner, idempotency))
            if kept is None:
                raise
            return read_record(kept, idempotency)


def _invited(invite: str) -> Identify:
    """Identifies a caller by an invite, used or not."""

    def identify(game_id: str, stored: Stored) -> Found:
        meta = Meta.read(stored)
        seat = tokens.seat_of(invite, meta.invites)
        if seat is None:
            raise UnknownInviteError("the invite is of no seat of this game")
        return Found(game_id, stored, meta, seat)

    return identify
