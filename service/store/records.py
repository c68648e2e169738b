"""Idempotency records: under which keys of the server they stand, and how they are looked up.

    {g:<id>}:key:<name>        string: the record of a RecordKey
    {g:<id>}:keys:<owner>      hash: for the id of each MoveKey `<count>:<end>`, which move of the
                               owner it was and when its lifetime is over (s since 1970); under `n`
                               how many moves with a key the owner has made
    {g:<id>}:answers:<owner>   hash: the record of move `count` in the slot `count % SLOTS`, after
                               the id of its key

So the newest records of an owner stay, and a few dozen bytes of every older one. The fields of
`keys` are short, so that a server keeps them packed.
"""

from __future__ import annotations

import re
from typing import assert_never

from service.errors import CorruptGameError
from service.store.connections.connection import Command, Connection
from service.store.models import KeyExpired, MoveKey, Nonce, Record, RecordKey

SLOTS = 8
"""How many records of an owner stay."""
_ENTRY = re.compile(rb"([1-9][0-9]{0,14}):([0-9]{1,15})")


def record_key(game_id: str, key: RecordKey) -> str:
    """The server's key of a whole record."""
    return f"{{g:{game_id}}}:key:{key.name}"


def keys_key(game_id: str, key: MoveKey) -> str:
    """The server's key of an owner's keys."""
    return f"{{g:{game_id}}}:keys:{key.owner}"


def answers_key(game_id: str, key: MoveKey) -> str:
    """The server's key of an owner's newest records."""
    return f"{{g:{game_id}}}:answers:{key.owner}"


def server_keys(game_id: str, key: RecordKey | MoveKey | Nonce) -> tuple[str, ...]:
    """The server's keys that a commit writes a record to."""
    match key:
        case MoveKey():
            return keys_key(game_id, key), answers_key(game_id, key)
        case RecordKey():
            return (record_key(game_id, key),)
        case Nonce():
            return ()
        case _:
            assert_never(key)


def lookup(game_id: str, key: RecordKey | MoveKey) -> Command:
    """The command that tells whether there is something under a key."""
    if isinstance(key, RecordKey):
        return ("GET", record_key(game_id, key))
    return ("HGET", keys_key(game_id, key), key.key_id)


def found(
    connection: Connection, game_id: str, key: RecordKey | MoveKey, answer: bytes | None
) -> Record:
    """What the answer to a lookup leads to, read on the same connection.

    Raises CorruptGameError.
    """
    if answer is None or isinstance(key, RecordKey):
        return answer
    entry = _ENTRY.fullmatch(answer)
    if entry is None:
        raise CorruptGameError("an idempotency key is damaged")
    count, end = map(int, entry.groups())
    if end <= key.now:
        return None
    (record,) = connection.execute(("HGET", answers_key(game_id, key), count % SLOTS))
    if record is None or not record.startswith(key.key_id):
        return KeyExpired()
    text: bytes = record.removeprefix(key.key_id)
    return text


def rewriting(game_id: str, key: RecordKey | MoveKey, answer: bytes) -> Command:
    """The command that writes what a lookup found once more, so that replicas can confirm it."""
    if isinstance(key, RecordKey):
        return ("SET", record_key(game_id, key), answer, "XX", "KEEPTTL")
    return ("HSET", keys_key(game_id, key), key.key_id, answer)
