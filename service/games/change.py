"""What a change of a game says of itself, so that `transactions` can make it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from engine.game import Step
from service.games.answers.responses import Reply
from service.games.idempotency import Idempotency
from service.games.loaded import Invitee, LoadedGame, SeatHolder
from service.games.stored.meta import Meta
from service.store.models import MoveKey, RecordKey, StoredGame

ChangerT = TypeVar("ChangerT", SeatHolder, Invitee)


@dataclass(frozen=True, slots=True)
class Decision:
    """What a change makes of a game.

    `meta` does not have its times yet; `reply` is the kind of answer.
    """

    step: Step
    meta: Meta
    reply: Reply


class Change(ABC, Generic[ChangerT]):
    """A change of one game that somebody asks for.

    `voids_token`: whether the caller's token is void afterwards, so that a repeated request is
    known by its record alone. `shows_rematch`: whether an answer to it may show the game that this
    one has reserved.
    """

    voids_token: ClassVar[bool] = False
    shows_rematch: ClassVar[bool] = False
    game_id: str
    idempotency: Idempotency

    @property
    def has_random_id(self) -> bool:
        """Whether the game's id is a random one of this request, so that no game has it yet."""
        return False

    @property
    def old_key(self) -> RecordKey | None:
        """Where earlier versions of the service stored the answer; None if in the same place."""
        return None

    @abstractmethod
    def key(self, now: int) -> RecordKey | MoveKey | None:
        """Where the answer is stored, at `now` (ms since 1970); None without a client's key."""

    @abstractmethod
    def identify(self, stored: StoredGame | None) -> LoadedGame[ChangerT]:
        """The game for the caller; raises what a caller without access is refused for."""

    @abstractmethod
    def decide(self, current: LoadedGame[ChangerT], now: int) -> Decision:
        """What the change makes of the game at `now` (ms since 1970); raises a refusal."""
