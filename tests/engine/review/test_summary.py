"""The review of a whole game: the expert's seat is perfect, and the sums are those of the moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from engine import table
from engine.errors import GameNotFinishedError, ReplayError
from engine.events import CardDiscarded, CardDrawn, Event, RoundDealt, RoundScored
from engine.game import Game, Status, Step
from engine.options import GameOptions
from engine.review.summary import review, total_loss, total_luck
from engine.round import Source
from engine.rules import TURN_SOLVES
from tests.builders import ANN, ai, card, humans, rules, secret
from tests.positions import MODEST
from tests.scale import scaled

Events = list[Event]


@cache
def played(number: int, solves: int = MODEST, levels: tuple[str, ...] = ("expert", "easy")) -> Step:
    """A whole game of AI players; a short one, for the large budget takes long in the source."""
    options = rules((0, 2, 4)[number % 3], ("low", "high", "both")[number % 3], (3, 5))
    seats = tuple(map(ai, levels))
    step = table.open_game(secret(number), GameOptions(seats, options, turn_solves=solves))
    assert step.game.status is Status.FINISHED
    assert step.faults == ()
    return step


@cache
def abandoned() -> Step:
    """A game that its human left in the second round, in the middle of a turn."""
    step = table.open_game(secret(1), GameOptions((ANN, ai("easy")), turn_solves=MODEST))
    while step.game.number != 2:
        drawn = table.draw(step.game, 0, Source.STOCK)
        discarded = table.discard(drawn.game, 0, drawn.game.layout.hand[-1])
        step = step.followed_by(drawn).followed_by(discarded)
    step = step.followed_by(table.draw(step.game, 0, Source.STOCK))
    return step.followed_by(table.leave(step.game, 0))


@pytest.mark.parametrize(
    ("solves", "games"), [(TURN_SOLVES, 20), (MODEST, 100), (200, 100), (0, 50)]
)
def test_an_experts_seat_loses_nothing(solves: int, games: int) -> None:
    for number in range(scaled(games)):
        step = played(number, solves)
        perfect = review(step.game, step.events, 0)
        assert perfect.accuracy == 100
        assert [move for move in perfect.moves if move.loss or move.played != move.best] == []
        assert sum(move.most for move in perfect.moves) > 0


def test_other_seats_lose_something() -> None:
    for number in range(scaled(30)):
        step = played(number)
        careless = review(step.game, step.events, 1)
        assert 0 < careless.accuracy < 100
        assert total_loss(careless.moves) > 0
        most = sum(move.most for move in careless.moves)
        assert careless.accuracy == round(100 - 100 * total_loss(careless.moves) / most, 2)


def test_each_move_of_the_seat_is_there_once_in_order() -> None:
    step = played(3)
    for seat in range(2):
        own = [
            (event.seq, event.round, body.source if isinstance(body, CardDrawn) else body.card)
            for event in step.events
            if isinstance(body := event.body, CardDrawn | CardDiscarded) and body.seat == seat
        ]
        reviewed = review(step.game, step.events, seat)
        assert [(move.seq, move.round, move.played) for move in reviewed.moves] == own
        by_round = [reviewed.of_round(number) for number in reviewed.points]
        assert tuple(move for moves in by_round for move in moves) == reviewed.moves


def test_a_round_has_the_points_that_it_was_scored_with() -> None:
    step = played(4)
    scored = [event.body for event in step.events if isinstance(event.body, RoundScored)]
    for seat in range(2):
        points = review(step.game, step.events, seat).points
        assert list(points) == [3, 4, 5]
        assert list(points.values()) == [body.seats[seat].points for body in scored]
        assert sum(body.seats[seat].points for body in scored) == step.game.totals[seat]


def test_luck_is_that_of_the_draws_from_the_stock() -> None:
    step = played(5)
    reviewed = review(step.game, step.events, 1)
    lucks = [move.luck for move in reviewed.moves]
    assert [move.played is Source.STOCK for move in reviewed.moves] == [
        luck is not None for luck in lucks
    ]
    assert total_luck(reviewed.moves) == sum(luck for luck in lucks if luck is not None)
    assert any(lucks)


def test_a_round_that_was_never_scored_has_no_points() -> None:
    step = abandoned()
    reviewed = review(step.game, step.events, 0)
    assert reviewed.points[1] is not None
    assert reviewed.points[2] is None
    assert [move.round for move in reviewed.moves][-1] == 2
    assert reviewed.moves[-1].played is Source.STOCK


def test_a_game_that_was_never_dealt_has_no_moves() -> None:
    seats = (ANN, replace(ANN, joined=False))
    step = table.open_game(secret(1), GameOptions(seats))
    step = step.followed_by(table.leave(step.game, 0))
    for seat in range(2):
        reviewed = review(step.game, step.events, seat)
        assert (reviewed.accuracy, reviewed.points, reviewed.moves) == (100, {}, ())


def test_a_game_that_is_played_has_no_review() -> None:
    step = table.open_game(secret(1), GameOptions(humans(2)))
    with pytest.raises(GameNotFinishedError):
        review(step.game, step.events, 0)


def first(events: Events, kind: type) -> int:
    return next(place for place, event in enumerate(events) if isinstance(event.body, kind))


def without(kind: type) -> Callable[[Events], Events]:
    """The log less its first event of a kind."""
    return lambda log: [*log[: first(log, kind)], *log[first(log, kind) + 1 :]]


def other(kind: type, **fields: object) -> Callable[[Events], Events]:
    """The log with other fields in its first event of a kind."""

    def change(events: Events) -> Events:
        place = first(events, kind)
        body = replace(events[place].body, **fields)  # type: ignore[arg-type]
        return [*events[:place], replace(events[place], body=body), *events[place + 1 :]]

    return change


def other_total(events: Events) -> Events:
    """The log with a total that is one off."""
    scored = events[first(events, RoundScored)].body
    assert isinstance(scored, RoundScored)
    seats = (replace(scored.seats[0], total=scored.seats[0].total + 1), *scored.seats[1:])
    return other(RoundScored, seats=seats)(events)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (without(CardDrawn), "an event repeats no move: WrongPhaseError"),
        (without(CardDiscarded), "an event repeats no move: NotYourTurnError"),
        (other(CardDrawn, card=card("JK")), "the events tell of another card drawn"),
        (other(CardDiscarded, card=card("JK")), "an event repeats no move: CardNotInHandError"),
        (other(CardDrawn, seat=5), "an event repeats no move: NotYourTurnError"),
        (other(RoundDealt, dealer=5), "the events tell of another deal"),
        (other(RoundDealt, upcard=card("JK")), "the events tell of another deal"),
        (other_total, "the events tell of other totals"),
        (lambda log: log[: first(log, RoundScored) - 1], "the events tell of another end"),
        (lambda log: [replace(log[0], round=9), *log[1:]], "the events tell of another round"),
        (lambda log: [*log, log[-4]], "an event repeats no move: GameFinishedError"),
    ],
)
def test_events_of_another_game_are_refused(change: Callable[[Events], Events], found: str) -> None:
    step = played(0, levels=("medium", "easy"))
    with pytest.raises(ReplayError, match=f"^{found}$"):
        review(step.game, change(list(step.events)), 0)


def test_events_of_a_game_that_never_began_are_refused() -> None:
    waiting = table.open_game(secret(1), GameOptions((ANN, replace(ANN, joined=False)))).game
    over: Game = replace(waiting, abandoned=True)
    dealt = played(0).events
    with pytest.raises(ReplayError, match="another round"):
        review(over, dealt, 0)
    with pytest.raises(ReplayError, match="GameWaitingError"):
        review(over, dealt[1:], 0)
