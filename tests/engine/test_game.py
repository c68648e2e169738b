from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from engine import game as games
from engine.errors import GameFinishedError, NotYourTurnError, WrongPhaseError
from engine.events import GameFinished, RoundDealt, RoundScored, SeatJoined, WentOut
from engine.game import Game, Result, Source, Status
from engine.options import GameOptions
from tests.builders import ANN, ai, card, humans, rules, secret
from tests.playout import Playout


@pytest.fixture(scope="module")
def played() -> Playout:
    playout = Playout(secret(5), rules(2), humans(3), random.Random(5), skill=1.0, no_declare=0.0)
    playout.last = list(playout.states())[-1]  # type: ignore[attr-defined]
    return playout


def last(playout: Playout) -> Game:
    game = playout.last  # type: ignore[attr-defined]
    assert isinstance(game, Game)
    return game


def of_type(playout: Playout, kind: type) -> list[object]:
    return [event.body for event in playout.events if isinstance(event.body, kind)]


def test_a_new_game_tells_who_joined_and_what_was_dealt() -> None:
    step = games.open_game(secret(1), GameOptions((ANN, ai())))
    joined, dealt = step.events
    assert (joined.seq, joined.round, joined.body) == (1, None, SeatJoined(0, "Ann"))
    assert (dealt.seq, dealt.round) == (2, 1)
    assert isinstance(dealt.body, RoundDealt)
    assert dealt.body.dealer == step.game.first_dealer
    assert step.game.status is Status.PLAYING
    assert step.game.result is None


def test_the_first_dealer_may_be_given() -> None:
    assert games.open_game(secret(1), GameOptions(humans(4), first_dealer=3)).game.first_dealer == 3


def test_eleven_rounds_are_dealt_by_one_seat_after_the_other(played: Playout) -> None:
    dealt = of_type(played, RoundDealt)
    first = last(played).first_dealer
    assert [body.dealer for body in dealt] == [(first + r) % 3 for r in range(11)]  # type: ignore[attr-defined]
    assert [body.hand_size for body in dealt] == list(range(3, 14))  # type: ignore[attr-defined]


def test_each_round_adds_to_the_totals_and_the_lowest_wins(played: Playout) -> None:
    totals = [0, 0, 0]
    for scored in of_type(played, RoundScored):
        assert isinstance(scored, RoundScored)
        for score in scored.seats:
            totals[score.seat] += score.points
            assert score.total == totals[score.seat]
    game = last(played)
    assert list(game.totals) == totals
    finished = played.events[-1].body
    assert isinstance(finished, GameFinished)
    assert finished.totals == game.totals
    assert finished.secret == game.secret
    result = game.result
    assert result is not None
    assert result.winner == totals.index(min(totals))


def test_who_goes_out_scores_nothing_and_shows_the_hand(played: Playout) -> None:
    shown = of_type(played, WentOut)
    scored = of_type(played, RoundScored)
    assert len(shown) == len(scored) == 11
    for out, round_over in zip(shown, scored, strict=True):
        assert isinstance(out, WentOut)
        assert isinstance(round_over, RoundScored)
        score = round_over.seats[out.seat]
        assert (round_over.went_out, score.points) == (out.seat, 0)
        assert (score.hand, score.melds) == (out.hand, out.melds)


def test_scored_names_the_events_of_the_rounds_that_are_over(played: Playout) -> None:
    named = [played.events[seq - 1].body for seq in last(played).scored]
    assert named == of_type(played, RoundScored)


@pytest.mark.parametrize(
    ("totals", "result"),
    [
        ((30, 20, 25), Result(1, (), (30, 20, 25))),
        ((20, 20, 25), Result(None, (0, 1), (20, 20, 25))),
        ((9, 9, 9), Result(None, (0, 1, 2), (9, 9, 9))),
    ],
)
def test_seats_that_share_the_lowest_total_tie(
    played: Playout, totals: tuple[int, ...], result: Result
) -> None:
    game = last(played)
    changed = Game(**{**fields_of(game), "totals": totals})
    assert changed.result == result


def fields_of(game: Game) -> dict[str, object]:
    return {name: getattr(game, name) for name in Game.__slots__}


def test_a_seat_out_of_turn_is_told_whose_turn_it_is() -> None:
    game = games.open_game(secret(1), GameOptions(humans(3), first_dealer=0)).game
    with pytest.raises(NotYourTurnError) as caught:
        games.draw(game, 2, Source.STOCK)
    assert (caught.value.seat, caught.value.expected) == (2, 1)


def test_a_move_in_the_wrong_phase_is_told_which_is_due() -> None:
    game = games.open_game(secret(1), GameOptions(humans(3), first_dealer=0)).game
    with pytest.raises(WrongPhaseError) as caught:
        games.discard(game, 1, card("2C"))
    assert caught.value.expected == "draw"
    drawn = games.draw(game, 1, Source.STOCK).game
    with pytest.raises(WrongPhaseError) as caught:
        games.draw(drawn, 1, Source.STOCK)
    assert caught.value.expected == "discard"


@pytest.mark.parametrize(
    "move",
    [
        lambda game: games.draw(game, 0, Source.STOCK),
        lambda game: games.discard(game, 0, card("2C")),
    ],
)
def test_a_game_that_is_over_takes_no_move(played: Playout, move: Callable[[Game], object]) -> None:
    with pytest.raises(GameFinishedError):
        move(last(played))
    assert games.legal_moves(last(played), 0) == ((), ())
