"""The check of a view: every field must agree with what seat 0 knows of the game."""

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
    check_equal,
    check_fields,
    check_time,
    seats_of,
)
from tests.referee.known_game import KnownGame


class ViewCheck:
    """Compares one view of seat 0 with the known state of the game."""

    def __init__(self, view: View, known: KnownGame, options: Mapping[str, Any]) -> None:
        self.view, self.known, self.options = view, known, options
        self.is_finished = known.result is not None

    def check(self) -> None:
        """Assert that the view has exactly the known state, and no other field."""
        check_fields(self.view, VIEW_FIELDS, "the view")
        check_equal(self.view["status"], "finished" if self.is_finished else "playing", "status")
        check_equal(self.view["result"], self.known.result, "result")
        self._check_game()
        self._check_table()
        self._check_turn()
        for seat, shown in enumerate(self.view["seats"]):
            self._check_seat(seat, shown)
        check_equal(len(self.view["seats"]), self.known.seats, "the number of seats")
        self._check_you(self.view["you"])

    def _check_game(self) -> None:
        seeded = self.options.get("seed") is not None
        check_equal(self.view["seeded"], seeded, "seeded")
        check_equal(self.view["commitment"], self.known.commitment, "commitment")
        hints = self.options.get("hints", True)
        rules = {"jokers": self.known.jokers, "aces": self.known.aces, "hints": hints}
        rules["rounds"] = self.known.rounds
        check_equal(self.view["rules"], rules, "rules")
        check_equal(self.view["rematch"], None, "rematch")
        for name in ("created_at", "updated_at", "expires_at"):
            check_time(self.view[name], name)

    def _check_table(self) -> None:
        known = self.known
        dealt = {
            "number": known.number,
            "hand_size": hand_size(known.number),
            "wild_rank": known.wild,
            "dealer": known.dealer,
        }
        check_equal(self.view["round"], dealt, "round")
        check_equal(self.view["stock_count"], known.stock, "stock_count")
        check_equal(self.view["discard_count"], len(known.pile), "discard_count")
        check_equal(self.view["discard_top"], known.pile[-1] if known.pile else None, "discard_top")

    def _check_turn(self) -> None:
        known, went_out = self.known, self.view["went_out"]
        if self.is_finished:
            check_equal(self.view["turn"], None, "turn of a finished game")
            assert went_out in (None, known.out), f"went_out of a finished game is {went_out}"
            return
        check_equal(went_out, known.out, "went_out")
        final = known.out is not None
        turn = {"seat": VIEWER, "phase": known.phase, "final": final, "deadline": None}
        check_equal(self.view["turn"], turn, "turn: a human has to move, so it")
        check_equal(self.view["turn"]["final"], final, "final")

    def _check_seat(self, seat: int, shown: dict[str, Any]) -> None:
        what = f"of seat {seat}"
        check_fields(shown, SEAT_FIELDS, f"the view {what}")
        player = seats_of(self.options)[seat]
        is_ai = player["kind"] == "ai"
        check_equal(shown["seat"], seat, "the number of a seat")
        check_equal(shown["position"], POSITIONS[self.known.seats][seat], f"position {what}")
        check_equal(shown["kind"], player["kind"], f"kind {what}")
        check_equal(
            shown["level"], player.get("level", "medium") if is_ai else None, f"level {what}"
        )
        check_equal(shown["name"], self._name(seat, shown["name"]), f"name {what}")
        if not is_ai:
            check_equal(
                self.known.names[seat], shown["name"], f"the name with which seat {seat} joined"
            )
        check_equal(shown["joined"], True, f"joined {what}")
        check_equal(shown["away"], False, f"away {what}")
        taken = sorted_hand(self.known.taken_in_the_open[seat])
        check_equal(shown["shown"], taken, f"the cards shown {what}")
        check_equal(shown["card_count"], self.known.counts[seat], f"card_count {what}")
        check_equal(shown["total"], self.known.totals[seat], f"total {what}")
        self._check_shown(seat, shown)

    def _name(self, seat: int, shown: Any) -> Any:
        """The name a seat must have; where nobody gave one, that of the first view."""
        return seats_of(self.options)[seat].get("name") or self.known.names.setdefault(seat, shown)

    def _check_shown(self, seat: int, shown: dict[str, Any]) -> None:
        event = None if self.is_finished or seat != self.known.out else self.known.shown
        for name in ("hand", "melds"):
            check_equal(shown[name], event[name] if event else None, f"{name} shown of seat {seat}")

    def _check_you(self, you: dict[str, Any]) -> None:
        check_fields(you, YOU_FIELDS, "you")
        check_equal(you["seat"], VIEWER, "the seat of you")
        if self.known.own is None:
            self.known.learn(you["hand"])
        check_equal(you["hand"], sorted_hand(self.known.own or []), "the own hand")
        check_equal(len(you["hand"]), self.known.counts[VIEWER], "the size of the own hand")
        check_equal(you["drawn"], self.known.drawn, "drawn")
        check_equal(you["upcard_points"], self._upcard_points(you["hand"]), "upcard_points")
        self._check_legal(you)
        self._check_best(you["hand"], you["arrangement"])

    def _upcard_points(self, hand: list[str]) -> int | None:
        """The least points after the upcard and the best discard, each tried."""
        known = self.known
        if known.phase != "draw":
            return None
        return min(points_after_discard([*hand, known.pile[-1]], known.wild, known.aces).values())

    def _check_legal(self, you: dict[str, Any]) -> None:
        phase, known = self.known.phase, self.known
        discards = phase == "discard"
        check_fields(you["legal"], ["draw", "discard"], "legal")
        draws = ["stock", "discard"] if phase == "draw" else []
        check_distinct(you["legal"]["draw"], draws, "legal.draw")
        check_distinct(you["legal"]["discard"], you["hand"] if discards else [], "legal.discard")
        out = going_out_discards(you["hand"], known.wild, known.aces) if discards else set()
        check_distinct(you["can_go_out_with"], out, "can_go_out_with")

    def _check_best(self, hand: list[str], shown: dict[str, Any]) -> None:
        check_fields(shown, ["discard", "melds", "deadwood", "points"], "arrangement")
        wild, aces, discard = self.known.wild, self.known.aces, shown["discard"]
        remaining = list(hand)
        if self.known.phase == "discard":
            after = points_after_discard(hand, wild, aces)
            assert discard in after, f"arrangement discards {discard} out of {hand}"
            remaining.remove(discard)
            check_equal(
                shown["points"], min(after.values()), f"the points of {hand} after a discard"
            )
        else:
            check_equal(discard, None, "the discard of an arrangement before a draw")
            check_equal(shown["points"], least_points(hand, wild, aces), f"the points of {hand}")
        check_arrangement(remaining, shown["melds"], shown["deadwood"], shown["points"], wild, aces)
