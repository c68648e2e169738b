"""What stands in the log of a game, for tests that read it from the store or write it there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from engine.fields import Reader, fields_of
from engine.rules import AceMode
from engine.view import revealed
from service.games.answers.bodies import timestamp
from service.games.stored.event_log import LoggedEvent, unpack


def logged(
    entries: Iterable[bytes], aces: AceMode = AceMode.LOW, after: int = 0
) -> list[dict[str, Any]]:
    """All that the entries after a seq say, what is for nobody included, as JSON."""
    return [everything(unpack(entry, seq, aces)) for seq, entry in enumerate(entries, after + 1)]


def everything(each: LoggedEvent) -> dict[str, Any]:
    """An event as JSON, with what is for nobody at its end."""
    body = each.event.body
    hidden = [field.name for field in fields_of(type(body)) if field.reader is Reader.NOBODY]
    readable = revealed(each.event, timestamp(each.at))
    return {**readable, **{name: getattr(body, name) for name in hidden}}


def older_entry(each: LoggedEvent) -> bytes:
    """The entry that an older version wrote for an event."""
    return orjson.dumps(everything(each))
