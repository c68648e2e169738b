from __future__ import annotations

from typing import Any

import pytest

from engine import table
from engine.cards import Card
from engine.errors import MoveError
from engine.events import CardDiscarded, CardDrawn, GameFinished, RoundScored
from engine.game import Game, Source, Status
from engine.options import GameOptions
from engine.players import LEVELS
from engine.seats import Level, SeatKind
from engine.shuffle import Stream
from engine.view import View
from tests.builders import ai, default_table, rules, secret
from tests.scale import scaled

MOVES = (CardDrawn, CardDiscarded)


def human_to_move(game: Game) -> bool:
    return game.status is Status.FINISHED or game.seats[game.layout.seat].kind is SeatKind.HUMAN


def test_ai_turns_before_the_first_human_turn_are_played_at_once() -> None:
    starts = set()
    for number in range(20):
        step = table.open_game(secret(number), GameOptions(default_table()))
        assert human_to_move(step.game)
        drawn = [event.body for event in step.events if isinstance(event.body, CardDrawn)]
        assert [body.seat for body in drawn] == list(range(4 - len(drawn), 4))
        starts.add(len(drawn))
    assert starts == {0, 1, 2, 3}


def test_a_discard_is_followed_by_every_ai_turn_up_to_the_next_human_one() -> None:
    game = table.open_game(secret(1), GameOptions(default_table())).game
    step = table.draw(game, 0, Source.STOCK)
    moved = [type(event.body) for event in step.events if isinstance(event.body, MOVES)]
    assert moved == [CardDrawn]
    after = table.discard(step.game, 0, step.game.layout.hand[-1])
    assert human_to_move(after.game)
    moves = [event.body.seat for event in after.events if isinstance(event.body, CardDiscarded)]
    assert moves[:4] == [0, 1, 2, 3]
    seqs = [event.seq for event in after.events]
    assert seqs == list(range(step.game.seq + 1, step.game.seq + 1 + len(seqs)))


def test_a_refused_move_plays_no_ai_turn() -> None:
    game = table.open_game(secret(1), GameOptions(default_table())).game
    with pytest.raises(MoveError):
        table.discard(game, 0, game.layout.hand[0])


def test_a_table_of_ai_players_plays_a_whole_game_without_anybody() -> None:
    step = table.open_game(secret(2), GameOptions((ai(), ai(), ai()), rules(4, "both")))
    assert step.game.status is Status.FINISHED
    assert isinstance(step.events[-1].body, GameFinished)


def test_the_same_secret_and_moves_give_the_same_game() -> None:
    first, second = (table.open_game(secret(9), GameOptions((ai(),) * 4)) for _ in range(2))
    assert first == second


@pytest.mark.long
def test_four_medium_players_finish_their_games_without_a_stalled_round() -> None:
    for number in range(scaled(300)):
        step = table.open_game(secret(1000 + number), GameOptions((ai(),) * 4))
        assert step.game.status is Status.FINISHED
        rounds = [event.body for event in step.events if isinstance(event.body, RoundScored)]
        assert [each.stalled for each in rounds] == [False] * 11


@pytest.mark.parametrize("stretch", [(1, 1), (4, 6), (11, 11)])
def test_ai_players_of_every_level_play_a_short_game(stretch: tuple[int, int]) -> None:
    options = GameOptions(tuple(map(ai, Level)), rules(2, rounds=stretch), turn_solves=300)
    step = table.open_game(secret(5), options)
    assert (step.game.status, step.faults) == (Status.FINISHED, ())
    numbers = [event.round for event in step.events if isinstance(event.body, RoundScored)]
    assert numbers == list(range(stretch[0], stretch[1] + 1))


class Watching:
    """A player that notes what it is shown and plays as medium does."""

    def __init__(self) -> None:
        self.seen: list[View] = []
        self.budgets: set[int] = set()

    def choose_draw(self, seen: View, chance: Stream, budget: int) -> Source:
        self.seen.append(seen)
        self.budgets.add(budget)
        return LEVELS[Level.MEDIUM].choose_draw(seen, chance, budget)

    def choose_discard(self, seen: View, chance: Stream, budget: int) -> Card:
        self.seen.append(seen)
        self.budgets.add(budget)
        return LEVELS[Level.MEDIUM].choose_discard(seen, chance, budget)


class Failing:
    """A player that fails in one way."""

    def __init__(self, draw: object, discard: object) -> None:
        self._draw = draw
        self._discard = discard

    def choose_draw(self, seen: View, chance: Stream, budget: int) -> Source:
        return self._choose(self._draw)

    def choose_discard(self, seen: View, chance: Stream, budget: int) -> Card:
        return self._choose(self._discard)

    def _choose(self, choice: object) -> Any:
        if isinstance(choice, type) and issubclass(choice, BaseException):
            raise choice("the player broke")
        return choice


@pytest.mark.parametrize(
    ("draw", "discard"),
    [
        (RuntimeError, RecursionError),
        (None, None),
        ("stock", "7H"),
        (Source.STOCK, Card(52)),
        (ZeroDivisionError, Card(0)),
    ],
)
def test_a_player_that_fails_or_cheats_is_replaced_by_a_fallback_move(
    monkeypatch: pytest.MonkeyPatch, draw: object, discard: object
) -> None:
    monkeypatch.setitem(LEVELS, Level.EASY, Failing(draw, discard))
    step = table.open_game(secret(4), GameOptions((ai("easy"), ai("medium"), ai("easy"))))
    assert step.game.status is Status.FINISHED
    assert step.faults
    assert all("seat 0" in fault or "seat 2" in fault for fault in step.faults)
    seqs = [event.seq for event in step.events]
    assert seqs == list(range(1, len(seqs) + 1))


def test_players_that_do_right_leave_no_fault() -> None:
    levels = tuple(map(ai, Level))
    step = table.open_game(secret(4), GameOptions(levels))
    assert (step.game.status, step.faults) == (Status.FINISHED, ())


def test_ai_players_see_the_view_of_their_own_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    watching = Watching()
    monkeypatch.setitem(LEVELS, Level.EASY, watching)
    table.open_game(secret(3), GameOptions((ai("medium"), ai("easy")), turn_solves=77))
    assert watching.budgets == {77}
    assert watching.seen
    assert {seen.you.seat for seen in watching.seen if seen.you is not None} == {1}
    assert all(seen.you is not None for seen in watching.seen)
