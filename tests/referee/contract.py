"""The contract as data: the fields of each object, the patterns of texts, and assertions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from tests.dealer import ROUNDS, Event

VIEWER = 0  # the creator's seat, the only human one
FORMAT = 3  # the number of the view's shape in every ETag
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)")
REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
DIGEST = re.compile(r"[0-9a-f]{64}")
RANDOM_TEXT = 22  # characters that hold 128 random bits

POSITIONS: dict[int, list[str | None]] = {
    2: ["bottom", "top"],
    3: ["bottom", "left", "right"],
    4: ["bottom", "left", "top", "right"],
    5: [None] * 5,
    6: [None] * 6,
}
EVENT_FIELDS = {
    "seat_joined": {"seat", "name"},
    "seat_left": {"seat"},
    "seat_away": {"seat"},
    "seat_returned": {"seat"},
    "round_dealt": {"dealer", "hand_size", "wild_rank", "upcard"},
    "card_drawn": {"seat", "source", "card"},
    "card_discarded": {"seat", "card"},
    "stock_reshuffled": {"stock_count"},
    "went_out": {"seat", "hand", "melds"},
    "round_scored": {"went_out", "stalled", "seats"},
    "game_finished": {"winner", "tied", "totals", "secret"},
    "game_abandoned": {"secret"},
}
"""What an answer shows of each kind of event; written by hand, not taken from the engine."""
VIEW_FIELDS = {
    *("id", "version", "status", "seeded", "commitment", "rules", "round", "turn", "went_out"),
    *("stock_count", "discard_top", "discard_count", "seats", "you", "result", "turn_seconds"),
    *("rematch", "created_at", "updated_at", "expires_at"),
}
SEAT_FIELDS = {
    *("seat", "position", "kind", "name", "level", "joined", "away"),
    *("card_count", "shown", "total", "hand", "melds"),
}
YOU_FIELDS = {
    *("seat", "hand", "drawn", "upcard_points", "arrangement", "legal", "can_go_out_with"),
}
ROW_FIELDS = {"seat", "hand", "melds", "deadwood", "points", "total"}
REPLAY_FIELDS = {
    *("secret", "commitment", "rules", "seats", "first_dealer", "rematch_of", "actions", "events"),
}
REVIEW_FIELDS = {"seat", "accuracy", "loss", "luck", "rounds", "moves"}
REVIEW_ROUND_FIELDS = {"number", "points", "loss", "luck"}
REVIEW_MOVE_FIELDS = {"seq", "round", "type", "played", "best", "loss", "luck"}
PROBLEM_FIELDS = {"type", "title", "status", "detail", "code"}

View = dict[str, Any]


def check_equal(actual: object, expected: object, what: str) -> None:
    """Assert equality of value and type, so that true is not equal to 1."""
    alike = actual == expected and type(actual) is type(expected)
    assert alike, f"{what} should be {expected!r} but is {actual!r}"


def check_fields(thing: Any, names: Iterable[str], what: str) -> None:
    """Assert that an object has exactly these fields."""
    assert isinstance(thing, dict), f"{what} is no object: {thing!r}"
    missing, extra = set(names) - set(thing), set(thing) - set(names)
    assert not missing | extra, f"{what} lacks {sorted(missing)}, adds {sorted(extra)}"


def check_time(text: Any, what: str) -> None:
    """Assert RFC 3339 in UTC."""
    assert TIME.fullmatch(str(text)), f"{what} is no UTC time: {text!r}"


def check_distinct(cards: Sequence[str], expected: Collection[str], what: str) -> None:
    """Assert that exactly these cards are listed, each once, in any order."""
    listed = Counter(cards) == Counter(set(expected))
    assert listed, f"{what} should list {sorted(set(expected))} but lists {cards}"


def redacted(event: Event, viewer: int | None) -> Event:
    """An event as a seat, or a spectator, may see it."""
    hidden = event["type"] == "card_drawn" and event["source"] == "stock"
    return {**event, "card": None} if hidden and event["seat"] != viewer else event


def rounds_of(options: Mapping[str, Any]) -> dict[str, int]:
    """The first and the last round that a game with these options plays."""
    return {"first": 1, "last": ROUNDS} | options.get("rounds", {})


def seats_of(options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The options of each seat, with the default seats where none are given."""
    default = [{"kind": "human"}, {"kind": "ai"}, {"kind": "ai"}, {"kind": "ai"}]
    return list(options.get("seats") or default)
