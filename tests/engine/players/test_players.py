"""What holds for every level of AI player."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product

import pytest

from engine.cards import JOKER_INDEX, Card, without
from engine.game import Game
from engine.players import LEVELS, anti_stall
from engine.players.position import DiscardPosition, DrawPosition, Position
from engine.round import Discarding, Drawing, Source
from engine.rules import MAX_HAND, TURN_SOLVES, AceMode, is_wild
from engine.rules import points as card_points
from engine.shuffle import pack
from engine.solver.arrangement import arrange
from engine.solver.hands import packed, points_after_discard
from engine.view import view
from tests.builders import card, secret
from tests.positions import MODEST, choice, positions, turn_stream
from tests.scale import scaled

DEEP = 8  # every such position is played with the whole budget
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
        tuple(sorted([*open_cards, *(hidden.pop() for _ in range(len(hand) - len(open_cards)))]))
        for open_cards, hand in zip(known, layout.hands, strict=True)
    )
    changed = replace(layout, hands=hands, stock=tuple(hidden))
    return replace(game, secret=secret(number), round=replace(game.round, layout=changed))


@pytest.mark.long
@each_level
def test_no_choice_depends_on_what_the_seat_may_not_know(level: str) -> None:
    differing = 0
    for number, game in enumerate(islice(positions(), scaled(2000))):
        other = hidden_changed(game, number)
        differing += other.layout != game.layout
        assert view(other, game.layout.seat).you == view(game, game.layout.seat).you
        budget = TURN_SOLVES if number % DEEP == 0 else MODEST
        chosen = choice(game, level, turn_stream(game), budget)
        assert choice(other, level, turn_stream(game), budget) == chosen
    assert differing > scaled(2000) * 0.9


@each_level
def test_every_choice_is_legal_whatever_the_budget(level: str) -> None:
    for number, game in enumerate(islice(positions(), 200)):
        own = view(game, game.layout.seat).you
        assert own is not None
        legal = {str(each) for each in own.discards} | {each.value for each in own.draws}
        assert choice(game, level, turn_stream(game), (0, 1, 60, 500)[number % 4]) in legal


@pytest.mark.long
@each_level
def test_no_level_discards_a_wild_or_fails_to_go_out(level: str) -> None:
    chosen = 0
    for game in islice(positions(), 600):
        position = Position.of(view(game, game.layout.seat))
        if isinstance(game.round, Drawing) or position.final:
            continue
        discarded = Card.parse(choice(game, level, turn_stream(game)))
        least = points_after_discard(position.hand, position.wild, position.aces)
        naturals = {each: cost for each, cost in least.items() if not is_wild(each, position.wild)}
        assert discarded in naturals or not naturals
        if 0 in naturals.values():
            assert least[discarded] == 0
            chosen += 1
    assert chosen > 5


@pytest.mark.long
@each_level
def test_every_level_counts_right_in_its_final_turn(level: str) -> None:
    finals = 0
    for game in positions():
        position = Position.of(view(game, game.layout.seat))
        if position.final and isinstance(game.round, Discarding):
            discarded = Card.parse(choice(game, level, turn_stream(game)))
            least = points_after_discard(position.hand, position.wild, position.aces)
            assert least[discarded] == min(least.values())
            finals += 1
        elif position.final:
            drawing = DrawPosition.of(view(game, game.layout.seat))
            assert choice(game, level, turn_stream(game)) == best_final_draw(drawing)
        if finals == 40:
            return


def best_final_draw(position: DrawPosition) -> str:
    """The better source for a final turn, every card that may be drawn counted."""

    def after(drawn: Card) -> int:
        hand = (*position.hand, drawn)
        return min(points_after_discard(hand, position.wild, position.aces).values())

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
        choice(game, "easy", turn_stream(game))
        for game in islice(positions(), 300)
        if isinstance(game.round, Drawing) and game.layout.out is None
    ]
    assert set(draws) == {"stock"}


def test_the_easy_player_discards_a_drawn_card_that_matches_nothing_else_the_dearest() -> None:
    drawn_discarded = 0
    for game, position in ordinary_discards(400):
        own = view(game, game.layout.seat).you
        assert own is not None
        loose = arrange(position.hand, position.wild, position.aces).deadwood
        naturals = [each for each in loose if not is_wild(each, position.wild)]
        discarded, drawn = Card.parse(choice(game, "easy", turn_stream(game))), own.drawn
        ranks = [each.rank for each in position.hand]
        if drawn in naturals and ranks.count(drawn.rank) == 1:
            assert discarded == drawn
            drawn_discarded += 1
        elif naturals:
            assert discarded in naturals
            assert cost(position, discarded) == max(cost(position, each) for each in naturals)
    assert drawn_discarded > 10


def test_the_hard_player_compares_the_two_discards_of_least_points_and_meld_worth() -> None:
    for game, position in ordinary_discards(400):
        if position.aces is not AceMode.LOW:
            continue
        least = points_after_discard(position.hand, position.wild, position.aces)
        price = {
            each: (left + meld_worth(position, each), -cost(position, each), -each)
            for each, left in least.items()
            if not is_wild(each, position.wild)
        }
        two = sorted(price, key=lambda each: price[each])[:2]
        prospects = [
            position.kernel.prospect(packed(without(position.hand, each)), position.unseen)
            for each in two
        ]
        assert choice(game, "hard", turn_stream(game)) == str(two[prospects.index(min(prospects))])
        assert choice(game, "hard", turn_stream(game), budget=0) == str(two[0])


def ordinary_discards(count: int) -> Iterator[tuple[Game, DiscardPosition]]:
    """Those of so many positions in which a discard is due and levels may differ."""
    for game in islice(positions(), count):
        if isinstance(game.round, Drawing):
            continue
        position = DiscardPosition.of(view(game, game.layout.seat))
        if position.final or anti_stall.applies(position):
            continue
        if min(position.natural_discard_costs.values(), default=0) > 0:
            yield game, position


def cost(position: Position, each: Card) -> int:
    return card_points(each, position.wild, position.aces)


def meld_worth(position: Position, own: Card) -> int:
    """How many unseen cards meld with a card and another natural of the hand, every pair tried."""
    others = [each for each in without(position.hand, own) if not is_wild(each, position.wild)]
    return sum(
        count * is_meld([other, own, Card(index)])
        for other in others
        for index, count in enumerate(position.unseen[:JOKER_INDEX])
    )


def is_meld(cards: list[Card]) -> bool:
    """Whether three naturals are a set, or a run in which an ace is low."""
    ranks = sorted(each // 4 for each in cards)
    a_set = ranks[0] == ranks[2]
    in_line = ranks == [ranks[0], ranks[0] + 1, ranks[0] + 2]
    return a_set or (in_line and len({each.suit for each in cards}) == 1)


def test_a_poor_budget_makes_the_expert_choose_like_medium() -> None:
    for game in islice(positions(), 200):
        if isinstance(game.round, Discarding):
            poor = choice(game, "expert", turn_stream(game), budget=0)
            assert poor == choice(game, "medium", turn_stream(game))


def test_a_prospect_is_what_the_best_of_three_cards_leaves() -> None:
    for game in islice(positions(), 12):
        position = Position.of(view(game, game.layout.seat))
        hand = position.hand[: min(5, len(position.hand) - 1)]
        unseen = bytes(min(1, count) for count in position.unseen[:12]) + bytes(41)
        after = position.kernel.least_after_turns(packed(hand))
        drawn = [after[index] for index, count in enumerate(unseen) if count]
        ways = sum(min(ways) for ways in product(drawn, repeat=3))
        assert position.kernel.prospect(packed(hand), unseen) == ways


def test_the_expert_compares_the_upcard_with_every_card_of_the_stock() -> None:
    compared = 0
    for game in positions():
        if isinstance(game.round, Discarding) or len(game.layout.hand) > 4:
            continue
        position = DrawPosition.of(view(game, game.layout.seat))
        if position.final or anti_stall.applies(position):
            continue
        if is_wild(position.upcard, position.wild):
            continue
        takes = upcard_worth(position) < stock_worth(position)
        chosen = choice(game, "expert", turn_stream(game), TURN_SOLVES)
        assert chosen == ("discard" if takes else "stock")
        compared += 1
        if compared == 12:
            return


def worth(position: Position, drawn: Card, unseen: bytes, candidates: int) -> Fraction:
    """The least prospect after drawing a card and one of the cheapest natural discards."""
    hand = (*position.hand, drawn)
    least = points_after_discard(hand, position.wild, position.aces)
    naturals = [each for each in least if not is_wild(each, position.wild)]
    ranked = sorted(naturals, key=lambda each: (least[each], -cost(position, each), -each))
    if not ranked or least[ranked[0]] == 0:
        return Fraction(0)
    scale = sum(unseen) ** 3
    return min(
        Fraction(position.kernel.prospect(packed(without(hand, each)), unseen), scale)
        for each in ranked[:candidates]
    )


def upcard_worth(position: DrawPosition) -> Fraction:
    """The least prospect after taking the upcard, every discard tried."""
    return worth(position, position.upcard, position.unseen, MAX_HAND)


def stock_worth(position: DrawPosition) -> Fraction:
    """The mean prospect after a draw from the stock, which at worst leaves what the hand has."""
    stay = Fraction(
        position.kernel.prospect(packed(position.hand), position.unseen),
        position.unseen_count**3,
    )
    total = Fraction(0)
    for index, count in enumerate(position.unseen):
        if count:
            left = bytearray(position.unseen)
            left[index] -= 1
            total += count * min(stay, worth(position, Card(index), bytes(left), 3))
    return total / position.unseen_count


def test_the_stronger_levels_keep_cards_that_may_become_melds() -> None:
    assert card("7H") != card("7S")
    differing = sum(
        choice(game, "expert", turn_stream(game)) != choice(game, "medium", turn_stream(game))
        for game in islice(positions(), 300)
    )
    assert differing > 20
