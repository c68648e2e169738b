"""Every level chooses in recorded positions as it did when they were recorded."""

from __future__ import annotations

import pytest

from engine.players import LEVELS, anti_stall
from engine.players.position import Position
from engine.view import view
from tests.choices import FILE, POSITIONS, chosen_turn, recorded_games, recorded_positions
from tests.scale import scaled


@pytest.mark.long
@pytest.mark.parametrize("level", list(LEVELS))
def test_every_level_chooses_as_recorded(level: str) -> None:
    games = recorded_games()
    compared = 0
    for record in games[: scaled(len(games))]:
        for position in recorded_positions(record):
            assert level in position.turns, f"{level} is not in {FILE}: see tests/choices.py"
            turn = chosen_turn(position.game, level, position.budget)
            assert turn == position.turns[level], f"after {position.game.layout.turns} turns"
            compared += 1
    assert compared >= scaled(POSITIONS) * 0.8


def test_the_recorded_positions_hold_every_kind_of_turn() -> None:
    records = recorded_games()
    assert sum(len(record["positions"]) for record in records) == POSITIONS
    kinds = [
        Position.of(view(position.game, position.game.layout.seat))
        for record in records[: scaled(len(records))]
        for position in recorded_positions(record)
    ]
    assert sum(anti_stall.applies(position) for position in kinds) >= 10
    assert sum(position.final for position in kinds) >= 10
    assert {len(position.hand) for position in kinds} == set(range(3, 14))
