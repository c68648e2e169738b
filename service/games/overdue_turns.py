"""Turns whose time has run out: an AI player makes them, at the next call or watch of the game."""

from __future__ import annotations

import logging

from engine import table
from service.games.loaded import CallerT_co, LoadedGame, NextVersion
from service.games.repository import GameRepository
from service.store.models import Stale

_LOG = logging.getLogger("service.players")


def with_overdue_turns(
    loaded: LoadedGame[CallerT_co], seat: int | None, repository: GameRepository, now: int
) -> LoadedGame[CallerT_co] | None:
    """The game with its overdue turns applied, by a commit of its own if there are any.

    None if the game has changed meanwhile. `seat` is the one that calls, and is back by that if it
    was away; None if no seat does. `now` is in ms since 1970. Raises StorageError,
    CorruptGameError.
    """
    if not loaded.meta.is_overdue(seat, now):
        return loaded
    step = table.apply_overdue_turns(loaded.game(), seat, now)
    if step is None:
        return loaded
    following = repository.next_version(loaded, step, loaded.meta, now)
    if isinstance(repository.commit(following), Stale):
        return None
    log_faults(following)
    return following.loaded


def log_faults(following: NextVersion[CallerT_co]) -> None:
    """Log how AI players have failed in a version that was committed."""
    for fault in following.step.faults:
        _LOG.error("an AI player failed in game %s, %s", following.before.game_id, fault)
