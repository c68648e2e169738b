"""The review of a seat, beside its game: how it is looked up, and the script that keeps it."""

from __future__ import annotations

from redis.exceptions import InvalidResponse

from service.store.connections.connection import Command, Connection
from service.store.keys import game_key
from service.store.scripts import script

SCRIPT = script.text("keep_review.lua")
SHA = script.digest(SCRIPT)


def lookup(game_id: str, seat: int) -> Command:
    """The command that gives the review of a seat."""
    return ("HGET", game_key(game_id), _field(seat))


def keep(connection: Connection, game_id: str, version: int, seat: int, review: bytes) -> bool:
    """Keep a review, unless the game is at another version or gone; whether it is kept."""
    arguments: script.Arguments = [1, game_key(game_id), version, _field(seat), review]
    answer = script.run(connection, SCRIPT, SHA, arguments)
    if answer not in ([b"kept"], [b"stale"]):
        raise InvalidResponse("the script gave no answer of its own")
    return answer == [b"kept"]


def _field(seat: int) -> str:
    return f"review:{seat}"
