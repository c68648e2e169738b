from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import MISSING, fields, replace

import pytest

from engine import game as games
from engine import round as rounds
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


@pytest.mark.parametrize("stretch", [(1, 1), (11, 11), (1, 4), (5, 6), (9, 11)])
def test_a_short_game_ends_exactly_after_its_last_round(stretch: tuple[int, int]) -> None:
    for number in range(4):
        chosen = rules(2, "both", stretch)
        playout = Playout(secret(number), chosen, humans(3), random.Random(number), skill=1.0)
        *_, over = playout.states()
        numbers = list(range(stretch[0], stretch[1] + 1))
        dealt = [event for event in playout.events if isinstance(event.body, RoundDealt)]
        assert [event.round for event in dealt] == numbers
        assert [event.body.hand_size for event in dealt] == [each + 2 for each in numbers]  # type: ignore[union-attr]
        first = over.first_dealer
        assert [event.body.dealer for event in dealt] == [  # type: ignore[union-attr]
            (first + place) % 3 for place in range(len(numbers))
        ]
        assert len(over.scored) == len(numbers)
        assert (over.status, playout.events[-1].round) == (Status.FINISHED, stretch[1])
        assert over.result == expected_result(over.totals)


def expected_result(totals: tuple[int, ...]) -> Result:
    lowest = [seat for seat, total in enumerate(totals) if total == min(totals)]
    if len(lowest) == 1:
        return Result(lowest[0], (), totals)
    return Result(None, tuple(lowest), totals)


def test_a_round_of_a_short_game_is_dealt_as_in_the_whole_one() -> None:
    whole = games.open_game(secret(1), GameOptions(humans(3))).game
    short = games.open_game(secret(1), GameOptions(humans(3), rules(rounds=(1, 2)))).game
    assert short.layout.all_cards() == whole.layout.all_cards()
    assert short.layout.hands == whole.layout.hands
    later = games.open_game(secret(1), GameOptions(humans(3), rules(rounds=(4, 5)))).game
    assert later.round == rounds.deal(secret(1), later.rules, 4, 3, whole.first_dealer)


def test_seats_can_tie_after_a_single_round() -> None:
    ties = set()
    for number in range(60):
        chosen = rules(4, rounds=(1, 1))
        *_, over = Playout(secret(number), chosen, humans(2), random.Random(number), 1.0).states()
        result = over.result or pytest.fail("the only round is over")
        assert result == expected_result(over.totals)
        ties.add(result.tied)
    assert ties == {(), (0, 1)}


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


def test_a_move_changes_the_round_and_the_seq_alone() -> None:
    """The game after a move is written by the places of its members, which `replace` is not."""
    opened = games.open_game(secret(1), GameOptions(humans(2), rules(2, "high", (3, 5)))).game
    before = replace(
        opened,
        seeded=True,
        first_dealer=1,
        totals=(7, 8),
        seq=41,
        scored=(9,),
        turn_seconds=60,
        turn_solves=123,
        deadline=456,
        abandoned=False,
    )
    defaults = {each.name: each.default for each in fields(Game) if each.default is not MISSING}
    same = {name for name, default in defaults.items() if getattr(before, name) == default}
    assert same == {"abandoned"}  # a game that is abandoned has no move
    assert before.round is not None
    abandoned = replace(before, abandoned=True)
    for game in (before, abandoned):
        moved = games._with_round(game, game.round, [SeatJoined(0, "Ann")])
        assert moved.game == replace(game, seq=42)
    after = games.draw(before, before.layout.seat, Source.STOCK)
    assert after.game == replace(before, round=after.game.round, seq=42)
