"""Where two games that differ only in hidden things may part.

Cards come to light by what happens: a seat draws, discards, goes out, is scored. Such an event may
differ between two worlds if what it lays open does; any other difference is a leak. A *settled*
seat holds the same in both worlds and is told the same, so whatever it does must be the same, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
_RENEWING = ("stock_reshuffled", "round_dealt")
"""After these the secret decides which cards come, so no draw is settled any more."""


@dataclass(frozen=True)
class Law:
    """For whom the worlds look alike: the viewer's seat, and the seats that are settled.

    `draws` says whether settled seats draw the same cards.
    """

    viewer: int | None
    settled: frozenset[int]
    draws: bool

    def violation(self, first: Sequence[Event], second: Sequence[Event]) -> str | None:
        """What is wrong with the place where two lists of events part; None if it is lawful."""
        law = self
        for one, other in zip_longest(first, second):
            if one == other:
                law = law.after(one)
            elif law.allows(one, other):
                return None
            else:
                return f"{one} against {other}"
        return "no event differs"

    def after(self, event: Event) -> Law:
        """The law from an event on that was the same in both worlds."""
        if event["type"] not in _RENEWING:
            return self
        own = frozenset() if self.viewer is None else frozenset({self.viewer})
        return Law(self.viewer, own, draws=False)

    def allows(self, one: Event | None, other: Event | None) -> bool:
        """Whether two events may stand at one place of the two worlds."""
        if one is None or other is None or one["type"] != other["type"]:
            return self._takes_another_turn([event for event in (one, other) if event is not None])
        kind = one["type"]
        differing = {name for name in one | other if one.get(name) != other.get(name)}
        if kind == "round_dealt" and one["round"] == 1:
            differing.discard("dealer")  # drawn from the secret with the first deal
        return differing <= _MAY_DIFFER.get(kind, set()) and self._opens(kind, one, other)

    def _opens(self, kind: str, one: Event, other: Event) -> bool:
        """Whether the event lays open what may differ."""
        match kind:
            case "card_drawn" if one["source"] == other["source"]:
                own = one["seat"] == self.viewer and one["source"] == "stock"
                return own and not self.draws and None not in (one["card"], other["card"])
            case "card_drawn" | "card_discarded" | "went_out":
                return one["seat"] not in self.settled
            case "round_scored":
                return all(one["seats"][seat] == other["seats"][seat] for seat in self.settled)
            case _:
                return True

    def _takes_another_turn(self, events: list[Event]) -> bool:
        """Whether events of two kinds follow from another choice, by a seat that is not settled.

        In one world it goes out and not in the other; or it takes the upcard where it draws from
        a stock that is made anew before.
        """
        for event in events:
            if event["type"] == "went_out":
                return event["seat"] not in self.settled
        kinds = {event["type"] for event in events}
        return kinds == {"stock_reshuffled", "card_drawn"} and any(
            event.get("source") == "discard" and event["seat"] not in self.settled
            for event in events
        )
