from __future__ import annotations

from typing import Any

import pytest

from engine import players
from engine.errors import InvalidTableError
from engine.players import LEVELS
from engine.seats import MAX_NAME, AiSeat, HumanSeat, Level, Seat, has_joined, is_away


@pytest.mark.parametrize("name", ["", "x" * (MAX_NAME + 1), 7, None, True, ["Ann"], "Ann\ud83c"])
@pytest.mark.parametrize("seat", [HumanSeat, lambda name: AiSeat(name, Level.EASY)])
def test_a_seat_has_a_name(seat: Any, name: object) -> None:
    with pytest.raises(InvalidTableError, match="a name has"):
        seat(name)


@pytest.mark.parametrize("name", ["A", "x" * MAX_NAME, "Ann 安娜 🂡 “x”", "💚" * MAX_NAME])
def test_a_name_may_be_of_any_script(name: str) -> None:
    assert HumanSeat(name).name == AiSeat(name, Level.EASY).name == name


@pytest.mark.parametrize("level", ["hard", "best", None, 3])
def test_an_ai_seat_has_one_of_the_levels(level: Any) -> None:
    with pytest.raises(InvalidTableError, match="no such level"):
        AiSeat("Bot", level)


def test_every_level_has_a_player_in_the_same_order() -> None:
    missing = set(Level) - set(LEVELS)
    assert not missing, f"LEVELS in {players.__file__} has no player of {sorted(missing)}"
    assert list(LEVELS) == list(Level)


def test_a_human_is_away_only_after_having_joined() -> None:
    with pytest.raises(InvalidTableError, match="cannot be away"):
        HumanSeat("Ann", joined=False, away=True)


@pytest.mark.parametrize("flags", [{"joined": 1}, {"away": 0}, {"joined": None}, {"away": "no"}])
def test_whether_a_human_is_there_is_true_or_false(flags: dict[str, Any]) -> None:
    with pytest.raises(InvalidTableError, match="true or false"):
        HumanSeat("Ann", **flags)


@pytest.mark.parametrize(
    ("seat", "joined", "away"),
    [
        (HumanSeat("Ann"), True, False),
        (HumanSeat("Ann", joined=False), False, False),
        (HumanSeat("Ann", away=True), True, True),
        (AiSeat("Bot", Level.HARD), True, False),
    ],
)
def test_who_has_joined_and_who_is_away(seat: Seat, joined: bool, away: bool) -> None:
    assert (has_joined(seat), is_away(seat)) == (joined, away)
