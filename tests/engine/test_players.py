"""What holds for every level of AI player."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import islice

import pytest

from engine.cards import Card
from engine.game import Game
from engine.players import LEVELS
from engine.players.position import Position
from engine.round import Discarding, Drawing, Source
from engine.rules import is_wild
from engine.shuffle import pack
from engine.solver import points_after_discard
from engine.view import view
from tests.builders import card, secret
from tests.positions import choice, positions, words
from tests.scale import scaled

each_level = pytest.mark.parametrize("level", list(LEVELS))


def hidden_changed(game: Game, number: int) -> Game:
    """The game with all that the seat to move may not know dealt anew, and another secret.

    Cards that others took in the open, and the hand of the seat that is out, stay where they are.
    """
    layout = game.layout
    known = [
        hand if seat in (layout.seat, layout.out) else layout.shown[seat]
        for seat, hand in enumerate(layout.hands)
    ]
    hidden = list(pack(game.rules.jokers))
    for each in (*(held for hand in known for held in hand), *layout.pile):
        hidden.remove(each)
    random.Random(number).shuffle(hidden)
    hands = tuple(
        tuple(sorted([*kept, *(hidden.pop() for _ in range(len(hand) - len(kept)))]))
        for kept, hand in zip(known, layout.hands, strict=True)
    )
    changed = replace(layout, hands=hands, stock=tuple(hidden))
    return replace(game, secret=secret(number), round=replace(game.round, layout=changed))


@each_level
def test_no_choice_depends_on_what_the_seat_may_not_know(level: str) -> None:
    differing = 0
    for number, game in enumerate(islice(positions(), scaled(2000))):
        other = hidden_changed(game, number)
        differing += other.layout != game.layout
        assert view(other, game.layout.seat).you == view(game, game.layout.seat).you
        assert choice(other, level, words(game)) == choice(game, level, words(game))
    assert differing > scaled(2000) * 0.9


@each_level
def test_every_choice_is_legal_whatever_the_budget(level: str) -> None:
    for number, game in enumerate(islice(positions(), 200)):
        own = view(game, game.layout.seat).you
        assert own is not None
        legal = {str(each) for each in own.discards} | {each.value for each in own.draws}
        assert choice(game, level, words(game), (0, 1, 60, 500)[number % 4]) in legal


@each_level
def test_no_level_throws_a_wild_or_misses_to_go_out(level: str) -> None:
    chosen = 0
    for game in islice(positions(), 600):
        position = Position.of(view(game, game.layout.seat))
        if isinstance(game.round, Drawing) or position.final:
            continue
        thrown = Card.parse(choice(game, level, words(game)))
        least = points_after_discard(position.hand, position.wild, position.aces)
        naturals = {each: cost for each, cost in least.items() if not is_wild(each, position.wild)}
        assert thrown in naturals or not naturals
        if 0 in naturals.values():
            assert least[thrown] == 0
            chosen += 1
    assert chosen > 5


@each_level
def test_every_level_counts_right_in_its_final_turn(level: str) -> None:
    finals = 0
    for game in positions():
        position = Position.of(view(game, game.layout.seat))
        if position.final and isinstance(game.round, Discarding):
            thrown = Card.parse(choice(game, level, words(game)))
            least = points_after_discard(position.hand, position.wild, position.aces)
            assert least[thrown] == min(least.values())
            finals += 1
        elif position.final:
            assert choice(game, level, words(game)) == best_final_draw(position)
        if finals == 40:
            return


def best_final_draw(position: Position) -> str:
    """The better source for a final turn, every card that may be drawn counted."""

    def after(drawn: Card) -> int:
        hand = (*position.hand, drawn)
        return min(points_after_discard(hand, position.wild, position.aces).values())

    assert position.upcard is not None
    cards = [Card(index) for index, count in enumerate(position.unseen) for _ in range(count)]
    expected = sum(map(after, cards)) / len(cards)
    source = Source.DISCARD if after(position.upcard) < expected else Source.STOCK
    return source.value


def test_unseen_cards_are_the_pack_less_what_the_seat_can_place() -> None:
    for game in islice(positions(), 300):
        layout, seat = game.layout, game.layout.seat
        position = Position.of(view(game, seat))
        others = [
            held
            for number, hand in enumerate(layout.hands)
            if number != seat
            for held in (hand if number == layout.out else layout.shown[number])
        ]
        placed = [*layout.hands[seat], *layout.pile, *others]
        left = list(pack(game.rules.jokers))
        for each in placed:
            left.remove(each)
        assert list(position.unseen) == [left.count(Card(index)) for index in range(53)]


def test_only_the_seat_to_move_has_a_position() -> None:
    game = next(iter(positions()))
    with pytest.raises(ValueError, match="to move"):
        Position.of(view(game, None))


def test_the_easy_player_draws_from_the_stock_alone() -> None:
    draws = [
        choice(game, "easy", words(game))
        for game in islice(positions(), 300)
        if isinstance(game.round, Drawing) and game.layout.out is None
    ]
    assert set(draws) == {"stock"}


def test_a_poor_budget_makes_the_expert_choose_like_medium() -> None:
    for game in islice(positions(), 200):
        if isinstance(game.round, Discarding):
            poor = choice(game, "expert", words(game), budget=0)
            assert poor == choice(game, "medium", words(game))


def test_the_stronger_levels_keep_cards_that_may_become_melds() -> None:
    assert card("7H") != card("7S")
    differing = sum(
        choice(game, "expert", words(game)) != choice(game, "medium", words(game))
        for game in islice(positions(), 300)
    )
    assert differing > 20
