"""The events that may differ between two games that differ only in hidden cards.

Some events reveal cards: a seat draws, discards, goes out, or is scored. Such an event may differ
between two instances if the cards that it reveals differ. Every other difference is a leak. A seat
with equal hands in both instances also sees the same, so its choices must be equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

Event = dict[str, Any]

_MAY_DIFFER = {
    "card_drawn": {"source", "card"},
    "card_discarded": {"card"},
    "went_out": {"hand", "melds"},
    "round_scored": {"seats"},
    "round_dealt": {"upcard"},
    "game_finished": {"winner", "tied", "totals", "secret"},
    "game_abandoned": {"secret"},
}
_SHUFFLES = ("stock_reshuffled", "round_dealt")
"""After these events the secret, which differs, decides the next cards."""


@dataclass(frozen=True)
class PermittedDifferences:
    """The rules of what may differ for one viewer.

    `equal_seats` are the seats with equal hands in both instances; `equal_draws` says whether they
    also draw equal cards. `first_round` is the number of the game's first round.
    """

    viewer: int | None
    equal_seats: frozenset[int]
    equal_draws: bool
    first_round: int = 1

    def violation(self, first: Sequence[Event], second: Sequence[Event]) -> str | None:
        """The first difference of two lists of events; None if that difference is permitted."""
        permitted = self
        for one, other in zip_longest(first, second):
            if one == other:
                permitted = permitted.after(one)
            elif permitted.allows(one, other):
                return None
            else:
                return f"{one} against {other}"
        return "no event differs"

    def after(self, event: Event) -> PermittedDifferences:
        """The rules after an event that was equal in both instances."""
        if event["type"] not in _SHUFFLES:
            return self
        own = frozenset() if self.viewer is None else frozenset({self.viewer})
        return replace(self, equal_seats=own, equal_draws=False)

    def allows(self, one: Event | None, other: Event | None) -> bool:
        """Whether two events may stand at the same place of the two lists."""
        if one is None or other is None or one["type"] != other["type"]:
            return self._takes_another_turn([event for event in (one, other) if event is not None])
        kind = one["type"]
        differing = {name for name in one | other if one.get(name) != other.get(name)}
        if kind == "round_dealt" and one["round"] == self.first_round:
            differing.discard("dealer")  # drawn from the secret with the first deal
        return differing <= _MAY_DIFFER.get(kind, set()) and self._reveals_difference(
            kind, one, other
        )

    def _reveals_difference(self, kind: str, one: Event, other: Event) -> bool:
        """Whether the event reveals cards that may differ."""
        match kind:
            case "card_drawn" if one["source"] == other["source"]:
                own = one["seat"] == self.viewer and one["source"] == "stock"
                return own and not self.equal_draws and None not in (one["card"], other["card"])
            case "card_drawn" | "card_discarded" | "went_out":
                return one["seat"] not in self.equal_seats
            case "round_scored":
                return all(one["seats"][seat] == other["seats"][seat] for seat in self.equal_seats)
            case _:
                return True

    def _takes_another_turn(self, events: list[Event]) -> bool:
        """Whether a seat whose hand may differ has made another choice in each instance.

        It goes out in one instance and not in the other; or it takes the upcard in one, and in the
        other it draws from the stock, which is first refilled.
        """
        for event in events:
            if event["type"] == "went_out":
                return event["seat"] not in self.equal_seats
        kinds = {event["type"] for event in events}
        return kinds == {"stock_reshuffled", "card_drawn"} and any(
            event.get("source") == "discard" and event["seat"] not in self.equal_seats
            for event in events
        )
