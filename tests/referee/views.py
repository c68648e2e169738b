"""Every field of a view against what the ledger knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.dealer import hand_size
from tests.oracle import (
    check_arrangement,
    going_out_discards,
    least_points,
    points_after_discard,
    sorted_hand,
)
from tests.referee.contract import (
    POSITIONS,
    SEAT_FIELDS,
    VIEW_FIELDS,
    VIEWER,
    YOU_FIELDS,
    View,
    check_distinct,
    check_fields,
    check_time,
    same,
    seats_of,
)
from tests.referee.ledger import Ledger


class ViewCheck:
    """Holds one view of seat 0 against the ledger."""

    def __init__(self, view: View, ledger: Ledger, options: Mapping[str, Any]) -> None:
        self.view, self.ledger, self.options = view, ledger, options
        self.is_finished = ledger.result is not None

    def check(self) -> None:
        """Assert that everything in the view is as the ledger has it, and that no more is there."""
        check_fields(self.view, VIEW_FIELDS, "the view")
        same(self.view["status"], "finished" if self.is_finished else "playing", "status")
        same(self.view["result"], self.ledger.result, "result")
        self._check_game()
        self._check_table()
        self._check_turn()
        for seat, shown in enumerate(self.view["seats"]):
            self._check_seat(seat, shown)
        same(len(self.view["seats"]), self.ledger.seats, "the number of seats")
        self._check_you(self.view["you"])

    def _check_game(self) -> None:
        seeded = self.options.get("seed") is not None
        same(self.view["seeded"], seeded, "seeded")
        same(self.view["commitment"], self.ledger.commitment, "commitment")
        hints = self.options.get("hints", True)
        rules = {"jokers": self.ledger.jokers, "aces": self.ledger.aces, "hints": hints}
        same(self.view["rules"], rules, "rules")
        for name in ("created_at", "updated_at", "expires_at"):
            check_time(self.view[name], name)

    def _check_table(self) -> None:
        ledger = self.ledger
        dealt = {
            "number": ledger.number,
            "hand_size": hand_size(ledger.number),
            "wild_rank": ledger.wild,
            "dealer": ledger.dealer,
        }
        same(self.view["round"], dealt, "round")
        same(self.view["stock_count"], ledger.stock, "stock_count")
        same(self.view["discard_count"], len(ledger.pile), "discard_count")
        same(self.view["discard_top"], ledger.pile[-1] if ledger.pile else None, "discard_top")

    def _check_turn(self) -> None:
        ledger, went_out = self.ledger, self.view["went_out"]
        if self.is_finished:
            same(self.view["turn"], None, "turn of a finished game")
            assert went_out in (None, ledger.out), f"went_out of a finished game is {went_out}"
            return
        same(went_out, ledger.out, "went_out")
        final = ledger.out is not None
        turn = {"seat": VIEWER, "phase": ledger.phase, "final": final, "deadline": None}
        same(self.view["turn"], turn, "turn: a human has to move, so it")
        same(self.view["turn"]["final"], final, "final")

    def _check_seat(self, seat: int, shown: dict[str, Any]) -> None:
        what = f"of seat {seat}"
        check_fields(shown, SEAT_FIELDS, f"the view {what}")
        player = seats_of(self.options)[seat]
        is_ai = player["kind"] == "ai"
        same(shown["seat"], seat, "the number of a seat")
        same(shown["position"], POSITIONS[self.ledger.seats][seat], f"position {what}")
        same(shown["kind"], player["kind"], f"kind {what}")
        same(shown["level"], player.get("level", "medium") if is_ai else None, f"level {what}")
        same(shown["name"], self._name(seat, shown["name"]), f"name {what}")
        if not is_ai:
            same(self.ledger.names[seat], shown["name"], f"the name with which came seat {seat}")
        same(shown["away"], False, f"away {what}")
        same(shown["card_count"], self.ledger.counts[seat], f"card_count {what}")
        same(shown["total"], self.ledger.totals[seat], f"total {what}")
        self._check_shown(seat, shown)

    def _name(self, seat: int, shown: Any) -> Any:
        """The name a seat must have; where nobody gave one, that of the first view."""
        return seats_of(self.options)[seat].get("name") or self.ledger.names.setdefault(seat, shown)

    def _check_shown(self, seat: int, shown: dict[str, Any]) -> None:
        event = None if self.is_finished or seat != self.ledger.out else self.ledger.shown
        for name in ("hand", "melds"):
            same(shown[name], event[name] if event else None, f"{name} shown of seat {seat}")

    def _check_you(self, you: dict[str, Any]) -> None:
        check_fields(you, YOU_FIELDS, "you")
        same(you["seat"], VIEWER, "the seat of you")
        if self.ledger.own is None:
            self.ledger.learn(you["hand"])
        same(you["hand"], sorted_hand(self.ledger.own or []), "the own hand")
        same(len(you["hand"]), self.ledger.counts[VIEWER], "the size of the own hand")
        same(you["drawn"], self.ledger.drawn, "drawn")
        self._check_legal(you)
        self._check_best(you["hand"], you["arrangement"])

    def _check_legal(self, you: dict[str, Any]) -> None:
        phase, ledger = self.ledger.phase, self.ledger
        discards = phase == "discard"
        check_fields(you["legal"], ["draw", "discard"], "legal")
        draws = ["stock", "discard"] if phase == "draw" else []
        check_distinct(you["legal"]["draw"], draws, "legal.draw")
        check_distinct(you["legal"]["discard"], you["hand"] if discards else [], "legal.discard")
        out = going_out_discards(you["hand"], ledger.wild, ledger.aces) if discards else set()
        check_distinct(you["can_go_out_with"], out, "can_go_out_with")

    def _check_best(self, hand: list[str], shown: dict[str, Any]) -> None:
        check_fields(shown, ["discard", "melds", "deadwood", "points"], "arrangement")
        wild, aces, discard = self.ledger.wild, self.ledger.aces, shown["discard"]
        kept = list(hand)
        if self.ledger.phase == "discard":
            after = points_after_discard(hand, wild, aces)
            assert discard in after, f"arrangement discards {discard} out of {hand}"
            kept.remove(discard)
            same(shown["points"], min(after.values()), f"the points of {hand} after a discard")
        else:
            same(discard, None, "the discard of an arrangement before a draw")
            same(shown["points"], least_points(hand, wild, aces), f"the points of {hand}")
        check_arrangement(kept, shown["melds"], shown["deadwood"], shown["points"], wild, aces)
