"""The keys of a stored game: which there are, and which part of the game each holds."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import redis

PARTS = ("state", "meta", "events", "records")
_PART_OF = {
    "game": "state",
    "events": "events",
    "key": "records",
    "keys": "records",
    "answers": "records",
}
"""By the first word of a key behind the game's hash tag."""
_META_FIELD = "meta"
"""A field of the key that has the state."""
_COPIES_AT_ONCE = 1_000
_ID_BYTES = 16


def keys_of(client: redis.Redis, game_id: str) -> list[str]:
    """The names of a game's keys."""
    return [key.decode() for key in client.scan_iter(f"{{g:{game_id}}}:*", count=10_000)]


def bytes_of(client: redis.Redis, game_id: str) -> dict[str, int]:
    """The memory of a game in the store, by part, with all that the server adds."""
    sizes = dict.fromkeys(PARTS, 0)
    for key in keys_of(client, game_id):
        sizes[part_of(key)] += int(client.memory_usage(key, samples=0) or 0)
        if part_of(key) == "state":
            meta = int(client.hstrlen(key, _META_FIELD))
            sizes["state"] -= meta
            sizes["meta"] += meta
    return sizes


def part_of(key: str) -> str:
    """The part of the game that a key holds."""
    word = key.partition("}:")[2].partition(":")[0]
    if word not in _PART_OF:
        raise LookupError(f"{key}: give it a part in {__name__}")
    return _PART_OF[word]


def copy(client: redis.Redis, game_id: str, count: int) -> Iterator[int]:
    """Store copies of a game under new ids; yields how many each step has made."""
    keys = keys_of(client, game_id)
    for start in range(0, count, _COPIES_AT_ONCE):
        made = min(_COPIES_AT_ONCE, count - start)
        pipeline = client.pipeline(transaction=False)
        for _ in range(made):
            new_id = secrets.token_urlsafe(_ID_BYTES)
            for key in keys:
                pipeline.copy(key, key.replace(game_id, new_id))
        pipeline.execute()
        yield made
