"""The least points of a hand by OR-tools CP-SAT: a model of the rules that does not list melds.

It counts, for every suit, the runs of each first place and length, and for every rank the sets.
A place of a run is filled by a natural or a wild; a set has three cards or more; what is in
neither is left over. Nothing is shared with the engine or with the tests' oracle.
"""

from __future__ import annotations

from typing import Any

from bench.peers import peer
from bench.solver.hands import Question

_SUITS = range(4)
_RANKS = range(1, 14)
_MOST_MELDS = 4
_SHORTEST = 3
_JOKER = 52


def least_points(question: Question) -> int:
    """The least points of a hand; raises MissingPeerError where CP-SAT is not installed."""
    cp_model = peer("ortools.sat.python.cp_model")
    table = _Table(cp_model.CpModel(), *question)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    status = solver.solve(table.model)
    assert status == cp_model.OPTIMAL, "leaving every card over is a solution"
    points: int = round(solver.objective_value)
    return points


class _Table:
    """The model of one hand."""

    def __init__(self, model: Any, wild: int, aces: str, hand: bytes) -> None:
        self.model = model
        self._hand = hand
        self._wild = wild
        low, high = aces in ("low", "both"), aces in ("high", "both")
        self._places = range(1 if low else 2, 15 if high else 14)
        self._ace = 1 if aces == "low" else 15
        self._wilds_spent: list[Any] = []
        self._in_runs = {
            (suit, place): model.new_int_var(0, 2, "") for suit in _SUITS for place in self._places
        }
        for suit in _SUITS:
            self._add_runs(suit)
        costs = [self._add_rank(rank) for rank in _RANKS if rank != wild]
        model.minimize(sum(costs) + self._add_wilds())

    def _add_runs(self, suit: int) -> None:
        filled: dict[int, list[Any]] = {place: [] for place in self._places}
        for first in self._places:
            for end in range(first + _SHORTEST, min(first + 13, self._places.stop) + 1):
                run = self.model.new_int_var(0, _MOST_MELDS, "")
                for place in range(first, end):
                    filled[place].append(run)
        for place, runs in filled.items():
            wilds = self.model.new_int_var(0, 12, "")
            self._wilds_spent.append(wilds)
            self.model.add(sum(runs) == self._in_runs[suit, place] + wilds)

    def _add_rank(self, rank: int) -> Any:
        """The sets of a rank; returns the points of its cards that are left over."""
        places = [place for place in self._places if (place - 1) % 13 + 1 == rank]
        in_sets, left = [], []
        for suit in _SUITS:
            held = self._hand.count(4 * (rank - 1) + suit)
            in_set = self.model.new_int_var(0, held, "")
            over = self.model.new_int_var(0, held, "")
            in_runs = sum(self._in_runs[suit, place] for place in places)
            self.model.add(in_set + in_runs + over == held)
            in_sets.append(in_set)
            left.append(over)
        self._add_sets(in_sets)
        return (self._ace if rank == 1 else min(rank, 10)) * sum(left)

    def _add_sets(self, naturals: list[Any]) -> None:
        sets = self.model.new_int_var(0, _MOST_MELDS, "")
        wilds = self.model.new_int_var(0, 12, "")
        self._wilds_spent.append(wilds)
        size = sum(naturals) + wilds
        self.model.add(size >= _SHORTEST * sets)
        self.model.add(size <= 14 * sets)

    def _add_wilds(self) -> Any:
        """The round's wild cards and the jokers; returns the points of those left over."""
        cards = sum(card != _JOKER and card // 4 == self._wild - 1 for card in self._hand)
        jokers = self._hand.count(_JOKER)
        cards_left = self.model.new_int_var(0, cards, "")
        jokers_left = self.model.new_int_var(0, jokers, "")
        for suit in _SUITS:
            if self._wild in self._places:
                self.model.add(self._in_runs[suit, self._wild] == 0)
            if self._wild == 1 and 14 in self._places:
                self.model.add(self._in_runs[suit, 14] == 0)
        self.model.add(sum(self._wilds_spent) + cards_left + jokers_left == cards + jokers)
        return 15 * cards_left + 20 * jokers_left
