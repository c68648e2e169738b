"""The names of a game on the server; the hash tag keeps all of them in one slot of a cluster."""

from __future__ import annotations

_CHANNEL_END = "}:news"


def game_key(game_id: str) -> str:
    """The key of a game's state."""
    return f"{{g:{game_id}}}:game"


def events_key(game_id: str) -> str:
    """The key of a game's event log."""
    return f"{{g:{game_id}}}:events"


def channel_of(game_id: str) -> str:
    """The channel on which each change of a game is published."""
    return f"{{g:{game_id}{_CHANNEL_END}"


def game_of_channel(channel: bytes) -> str:
    """The id of the game that a channel belongs to."""
    return channel.decode().removeprefix("{g:").removesuffix(_CHANNEL_END)
