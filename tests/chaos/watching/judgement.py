"""What a viewer should have seen of a game, by the game's replay.

The rule is written anew from the contract: who draws from the stock sees the card, nobody else
does, and everything else is open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Any

from tests.chaos.watching.viewers import Seen, Viewer

Event = Mapping[str, Any]
Since = Callable[[Seen], float]
"""From when an event that was seen could have been seen (s since 1970)."""


def as_seen_by(seat: int | None, event: Event) -> Event:
    """An unredacted event as a seat, or a spectator (None), is to see it."""
    is_hidden = (event["type"], event.get("source")) == ("card_drawn", "stock")
    return {**event, "card": None} if is_hidden and event["seat"] != seat else event


def violations(viewer: Viewer, log: Sequence[Event]) -> Iterator[str]:
    """What is wrong with what a viewer saw of a finished game.

    Whoever has left saw the beginning, nothing after it left, and its token is refused.
    """
    for text in viewer.violations:
        yield f"{viewer.name}: {text}"
    left = next(
        (
            event["seq"]
            for event in log
            if event["type"] == "seat_left" and event["seat"] == viewer.seat
        ),
        None,
    )
    if viewer.is_refused is (left is None):
        yield f"{viewer.name}: its token {'was' if viewer.is_refused else 'was not'} refused"
    expected = [as_seen_by(viewer.seat, event) for event in log if event["seq"] >= viewer.first]
    if left is not None:
        expected = [event for event in expected if event["seq"] < left][: len(viewer.seen)]
    for wanted, seen in zip_longest(expected, viewer.seen):
        if seen is None or seen.event != wanted:
            yield f"{viewer.name} saw {seen and seen.event} instead of {wanted}"
            return


def lags(viewer: Viewer, since: Since | None = None) -> Iterator[float]:
    """How many seconds after it happened each event arrived that happened while it watched.

    With `since` they count from another moment than when it happened.
    """
    for seen in viewer.seen:
        happened = datetime.fromisoformat(seen.event["at"]).timestamp()
        if happened > viewer.began:
            yield seen.at - (happened if since is None else since(seen))
