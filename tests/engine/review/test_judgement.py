"""One move judged beside the expert's, from the view of its seat alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest

from engine import game as games
from engine.cards import CARDS, Card
from engine.events import CardDiscarded, CardDrawn
from engine.game import Game, Status
from engine.options import GameOptions
from engine.players import LEVELS, STRONGEST_LEVEL
from engine.players.anti_stall import START_AFTER
from engine.players.forced_moves import anti_stall_discards, anti_stall_draws
from engine.players.position import DiscardPosition, DrawPosition
from engine.review.judgement import Judgement, judged_discard, judged_draw
from engine.review.measure import draw_values
from engine.review.repetition import Move
from engine.review.summary import reviewed_move
from engine.round import Discarding, Drawing, Layout, Source
from engine.rules import TURN_SOLVES
from engine.view import view
from tests.builders import card, hand, humans, rules, secret
from tests.chaos.access.positions import Position, with_other_hidden_cards
from tests.playout import Playout
from tests.positions import MODEST, positions, turn_stream
from tests.scale import scaled

_EXPERT = LEVELS[STRONGEST_LEVEL]


def judged(game: Game, move: Source | Card, budget: int = MODEST) -> Judgement[Source | Card]:
    """The judgement of a move of the seat to move."""
    seen, stream = view(game, game.layout.seat), turn_stream(game)
    if isinstance(move, Card):
        return judged_discard(seen, stream, budget, move)  # type: ignore[return-value]
    drawn = games.draw(game, game.layout.seat, move).game.round
    assert isinstance(drawn, Discarding)
    return judged_draw(seen, stream, budget, move, drawn.drawn)  # type: ignore[return-value]


def options(game: Game) -> list[Source | Card]:
    """The moves that the seat to move may make."""
    draws, discards = games.legal_moves(game, game.layout.seat)
    return [*draws, *discards]


def long_round(layout_of: Layout, cards: str, upcard: str) -> Layout:
    """The layout in the first turn in which the anti-stall rule applies, with these cards."""
    turns = START_AFTER * layout_of.seats
    seat = (layout_of.dealer + 1 + turns) % layout_of.seats
    hands = tuple(hand(cards) if each == seat else layout_of.hands[each] for each in range(2))
    return replace(layout_of, turns=turns, hands=hands, pile=(card(upcard),))


def with_layout(game: Game, cards: str, upcard: str) -> Game:
    """A game in which a seat with these cards is to draw in its 16th turn."""
    return replace(game, round=Drawing(long_round(game.layout, cards, upcard)))


def fresh() -> Game:
    """A game of two humans; threes are wild."""
    return games.open_game(secret(3), GameOptions(humans(2), rules())).game


def test_the_best_move_is_the_experts_and_loses_nothing() -> None:
    for game in islice(positions(), scaled(400)):
        seen = view(game, game.layout.seat)
        for move in options(game):
            judgement = judged(game, move)
            choose = _EXPERT.choose_draw if isinstance(move, Source) else _EXPERT.choose_discard
            assert judgement.best == choose(seen, turn_stream(game), MODEST)
            assert 0 <= judgement.loss <= judgement.most
            assert judgement.loss == 0 or move != judgement.best


def test_the_most_that_could_be_lost_is_what_the_worst_move_loses() -> None:
    lost = 0
    for game in islice(positions(), scaled(500)):
        judgements = [judged(game, move) for move in options(game)]
        (most,) = {judgement.most for judgement in judgements}
        assert max(judgement.loss for judgement in judgements) == most
        lost += most > 0
    assert lost > scaled(250)


def test_only_a_draw_from_the_stock_has_luck() -> None:
    for game in islice(positions(), scaled(500)):
        for move in options(game):
            has_luck = judged(game, move).luck is not None
            assert has_luck is (move is Source.STOCK)


def test_a_known_mistake_costs_what_it_leaves_more() -> None:
    """In a final turn, threes wild: the queen should go, which leaves 3 points less than the 7."""
    game = fresh()
    first = game.layout.seat
    hands = tuple(hand("4C 5C 7D QH") if seat == first else hand("8C 8D 8H") for seat in range(2))
    layout = replace(game.layout, hands=hands, out=1 - first, finals_left=1)
    final = replace(game, round=Discarding(layout, card("QH")))
    queen, seven = judged(final, card("QH")), judged(final, card("7D"))
    assert (str(queen.best), queen.loss, queen.most) == ("QH", 0, 6)
    assert (str(seven.best), seven.loss, seven.most) == ("QH", 3, 6)


@pytest.mark.parametrize("source", Source)
def test_a_draw_that_the_anti_stall_rule_decides_is_set_aside(source: Source) -> None:
    game = with_layout(fresh(), "5C 9D KH", "QS")
    assert anti_stall_draws(DrawPosition.of(view(game, game.layout.seat)))
    judgement = judged(game, source)
    assert (judgement.best, judgement.loss, judgement.most) == (Source.STOCK, 0, 0)
    assert (judgement.luck is None) is (source is Source.DISCARD)


@pytest.mark.parametrize(
    ("cards", "upcard", "best"),
    [("5C 9D KH", "3S", Source.DISCARD), ("5C 5D KH", "5S", Source.DISCARD)],
)
def test_a_wild_or_an_end_is_judged_in_a_long_round_too(
    cards: str, upcard: str, best: Source
) -> None:
    game = with_layout(fresh(), cards, upcard)
    assert not anti_stall_draws(DrawPosition.of(view(game, game.layout.seat)))
    judgement = judged(game, Source.STOCK, TURN_SOLVES)
    assert judgement.best is best
    assert judgement.loss == judgement.most > 0


def test_a_discard_that_the_anti_stall_rule_decides_is_set_aside() -> None:
    game = games.draw(with_layout(fresh(), "5C 9D KH", "QS"), fresh().layout.seat, Source.DISCARD)
    seen = view(game.game, game.game.layout.seat)
    assert anti_stall_discards(DiscardPosition.of(seen))
    for move in options(game.game):
        judgement = judged(game.game, move)
        assert judgement.best == _EXPERT.choose_discard(seen, turn_stream(game.game), MODEST)
        assert (judgement.loss, judgement.most, judgement.luck) == (0, 0, None)


def test_going_out_is_judged_in_a_long_round_too() -> None:
    game = games.draw(with_layout(fresh(), "5C 5D KH", "5S"), fresh().layout.seat, Source.DISCARD)
    judgement = judged(game.game, card("5C"))
    assert str(judgement.best) == "KH"
    assert judgement.loss > 0


def test_a_refilled_stock_is_judged_by_the_cards_that_are_then_unseen() -> None:
    game = fresh()
    layout = game.layout
    refill = replace(layout, stock=(), pile=(*layout.stock, *layout.pile))
    empty = replace(game, round=Drawing(refill))
    judgement = judged(empty, Source.STOCK)
    seen = view(empty, layout.seat)
    assert DrawPosition.of(seen).unseen_count == 3
    refilled = DrawPosition.of(seen._replace(pile=seen.pile[-1:]))
    drawn = games.draw(empty, layout.seat, Source.STOCK).game.round
    assert isinstance(drawn, Discarding)
    assert judgement.luck == draw_values(refilled, MODEST).luck(drawn.drawn)
    assert refilled.unseen[drawn.drawn] > 0


def states(number: int) -> Iterator[Position]:
    """Every state of a game of humans, with all events up to it."""
    rng = random.Random(number)
    options = rules(rng.choice((0, 2, 4)), rng.choice(("low", "high", "both")))
    playout = Playout(secret(number), options, humans(2 + number % 4), rng, skill=0.8)
    for game in playout.states():
        yield Position(game, tuple(playout.events))


def bodies(game: Game, rng: random.Random) -> list[CardDrawn | CardDiscarded]:
    """The moves of the seat to move; a draw from the stock gives some card that it cannot see."""
    seat = game.layout.seat
    if isinstance(game.round, Discarding):
        return [CardDiscarded(seat, card, rng.random() < 0.5) for card in set(game.layout.hand)]
    position = DrawPosition.of(view(game, seat))
    unseen = [card for card in CARDS if position.unseen[card]]
    drawn = CardDrawn(seat, Source.STOCK, rng.choice(unseen))
    return [drawn, CardDrawn(seat, Source.DISCARD, position.upcard)]


@pytest.mark.long
def test_no_card_that_the_seat_could_not_see_enters_a_judgement() -> None:
    """A move in two games that differ in the stock and in the other hands is reviewed alike."""
    rng, compared = random.Random(7), 0
    for number in range(scaled(20)):
        for position in states(number):
            if position.game.status is not Status.PLAYING or rng.random() > 0.1:
                continue
            budget = rng.choice((TURN_SOLVES, MODEST, 200, 0)) if rng.random() < 0.03 else 200
            game = replace(position.game, turn_solves=budget)
            hidden = with_other_hidden_cards(position, game.layout.seat, rng, ai_hands_equal=False)
            other = replace(game, round=hidden.game.round)
            assert other.layout.stock != game.layout.stock
            for body in bodies(game, rng):
                moves = (Move(each, 7, body) for each in (game, other))
                first, second = map(reviewed_move, moves)
                assert first == second
                compared += 1
    assert compared > scaled(1000)
