"""Faulty AI players: their turns are replaced; and correct players stay far below the limit."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engine import table
from engine.cards import Rank
from engine.game import Status
from engine.options import GameOptions
from engine.players import LEVELS
from engine.rules import AceMode
from engine.seats import Level
from engine.solver import hands
from engine.solver.hands import kernel, least_points, limited
from engine.solver.kernel import QUESTION_COST, BudgetExceededError, Meter
from service.store.models import AlreadyCommitted, Commit, Committed, Stale
from tests.builders import ai, hand, rules, secret
from tests.chaos.simulation import faulty_players
from tests.chaos.simulation.faulty_players import FAULTY_PLAYERS, LEVEL
from tests.chaos.simulation.faulty_store import ModelStore
from tests.player import create

ROOT = Path(__file__).parents[3]
HAND = hand("3C 4C 5C 9H 9S QD")


def test_every_turn_of_a_faulty_player_is_replaced_by_a_legal_one_and_logged_once() -> None:
    outcome = faulty_players.faulty_players(games=1, solves=50, rounds=1)
    assert outcome.violations == []
    turns = re.search(r"(\d+) faulty turns", outcome.summary)
    assert turns is not None
    assert int(turns[1]) >= 2 * len(FAULTY_PLAYERS)


def test_a_game_against_a_faulty_player_is_finished() -> None:
    played = faulty_players.play(FAULTY_PLAYERS[0], seed=7, solves=50)
    assert (played.turns > 40, played.violations) == (True, ())


class EverySecondCommitIsStale(ModelStore):
    """A store in which every second commit has a version conflict."""

    commits = 0

    def commit(self, commit: Commit) -> Committed | AlreadyCommitted | Stale:
        self.commits += 1
        return super().commit(commit) if self.commits % 2 else Stale(0)


def test_a_turn_that_is_computed_again_after_a_version_conflict_is_logged_once() -> None:
    options = {
        "seats": [{"kind": "human"}, {"kind": "ai", "level": LEVEL.value}],
        "seed": "22" * 32,
    }
    model = EverySecondCommitIsStale()
    with faulty_players.service_with_player(FAULTY_PLAYERS[0], model=model) as (client, log):
        human = create(client, options)
        for _ in range(4):
            human.turn()
    assert model.commits > len(model.journal)
    assert 4 <= len(log.lines) == len(set(log.lines))
    assert re.fullmatch(
        r"an AI player failed in game \S{22}, seat 1, round 1, turn \d+: \w+Error", log.lines[0]
    )


def test_a_player_whose_draw_failed_does_not_choose_the_discard_of_that_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    class Failing:
        def choose_draw(self, *_: Any) -> None:
            asked.append("draw")
            raise RuntimeError

        def choose_discard(self, *_: Any) -> None:
            asked.append("discard")

    monkeypatch.setitem(LEVELS, Level.EASY, Failing())
    step = table.open_game(secret(4), GameOptions((ai("easy"), ai("medium")), rules()))
    assert step.game.status is Status.FINISHED
    assert set(asked) == {"draw"}
    assert len(step.faults) == len(set(step.faults)) == len(asked)


def test_the_solver_raises_at_its_limit_and_at_every_call_after_it() -> None:
    with limited(3 * QUESTION_COST):
        assert [least_points(HAND, Rank.KING, AceMode.LOW) for _ in range(3)] == [28] * 3
        for wild in (Rank.KING, Rank.QUEEN):
            with pytest.raises(BudgetExceededError):
                least_points(HAND, wild, AceMode.LOW)
    assert least_points(HAND, Rank.KING, AceMode.LOW) == 28


def test_an_inner_limit_does_not_change_the_outer_one() -> None:
    with limited(100):
        outer = kernel(Rank.KING, AceMode.LOW)
        with limited(0), pytest.raises(BudgetExceededError):
            least_points(HAND, Rank.KING, AceMode.LOW)
        assert kernel(Rank.KING, AceMode.LOW) is outer
        assert least_points(HAND, Rank.KING, AceMode.LOW) == 28


@pytest.mark.parametrize("level", list(Level))
def test_players_within_their_budget_use_less_than_0_6_of_the_limit(
    monkeypatch: pytest.MonkeyPatch, level: str
) -> None:
    shares = []

    @contextmanager
    def watched(solves: int) -> Iterator[None]:
        meter = Meter(solves)
        monkeypatch.setattr(hands, "Meter", lambda _: meter)
        with limited(solves):
            yield
        shares.append(1 - meter.left / solves)

    monkeypatch.setattr(table, "limited", watched)
    for number, budget in enumerate((0, 100, 1_000)):
        seats = (ai(level),) * (2 + number)
        table.open_game(secret(number), GameOptions(seats, rules(4, "both"), turn_solves=budget))
    assert len(shares) > 300
    assert 0 < max(shares) < 0.6


def test_source_and_compiled_form_count_the_same_cost() -> None:
    program = (
        "from engine.solver.kernel import Meter\n"
        "from engine.solver.prospects import LookaheadKernel as F\n"
        "meter = Meter(10**6); k = F(5, 'both', meter); hand = bytes([1, 5, 9, 12, 12, 16, 52])\n"
        "unseen = bytes([2] * 40 + [0] * 12 + [1])\n"
        "for ask in (k.least, k.least_of_naturals, k.least_after_discards,\n"
        "            k.least_after_turns):\n"
        "    ask(hand); print(meter.left)\n"
        "k.least_after_draw(hand, 3); print(meter.left)\n"
        "k.draw_total(hand, unseen); print(meter.left)\n"
        "k.stock_is_worse(hand, unseen, 3, 10**6, 10**6); print(meter.left)\n"
    )
    counts = [
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={**os.environ, "ENGINE_FORM": form},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for form in ("source", "")
    ]
    assert counts[0] == counts[1]
    assert len(counts[0]) == 7 == len(set(counts[0]))
