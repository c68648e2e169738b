"""The script of a commit: its arguments, how it is run, and what its answer means."""

from __future__ import annotations

import re
from collections.abc import Sequence

from redis.exceptions import InvalidResponse

from service.errors import CorruptGameError
from service.store.connections.connection import Command, Connection
from service.store.keys import events_key, game_key
from service.store.models import (
    AlreadyCommitted,
    Commit,
    Committed,
    KeyExpired,
    MoveKey,
    Nonce,
    Outcome,
    RecordKey,
    Stale,
)
from service.store.records import SLOTS, server_keys
from service.store.scripts import script

SCRIPT = script.text("publish.lua", "commit.lua")
SHA = script.digest(SCRIPT)
CHECKED_RECORD = RecordKey("check")
CHECKED_MOVE = MoveKey("check", b"check", 0)
"""Keys that are looked up by a check, and never written."""
_VERSION = re.compile(rb"0|[1-9][0-9]{0,17}")


def commit_arguments(commit: Commit, *, guarded: bool, confirmed: bool) -> script.Arguments:
    """The arguments that write a commit; `guarded` and `confirmed` as the level demands."""
    stored, key = commit.stored, commit.key
    keys = server_keys(commit.game_id, key)
    name, now = b"", 0
    match key:
        case MoveKey():
            name, now = key.key_id, key.now
        case Nonce():
            name = key.value
    return [
        2 + len(keys),
        game_key(commit.game_id),
        events_key(commit.game_id),
        *keys,
        commit.expected,
        stored.version,
        stored.state,
        stored.meta,
        commit.record,
        commit.record_ttl * 1000,
        commit.game_ttl * 1000,
        int(guarded),
        int(confirmed),
        name,
        now,
        SLOTS,
        commit.logged,
        *commit.events,
    ]


def check_commands(game_id: str, *, guarded: bool) -> tuple[Command, Command]:
    """The commands that find out whether a commit would be allowed, for an id without a game.

    Both, since a commit needs the right to each; the first makes the script known to the server.
    Each looks up a key of another kind, since the kinds need different rights.
    """
    game = (game_key(game_id), events_key(game_id))
    whole = (*game, *server_keys(game_id, CHECKED_RECORD))
    newest = (*game, *server_keys(game_id, CHECKED_MOVE))
    arguments = (0, "", "", "", "", 1, 1, int(guarded), 0, "", 0, SLOTS, 0)
    return (
        ("EVAL", SCRIPT, len(whole), *whole, *arguments),
        ("EVALSHA", SHA, len(newest), *newest, *arguments),
    )


def run(connection: Connection, arguments: script.Arguments) -> list[bytes]:
    """The script's answer."""
    return script.run(connection, SCRIPT, SHA, arguments)


def outcome_of(answer: Sequence[bytes]) -> Outcome:
    """What an answer means; raises InvalidResponse where it is not the script's."""
    match answer:
        case [b"committed", _]:
            return Committed()
        case [b"recorded", bytes() as record]:
            return AlreadyCommitted(record)
        case [b"expired"]:
            return KeyExpired()
        case [b"stale", bytes() as version]:
            return Stale(version_number(version))
    raise InvalidResponse("the script gave no answer of its own")


def version_number(text: bytes) -> int:
    """A version as the store writes it (0 for no game); raises CorruptGameError."""
    if not _VERSION.fullmatch(text):
        raise CorruptGameError("the version of the game is not a number")
    return int(text)
