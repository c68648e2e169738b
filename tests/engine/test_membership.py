"""Humans who join, leave, are away and return, and the time they have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import game as games
from engine import membership, table
from engine.errors import (
    GameFinishedError,
    GameWaitingError,
    NotYourTurnError,
    SeatTakenError,
    SnapshotError,
)
from engine.events import Event
from engine.game import Game, Status, Step
from engine.options import GameOptions
from engine.players import STAND_IN_LEVEL
from engine.round import Source
from engine.rules import LAST_TURN
from engine.seats import AiSeat, HumanSeat, Seat
from engine.snapshot import dump, load
from engine.view import advise, view
from tests.builders import ANN, ai, secret

FREE = HumanSeat("Free", joined=False)
SECONDS = 30
MINUTE = 60_000


def types(events: tuple[Event, ...]) -> list[str]:
    return [event.body.type for event in events]


def opened(*seats: Seat, number: int = 1, turn_seconds: int | None = None) -> Step:
    return table.open_game(secret(number), GameOptions(seats, turn_seconds=turn_seconds))


def pair(number: int = 3, turn_seconds: int | None = SECONDS) -> Game:
    """Two humans with seat 0 to move."""
    bea = HumanSeat("Bea")
    step = games.open_game(
        secret(number), GameOptions((ANN, bea), first_dealer=1, turn_seconds=turn_seconds)
    )
    return table._with_automatic_turns(step, 0).game


def test_a_game_waits_until_every_human_has_joined() -> None:
    step = opened(ANN, FREE, ai(), FREE)
    assert types(step.events) == ["seat_joined"]
    assert (step.game.status, step.game.round) == (Status.WAITING, None)
    second = table.join(step.game, 3, "Cem")
    assert types(second.events) == ["seat_joined"]
    last = table.join(second.game, 1, "Bea")
    assert types(last.events)[:2] == ["seat_joined", "round_dealt"]
    assert last.game.status is Status.PLAYING
    assert [seat.name for seat in last.game.seats] == ["Ann", "Bea", "Bot", "Cem"]
    assert [event.round for event in last.events][:2] == [None, 1]


def test_a_waiting_game_shows_no_round_and_takes_no_move() -> None:
    game = opened(ANN, FREE).game
    seen = view(game, 0)
    assert (seen.round, seen.turn, seen.stock_count, seen.pile) == (None, None, None, ())
    assert seen.you is not None
    assert (seen.you.hand, seen.you.draws, seen.you.discards) == (None, (), ())
    assert advise(seen).arrangement.points == 0
    with pytest.raises(GameWaitingError):
        table.draw(game, 0, Source.STOCK)
    assert load(dump(game)) == game


def test_a_seat_is_joined_once() -> None:
    game = table.join(opened(ANN, FREE, FREE).game, 1, "Bea").game
    with pytest.raises(SeatTakenError):
        table.join(game, 1, "Eve")
    with pytest.raises(SeatTakenError):
        table.join(game, 0, "Eve")


def test_the_deal_does_not_depend_on_when_humans_join() -> None:
    waiting = opened(ANN, FREE).game
    joined = membership.join(waiting, 1, "Bea").game
    at_once = games.open_game(secret(1), GameOptions((ANN, HumanSeat("Bea")))).game
    assert joined.layout == at_once.layout


def test_an_ai_player_plays_on_for_a_human_who_left() -> None:
    game = pair()
    drawn = table.draw(game, 0, Source.STOCK).game
    step = table.leave(drawn, 0)
    assert types(step.events) == ["seat_left", "card_discarded"]
    assert step.game.seats[0] == AiSeat("Ann", STAND_IN_LEVEL)
    assert step.game.layout.seat == 1
    after = table.discard(
        table.draw(step.game, 1, Source.STOCK).game, 1, step.game.layout.hands[1][0]
    )
    assert after.game.layout.seat == 1


def test_leaving_out_of_turn_changes_no_card() -> None:
    game = pair()
    step = table.leave(game, 1)
    assert types(step.events) == ["seat_left"]
    assert step.game.layout == game.layout
    with pytest.raises(NotYourTurnError):
        table.draw(step.game, 1, Source.STOCK)


@pytest.mark.parametrize("seats", [(ANN, ai(), ai()), (ANN, FREE)])
def test_the_last_humans_leaving_ends_the_game_without_ai_turns(seats: tuple[Seat, ...]) -> None:
    game = opened(*seats).game
    step = table.leave(game, 0)
    assert types(step.events) == ["seat_left", "game_abandoned"]
    over = step.game
    assert (over.status, over.result, over.deadline) == (Status.FINISHED, None, None)
    assert view(over, None).turn is None
    assert load(dump(over)) == over
    for move in (
        lambda: table.leave(over, 1),
        lambda: table.draw(over, over.layout.seat, Source.STOCK),
    ):
        if over.round is not None:
            with pytest.raises(GameFinishedError):
                move()


def test_nobody_joins_a_game_that_is_over() -> None:
    over = table.leave(opened(ANN, FREE).game, 0).game
    with pytest.raises(GameFinishedError):
        table.join(over, 1, "Bea")


def test_a_human_may_leave_while_others_have_yet_to_join() -> None:
    game = table.join(opened(ANN, FREE, FREE).game, 1, "Bea").game
    step = table.leave(game, 0)
    assert types(step.events) == ["seat_left"]
    assert step.game.status is Status.WAITING
    begun = table.join(step.game, 2, "Cem")
    assert begun.game.status is Status.PLAYING


def test_no_bound_means_no_deadline() -> None:
    game = pair(turn_seconds=None)
    assert game.deadline is None
    assert table.apply_overdue_turns(game, 0, now=10**15) is None


def test_a_turns_time_begins_with_the_turn_and_not_with_the_draw() -> None:
    game = pair()
    assert game.deadline == SECONDS * 1000
    drawn = table.draw(game, 0, Source.STOCK, now=9000).game
    assert drawn.deadline == SECONDS * 1000
    done = table.discard(drawn, 0, drawn.layout.hand[-1], now=12_000).game
    assert done.layout.seat == 1
    assert done.deadline == 12_000 + SECONDS * 1000
    seen = view(done, 1).turn
    assert seen is not None
    assert seen.deadline == done.deadline


def test_a_turn_within_its_time_is_left_alone() -> None:
    game = pair()
    assert table.apply_overdue_turns(game, 0, now=SECONDS * 1000 - 1) is None
    assert table.apply_overdue_turns(game, 1, now=SECONDS * 1000 - 1) is None


def test_an_overdue_turn_is_played_and_its_seat_is_away() -> None:
    step = table.apply_overdue_turns(pair(), 1, now=MINUTE)
    assert step is not None
    assert types(step.events) == ["seat_away", "card_drawn", "card_discarded"]
    assert step.game.seats[0].away
    assert step.game.layout.seat == 1
    assert step.game.deadline == MINUTE + SECONDS * 1000
    assert view(step.game, None).seats[0].away


def test_what_is_left_of_an_overdue_turn_is_its_discard() -> None:
    drawn = table.draw(pair(), 0, Source.STOCK).game
    step = table.apply_overdue_turns(drawn, 1, now=MINUTE)
    assert step is not None
    assert types(step.events) == ["seat_away", "card_discarded"]


def test_turns_of_a_seat_that_is_away_run_at_once() -> None:
    step = table.apply_overdue_turns(pair(), 1, now=MINUTE)
    assert step is not None
    drawn = table.draw(step.game, 1, Source.STOCK, now=MINUTE).game
    after = table.discard(drawn, 1, drawn.layout.hand[-1], now=MINUTE)
    assert types(after.events)[:3] == ["card_discarded", "card_drawn", "card_discarded"]
    assert after.game.layout.seat == 1


def test_whoever_returns_moves_again_from_the_next_turn_on() -> None:
    away = table.apply_overdue_turns(pair(), 1, now=MINUTE)
    assert away is not None
    back = table.apply_overdue_turns(away.game, 0, now=MINUTE)
    assert back is not None
    assert types(back.events) == ["seat_returned"]
    assert not back.game.seats[0].away
    assert table.apply_overdue_turns(back.game, 0, now=MINUTE) is None
    drawn = table.draw(back.game, 1, Source.STOCK, now=MINUTE).game
    after = table.discard(drawn, 1, drawn.layout.hand[-1], now=MINUTE)
    assert after.game.layout.seat == 0


def test_whoever_comes_late_finds_one_turn_played_and_the_next_its_own() -> None:
    game = opened(ANN, ai(), ai(), turn_seconds=SECONDS).game
    step = table.apply_overdue_turns(game, 0, now=MINUTE)
    assert step is not None
    kinds = types(step.events)
    assert kinds[0] == "seat_away"
    assert "seat_returned" in kinds
    assert step.game.layout.seat == 0
    assert step.game.deadline == MINUTE + SECONDS * 1000
    assert not step.game.seats[0].away


def test_when_everybody_is_away_or_gone_the_game_plays_itself_to_its_end() -> None:
    away = table.apply_overdue_turns(pair(), 1, now=MINUTE)
    assert away is not None
    step = table.leave(away.game, 1, now=MINUTE)
    assert step.game.status is Status.FINISHED
    assert step.game.result is not None
    assert step.game.layout.turns <= 2 * (LAST_TURN + 1)


def test_nobody_returns_to_a_game_that_is_over() -> None:
    away = table.apply_overdue_turns(pair(), 1, now=MINUTE)
    assert away is not None
    over = table.leave(away.game, 1, now=MINUTE).game
    assert over.seats[0].away
    assert table.apply_overdue_turns(over, 0, now=MINUTE) is None
    assert load(dump(over)) == over


def test_bounded_turns_come_back_from_a_snapshot() -> None:
    away = table.apply_overdue_turns(pair(), 1, now=MINUTE)
    assert away is not None
    assert load(dump(away.game)) == away.game


def test_a_return_that_an_earlier_version_wrote_after_the_end_does_not_damage_the_game() -> None:
    away = table.apply_overdue_turns(pair(), 1, now=MINUTE)
    assert away is not None
    over = table.leave(away.game, 1, now=MINUTE).game
    returned = membership.mark_returned(over, 0).game
    assert returned.seq == over.seq + 1
    assert load(dump(returned)) == returned
    with pytest.raises(SnapshotError, match="the end of the game is its last event"):
        load(dump(replace(returned, seq=over.seq + 2)))
