"""The script of a deletion: its arguments, and what its answer means."""

from __future__ import annotations

from collections.abc import Sequence

from redis.exceptions import InvalidResponse

from service.store.connections.connection import Connection
from service.store.keys import events_key, game_key
from service.store.models import Deleted, Stale
from service.store.scripts import script
from service.store.scripts.commit_script import version_number

SCRIPT = script.text("publish.lua", "delete.lua")
SHA = script.digest(SCRIPT)


def run(connection: Connection, game_id: str, expected: int) -> Deleted | Stale:
    """Delete a game at its expected version, or say which version it is at."""
    arguments: script.Arguments = [2, game_key(game_id), events_key(game_id), expected]
    return _outcome_of(script.run(connection, SCRIPT, SHA, arguments))


def _outcome_of(answer: Sequence[bytes]) -> Deleted | Stale:
    match answer:
        case [b"deleted"]:
            return Deleted()
        case [b"stale", bytes() as version]:
            return Stale(version_number(version))
    raise InvalidResponse("the script gave no answer of its own")
