"""No level takes the upcard to discard an equal card in the same turn."""

from __future__ import annotations

import hashlib
import random
from itertools import islice

import pytest

import engine
from engine import game as games
from engine import table
from engine.cards import Card, Rank
from engine.events import CardDiscarded, CardDrawn, Event
from engine.game import Game
from engine.options import GameOptions
from engine.players import LEVELS, expert
from engine.players.position import DiscardPosition, DrawPosition
from engine.round import Drawing, Source
from engine.rules import (
    JOKER_CHOICES,
    MAX_HAND,
    MAX_SEATS,
    MIN_SEATS,
    TURN_SOLVES,
    AceMode,
    Rules,
    turn_solves,
)
from engine.view import view
from tests.builders import ai, card, hand
from tests.positions import MODEST, choice, positions, turn_stream
from tests.scale import scaled


def upcard_turns(events: tuple[Event, ...]) -> list[tuple[Card, Card]]:
    """The card taken and the card discarded, for each turn in which the upcard was taken."""
    turns = []
    taken: Card | None = None
    for event in events:
        match event.body:
            case CardDrawn(source=source, card=drawn):
                taken = drawn if source is Source.DISCARD else None
            case CardDiscarded(card=discarded) if taken is not None:
                turns.append((taken, discarded))
    return turns


@pytest.mark.long
@pytest.mark.parametrize("levels", [*([level] for level in LEVELS), list(LEVELS)])
def test_no_seat_takes_the_upcard_only_to_discard_it(levels: list[str]) -> None:
    turns = []
    for number in range(scaled(80)):
        options = random.Random(number)
        rules = Rules(options.choice(JOKER_CHOICES), options.choice(list(AceMode)))
        seats = [ai(options.choice(levels)) for _ in range(options.randint(MIN_SEATS, MAX_SEATS))]
        secret = hashlib.sha256(b"upcard %d" % number).digest()
        solves = turn_solves(engine.form)
        step = table.open_game(secret, GameOptions(tuple(seats), rules, turn_solves=solves))
        assert step.faults == ()
        turns += upcard_turns(step.events)
    assert [taken for taken, discarded in turns if taken == discarded] == []
    assert len(turns) > scaled(80)


@pytest.mark.long
@pytest.mark.parametrize("level", list(LEVELS))
def test_no_budget_makes_a_level_take_the_upcard_only_to_discard_it(level: str) -> None:
    taken = 0
    for number, game in enumerate(islice(positions(), scaled(2000))):
        if not isinstance(game.round, Drawing):
            continue
        budget = TURN_SOLVES if number % 16 == 0 else (MODEST, 200, 0)[number % 3]
        if choice(game, level, turn_stream(game), budget) == Source.DISCARD.value:
            upcard, after = game.layout.pile[-1], with_upcard(game)
            assert choice(after, level, turn_stream(after), budget) != str(upcard)
            taken += 1
    assert taken > scaled(2000) * (0.01 if level == "easy" else 0.05)


def with_upcard(game: Game) -> Game:
    return games.draw(game, game.layout.seat, Source.DISCARD).game


def test_a_draw_is_judged_in_the_position_that_taking_the_upcard_gives() -> None:
    for game in islice(positions(), 300):
        if isinstance(game.round, Drawing):
            seat = game.layout.seat
            expected = DiscardPosition.of(view(with_upcard(game), seat))
            assert DrawPosition.of(view(game, seat)).with_upcard == expected


def test_a_position_of_the_other_phase_is_refused() -> None:
    for game in islice(positions(), 20):
        wrong = DiscardPosition if isinstance(game.round, Drawing) else DrawPosition
        with pytest.raises(ValueError, match="only a seat that has"):
            wrong.of(view(game, game.layout.seat))


def test_the_default_budget_allows_the_expert_every_comparison_of_draws() -> None:
    largest = hand("AC AC AD AD AH AH AS AS 2C 2C 2D 2D 2H")
    position = DrawPosition(
        largest, Rank.KING, AceMode.LOW, bytes([1] * 53), turn=1, final=False, upcard=card("9H")
    )
    assert len(largest) == MAX_HAND - 1
    assert MODEST < expert.draw_solves(position) <= TURN_SOLVES
