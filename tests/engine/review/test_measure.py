"""What each possible move leaves: the expert takes the least, and luck is centred."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

from engine.cards import CARDS, Card, Rank
from engine.game import Game
from engine.players.expert import DRAW_CANDIDATES, best_discard, draw_solves
from engine.players.forced_moves import forced_draw
from engine.players.position import DiscardPosition, DrawPosition
from engine.review.measure import discard_values, draw_values
from engine.round import Drawing, Source
from engine.rules import TURN_SOLVES, WILD_CARDS, AceMode
from engine.solver.hands import packed
from engine.solver.kernel import KINDS
from engine.view import view
from tests.builders import card, hand
from tests.positions import BUDGETS, MODEST, choice, positions, turn_stream
from tests.scale import scaled

ALL_UNSEEN = bytes([2] * 52 + [0])
QUICK_KINDS = 12
"""Kinds of card that are unseen where every prospect is compared, which is slow in the source."""


def games_to(phase: type, count: int) -> Iterator[tuple[int, Game]]:
    """Numbered positions in which a seat must draw, or discard."""
    found = enumerate(islice(positions(), count))
    return ((number, game) for number, game in found if isinstance(game.round, phase))


def draw_position(game: Game, budget: int = 0) -> DrawPosition:
    """What the seat to move knows; for a large budget, as if it knew where most kinds are."""
    position = DrawPosition.of(view(game, game.layout.seat))
    if budget < TURN_SOLVES:
        return position
    few = [kind for kind in range(KINDS) if position.unseen[kind]][::4][:QUICK_KINDS]
    unseen = bytes(position.unseen[kind] if kind in few else 0 for kind in range(KINDS))
    parts = (position.hand, position.wild, position.aces, unseen, position.turn, position.final)
    return DrawPosition(*parts, position.upcard)


def final_draw(cards: str, upcard: str, *unseen: str) -> DrawPosition:
    """A final turn's draw, kings wild, when these cards are unseen."""
    counts = bytes(unseen.count(str(each)) for each in CARDS)
    return DrawPosition(hand(cards), Rank.KING, AceMode.LOW, counts, 1, True, card(upcard))


def test_in_a_final_turn_the_deadwood_is_the_measure() -> None:
    values = draw_values(final_draw("7H 8H QC", "2C", "9H", "9H", "4S", "3C"), TURN_SOLVES)
    assert values.upcard == 7 + 2 + 8
    assert values.stock == (0 + 0 + (7 + 8 + 4) + (7 + 8 + 3)) / 4
    assert [values.luck(card(code)) for code in ("9H", "4S", "3C")] == [9.25, -9.75, -8.75]


def test_a_discard_in_a_final_turn_leaves_its_deadwood() -> None:
    position = DiscardPosition(
        hand("7H 8H 9H KC"), Rank.KING, AceMode.LOW, ALL_UNSEEN, 1, True, card("KC")
    )
    values = {str(each): value for each, value in discard_values(position, TURN_SOLVES).items()}
    assert values == {"7H": 0, "8H": 0, "9H": 0, "KC": 0}
    bare = DiscardPosition(
        hand("2C 5H 9S QD"), Rank.KING, AceMode.LOW, ALL_UNSEEN, 1, True, card("QD")
    )
    values = {str(each): value for each, value in discard_values(bare, 0).items()}
    assert values == {"2C": 24, "5H": 21, "9S": 17, "QD": 16}


def test_luck_is_centred_on_the_unseen_cards_of_the_view() -> None:
    drawn = 0
    for number, game in games_to(Drawing, scaled(3000)):
        budget = BUDGETS[number % len(BUDGETS)]
        position = draw_position(game, budget)
        values = draw_values(position, budget)
        lucks = [
            count * values.luck(Card(kind)) for kind, count in enumerate(position.unseen) if count
        ]
        assert sum(lucks) == pytest.approx(0, abs=1e-8)
        drawn += any(lucks)
    assert drawn > scaled(1000)


def test_a_card_from_the_stock_leaves_the_least_prospect_of_the_discards_compared() -> None:
    for _, game in islice(games_to(Drawing, 10_000), scaled(150)):
        position = draw_position(game, TURN_SOLVES)
        if position.final:
            continue
        values, kernel, count = (
            draw_values(position, TURN_SOLVES),
            position.kernel,
            position.unseen_count,
        )
        stay = kernel.prospect(packed(position.hand), position.unseen) / count**3
        for kind in (kind for kind in range(KINDS) if position.unseen[kind]):
            full = (*position.hand, Card(kind))
            left = bytearray(position.unseen)
            left[kind] -= 1
            expected = min(stay, _least_prospect(position, full, bytes(left)))
            assert values.after[kind] / values.scale == pytest.approx(expected)


def _least_prospect(position: DrawPosition, full: tuple[Card, ...], unseen: bytes) -> float:
    """The least prospect after one of the three discards that leave the least points."""
    wilds, kernel = WILD_CARDS[position.wild], position.kernel
    least = kernel.least_after_discards(packed(full))
    naturals = sorted(
        {each for each in full if each not in wilds},
        key=lambda each: (least[each], -kernel.points[each], -each),
    )
    if not naturals or least[naturals[0]] == 0:
        return 0
    candidates = packed(tuple(naturals[:DRAW_CANDIDATES]))
    prospects = kernel.prospects(packed(full), candidates, unseen)
    return min(prospects[each] for each in candidates) / sum(unseen) ** 3


@pytest.mark.parametrize("budget", [TURN_SOLVES, MODEST, 200, 0])
def test_the_expert_draws_what_leaves_less(budget: int) -> None:
    free = 0
    for _, game in islice(
        games_to(Drawing, 10_000), scaled(100 if budget == TURN_SOLVES else 1000)
    ):
        position = DrawPosition.of(view(game, game.layout.seat))
        if forced_draw(position) is not None and not position.final:
            continue
        values = draw_values(position, budget)
        if abs(values.upcard - values.stock) > 1e-9:
            less = Source.DISCARD if values.upcard < values.stock else Source.STOCK
            assert choice(game, "expert", turn_stream(game), budget) == less.value
            free += 1
    assert free > scaled(40)


def test_the_expert_discards_what_leaves_least_of_what_it_compares() -> None:
    for _, game in islice(games_to(Drawing, 10_000), scaled(1000)):
        position = DrawPosition.of(view(game, game.layout.seat)).with_upcard
        if position.final or not position.natural_discard_costs:
            continue
        values = discard_values(position, MODEST)
        assert set(values) == set(position.hand)
        naturals = {each: values[each] for each in position.natural_discard_costs}
        assert values[best_discard(position, MODEST)] == min(naturals.values())


def test_a_budget_for_no_prospect_makes_points_the_measure() -> None:
    position = DiscardPosition(
        hand("2C 5H 9S QD"), Rank.KING, AceMode.LOW, ALL_UNSEEN, 1, False, card("QD")
    )
    points, prospects = discard_values(position, 0), discard_values(position, MODEST)
    assert list(points.values()) == [24, 21, 17, 16]
    assert all(0 < prospects[each] < points[each] for each in position.hand)


def test_an_upcard_that_is_discarded_again_leaves_the_hand_as_it_was() -> None:
    """By the points alone: the expert on a small budget judges the draw by them."""
    found = 0
    for _, game in islice(games_to(Drawing, 20_000), scaled(1500)):
        position = DrawPosition.of(view(game, game.layout.seat))
        assert draw_solves(position) > 200
        is_free = not position.final and forced_draw(position) is None
        if is_free and best_discard(position.with_upcard, 200) == position.upcard:
            assert draw_values(position, 200).upcard == position.points()
            found += 1
    assert found > scaled(30)


def test_a_hand_of_wilds_alone_leaves_nothing_whatever_it_draws() -> None:
    wilds = hand("KC KD KH")
    for upcard in ("KS", "JK", "4D"):
        position = DrawPosition(wilds, Rank.KING, AceMode.LOW, ALL_UNSEEN, 1, False, card(upcard))
        for budget in (TURN_SOLVES, MODEST):
            values = draw_values(position, budget)
            assert (values.upcard, values.stock) == (0, 0)
    full = DiscardPosition(
        hand("KC KD KH KS"), Rank.KING, AceMode.LOW, ALL_UNSEEN, 1, False, card("KS")
    )
    assert set(discard_values(full, TURN_SOLVES).values()) == {0.0}


@pytest.mark.parametrize("final", [False, True])
@pytest.mark.parametrize("budget", [TURN_SOLVES, 0])
def test_where_no_card_is_unseen_no_draw_from_the_stock_is_told_apart(
    budget: int, final: bool
) -> None:
    """Two seats, an empty stock, and every card that the other holds taken from the pile."""
    position = DrawPosition(
        hand("2C 5H 9S"), Rank.KING, AceMode.LOW, bytes(KINDS), 1, final, card("QD")
    )
    assert draw_values(position, budget).stock == 0
    one = bytes([1, *bytes(KINDS - 1)])
    draw_values(
        DrawPosition(position.hand, Rank.KING, AceMode.LOW, one, 1, final, card("QD")), budget
    )
