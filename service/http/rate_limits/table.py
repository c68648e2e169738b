"""Which operations are limited, by their operationId; moves and reads are not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from service.config import Config

WINDOW = 60
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit that operations share, by its name in headers and at the storage, and its setting."""

    name: str
    setting: str

    @property
    def default(self) -> int:
        """The calls in a minute where the setting says nothing."""
        return quota_of(Config(), self)


def quota_of(config: Config, limit: Limit) -> int:
    """The calls in a minute that a limit allows."""
    quota: int = getattr(config, limit.setting)
    return quota


_CREATE = Limit("create", "rate_limit_create")
LIMITS: Mapping[str, Limit] = {
    "createGame": _CREATE,
    "rematchGame": _CREATE,
    "joinGame": Limit("join", "rate_limit_join"),
    "evaluateHand": Limit("evaluate", "rate_limit_evaluate"),
    "getHint": Limit("hint", "rate_limit_hint"),
    "getReview": Limit("review", "rate_limit_review"),
}
"""The limit of each operation that has one."""
