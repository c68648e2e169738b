"""The two lists of a replay, read side by side: what was done, and what happened because of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from engine.verify.comparison import first_difference, quoted
from engine.verify.replay import JsonObject

_CHOSEN = {"draw": ("source",), "discard": ("card", "go_out")}
"""What a player chooses in each kind of action; the rest of it follows."""
_TIME = "at"
"""The one field of an event that follows from nothing."""


class ContradictionError(Exception):
    """What a replay says against itself or the rules; the message says where and why."""


class Listing:
    """Reads the actions and events of a replay in order; `round` is the round they belong to."""

    def __init__(self, actions: Sequence[JsonObject], events: Sequence[JsonObject]) -> None:
        self._actions, self._events = actions, events
        self._actions_read = self._events_read = 0
        self.round: int | None = None

    @property
    def next_event(self) -> JsonObject:
        """The event to be read next; empty behind the last one."""
        return {} if self._is_at_last() else self._events[self._events_read]

    def _is_at_last(self) -> bool:
        return self._events_read == len(self._events)

    def require(self, kind: str) -> JsonObject:
        """The event to be read next, which must be of this type and have a time."""
        found, what = self.next_event, f"event {self._events_read + 1}"
        if self._is_at_last():
            self.fail(f"{what} should be {kind}, but there is none")
        if found.get("type") != kind:
            self.fail(f"{what} should be {kind}, but is {quoted(found.get('type'))}")
        if not isinstance(found.get(_TIME), str):
            self.fail(f"{what} ({kind}) has no time")
        return found

    def expect(self, kind: str, **fields: object) -> None:
        """Read the next event, which must be of this type with these fields and no other."""
        timeless = {name: value for name, value in self.require(kind).items() if name != _TIME}
        self._events_read += 1
        seq = self._events_read
        expected = {"seq": seq, "type": kind, "round": self.round, **fields}
        self._compare(f"event {seq} ({kind})", expected, timeless)

    def action(self, seat: int, kind: str) -> JsonObject:
        """Read the next action, which must be a seat's draw or discard."""
        if self._actions_read == len(self._actions):
            self.fail(f"seat {seat} should {kind}, but no action is left")
        action = self._actions[self._actions_read]
        self._actions_read += 1
        chosen = {name: action.get(name) for name in _CHOSEN[kind]}
        expected = {"type": kind, "seat": seat, "round": self.round, **chosen}
        self._compare("the action", expected, action)
        return action

    def _compare(self, what: str, expected: JsonObject, found: JsonObject) -> None:
        difference = first_difference(what, expected, found)
        if difference is not None:
            self.fail(difference)

    def expect_end(self) -> None:
        """Refuse actions and events that are left."""
        if self._actions_read < len(self._actions):
            self.fail("there are actions after the end")
        if not self._is_at_last():
            self.fail("there are events after the end")

    def fail(self, why: str) -> NoReturn:
        """Raise ContradictionError, saying where."""
        if self.round is None:
            raise ContradictionError(f"before the first deal: {why}")
        raise ContradictionError(f"round {self.round}, action {self._actions_read}: {why}")
