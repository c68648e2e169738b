"""The script of a commit: its arguments, how it is run, and what its answer means."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from importlib.resources import files

from redis.exceptions import InvalidResponse, NoScriptError

from service.errors import CorruptGameError
from service.store.connection import Command, Connection
from service.store.models import AlreadyCommitted, Commit, Committed, RecordKey, Stale

SCRIPT = (files("service.store") / "commit.lua").read_text("utf-8")
SHA = hashlib.sha1(SCRIPT.encode(), usedforsecurity=False).hexdigest()
Arguments = list[bytes | str | int]
CHECKED_RECORD = RecordKey("check")
"""A record that is looked for by a check, and never written."""
_NONCE_END = b"\n"
_VERSION = re.compile(rb"0|[1-9][0-9]{0,17}")


def game_key(game_id: str) -> str:
    """The key of a game's state."""
    return f"{{g:{game_id}}}:game"


def events_key(game_id: str) -> str:
    """The key of a game's event log."""
    return f"{{g:{game_id}}}:events"


def record_key(game_id: str, key: RecordKey) -> str:
    """The key of an idempotency record."""
    return f"{{g:{game_id}}}:key:{key.name}"


def commit_arguments(commit: Commit, *, guarded: bool, confirmed: bool) -> Arguments:
    """The arguments that write a commit; `guarded` and `confirmed` as the level demands."""
    stored, key = commit.stored, commit.record_key
    nonce_line = key.nonce.encode() + _NONCE_END
    return [
        3,
        game_key(commit.game_id),
        events_key(commit.game_id),
        record_key(commit.game_id, key),
        commit.expected,
        stored.version,
        stored.state,
        stored.meta,
        nonce_line if key.nonce else b"",
        nonce_line + commit.record,
        commit.record_ttl * 1000,
        commit.game_ttl * 1000,
        int(guarded),
        int(confirmed),
        commit.logged,
        *commit.events,
    ]


def check_commands(game_id: str, *, guarded: bool) -> tuple[Command, Command]:
    """The commands that find out whether a commit would be allowed, for an id without a game.

    Both, since a commit needs the right to each; the first makes the script known to the server.
    """
    keys = (game_key(game_id), events_key(game_id), record_key(game_id, CHECKED_RECORD))
    arguments = (3, *keys, 0, "", "", "", "", "", 1, 1, int(guarded), 0, 0)
    return ("EVAL", SCRIPT, *arguments), ("EVALSHA", SHA, *arguments)


def run(connection: Connection, arguments: Arguments) -> list[bytes]:
    """The script's answer; a server that does not know it is given it."""
    answer: list[bytes]
    try:
        (answer,) = connection.execute(("EVALSHA", SHA, *arguments))
    except NoScriptError:
        (answer,) = connection.execute(("EVAL", SCRIPT, *arguments))
    return answer


def outcome_of(answer: Sequence[bytes]) -> Committed | AlreadyCommitted | Stale:
    """What an answer means; raises InvalidResponse where it is not the script's."""
    match answer:
        case [b"committed", _]:
            return Committed()
        case [b"recorded", bytes() as record]:
            return AlreadyCommitted(record_text(record))
        case [b"stale", bytes() as version]:
            return Stale(version_number(version))
    raise InvalidResponse("the script gave no answer of its own")


def is_record_of(key: RecordKey, record: bytes | None) -> bool:
    """Whether what stands under a key's name was written by a commit with that key."""
    return record is not None and (not key.nonce or record.startswith(key.nonce.encode() + b"\n"))


def record_text(record: bytes) -> bytes:
    """A record without its nonce line; raises CorruptGameError where it has none."""
    _, end, text = record.partition(_NONCE_END)
    if not end:
        raise CorruptGameError("an idempotency record is damaged")
    return text


def version_number(text: bytes) -> int:
    """A version as the store writes it (0 for no game); raises CorruptGameError."""
    if not _VERSION.fullmatch(text):
        raise CorruptGameError("the version of the game is not a number")
    return int(text)
