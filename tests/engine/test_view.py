from __future__ import annotations

import random
from dataclasses import fields, is_dataclass, replace
from itertools import islice

import pytest

from engine import game as games
from engine.cards import Card
from engine.game import Game, Source, Status
from engine.options import GameOptions
from engine.round import Discarding, Drawing, Finished
from engine.view import View, advise, position, redacted, revealed, view
from tests import oracle
from tests.builders import card, humans, rules, secret, write_cards
from tests.playout import Playout
from tests.positions import positions
from tests.scale import scaled


def opened_game(number: int = 1, seats: int = 4) -> Game:
    return games.open_game(secret(number), GameOptions(humans(seats), first_dealer=0)).game


def hidden_from(game: Game, seat: int | None, number: int) -> Game:
    """A game that differs only in what the seat may not know: other hands, stock, secret."""
    chance = random.Random(number)
    layout = game.layout
    hidden = [*layout.stock, *(c for s, h in enumerate(layout.hands) if s != seat for c in h)]
    chance.shuffle(hidden)
    hands = []
    for number_, hand in enumerate(layout.hands):
        if number_ == seat:
            hands.append(hand)
        else:
            hands.append(tuple(sorted(hidden.pop() for _ in hand)))
    changed = replace(layout, hands=tuple(hands), stock=tuple(hidden))
    return replace(game, round=replace(game.round, layout=changed))


def cards_in(value: object) -> list[Card]:
    """Every card that a value holds, however deep."""
    if isinstance(value, Card):
        return [value]
    if isinstance(value, tuple):
        return [one for each in value for one in cards_in(each)]
    if is_dataclass(value):
        return [one for name in fields(value) for one in cards_in(getattr(value, name.name))]
    return []


@pytest.mark.parametrize("seat", [None, 0, 1, 2, 3])
def test_games_that_differ_in_hidden_things_look_the_same(seat: int | None) -> None:
    playout = Playout(secret(3), rules(2), humans(4), random.Random(3), skill=0.9)
    for number, state in enumerate(playout.states()):
        if state.layout.out is None and not isinstance(state.round, Finished):
            if isinstance(state.round, Discarding) and state.layout.seat != seat:
                continue  # the drawn card of another seat must stay in its hand
            seen, other = view(state, seat), view(hidden_from(state, seat, number), seat)
            assert other == seen
            if seat is not None:
                assert advise(other) == advise(seen)


def test_a_spectator_sees_no_card_but_those_on_the_pile() -> None:
    game = games.draw(opened_game(), 1, Source.STOCK).game
    seen = view(game, None)
    assert seen.you is None
    assert cards_in(seen) == list(seen.pile)


def test_a_seat_sees_its_hand_and_the_card_it_drew() -> None:
    game = games.draw(opened_game(), 1, Source.STOCK).game
    own = view(game, 1).you
    assert own is not None
    assert isinstance(game.round, Discarding)
    assert (own.hand, own.drawn) == (game.layout.hands[1], game.round.drawn)
    other = view(game, 2).you
    assert other is not None
    assert (other.drawn, other.draws, other.discards) == (None, (), ())


def test_legal_moves_are_those_of_the_seat_to_move() -> None:
    game = opened_game()
    own = view(game, 1).you
    assert own is not None
    assert own.draws == (Source.STOCK, Source.DISCARD)
    drawn = view(games.draw(game, 1, Source.STOCK).game, 1).you
    assert drawn is not None
    assert drawn.draws == ()
    assert drawn.discards == tuple(sorted(set(drawn.hand)))


def test_the_view_tells_round_turn_counts_and_totals() -> None:
    seen = view(opened_game(), 0)
    assert (seen.round.number, seen.round.hand_size, seen.round.wild.code) == (1, 3, "3")
    assert seen.turn is not None
    assert (seen.turn.seat, seen.turn.phase.value, seen.turn.final) == (1, "draw", False)
    assert (seen.stock_count, len(seen.pile)) == (104 - 13, 1)
    assert [(seat.card_count, seat.total) for seat in seen.seats] == [(3, 0)] * 4


def states_where_out(final: bool) -> list[Game]:
    playout = Playout(secret(8), rules(), humans(3), random.Random(8), skill=1.0, no_declare=0.0)
    return [
        state
        for state in playout.states()
        if (state.layout.out is not None) == final and state.status is Status.PLAYING
    ]


def test_only_the_hand_that_went_out_is_shown_and_only_in_the_final_turns() -> None:
    for state in states_where_out(final=True):
        for seat in view(state, None).seats:
            if seat.seat == state.layout.out:
                assert seat.hand == state.layout.hands[seat.seat]
                assert seat.melds is not None
                melded = sorted(each for meld in seat.melds for each in meld.cards)
                assert tuple(melded) == seat.hand
            else:
                assert (seat.hand, seat.melds) == (None, None)
    for state in states_where_out(final=False):
        assert all(seat.hand is None for seat in view(state, None).seats)


def test_a_finished_game_shows_its_result_and_no_turn() -> None:
    playout = Playout(secret(8), rules(), humans(3), random.Random(8), skill=1.0)
    seen = view(list(playout.states())[-1], 0)
    assert (seen.status, seen.turn) == (Status.FINISHED, None)
    assert seen.result is not None
    assert all(seat.hand is None for seat in seen.seats)
    assert seen.round.number == 11


@pytest.mark.parametrize(
    ("seats", "positions"),
    [
        (2, ["bottom", "top"]),
        (3, ["bottom", "left", "right"]),
        (4, ["bottom", "left", "top", "right"]),
        (5, [None] * 5),
        (6, [None] * 6),
    ],
)
def test_seats_have_positions_at_tables_of_up_to_four(
    seats: int, positions: list[str | None]
) -> None:
    assert [position(seat, seats) for seat in range(seats)] == positions


def with_hand(codes: str, discarding: bool, upcard: str = "2C") -> View:
    """Seat 0's view of a round 3 (fives wild) in which it holds exactly these cards."""
    game = games.open_game(secret(1), GameOptions(humans(2), first_dealer=1)).game
    hand = tuple(sorted(map(Card.parse, codes.split())))
    hands = (hand, game.layout.hands[1])
    layout = replace(game.layout, number=3, hands=hands, pile=(card(upcard),))
    state = Discarding(layout, hand[0]) if discarding else Drawing(layout)
    return view(replace(game, round=state), 0)


def test_advice_names_the_best_discard_and_every_card_that_goes_out() -> None:
    advice = advise(with_hand("5D 7H 7S 8H 9H JK", discarding=True))
    assert advice.discard == card("7S")
    assert write_cards(advice.goes_out) == "7S"
    assert write_cards(advice.arrangement.melds[0].cards) == "7H 8H 9H 5D JK"


def test_advice_while_no_discard_is_due_arranges_the_whole_hand() -> None:
    advice = advise(with_hand("5D 7H 7S 8H 9H", discarding=False))
    assert (advice.discard, advice.goes_out) == (None, ())
    assert (advice.arrangement.points, write_cards(advice.arrangement.deadwood)) == (7, "7S")


def test_the_points_after_the_upcard_are_the_least_that_any_discard_leaves() -> None:
    checked = 0
    for game in islice(positions(), scaled(600)):
        for seat in range(len(game.seats)):
            advice = advise(view(game, seat))
            if not isinstance(game.round, Drawing) or seat != game.layout.seat:
                assert advice.upcard_points is None
                continue
            layout = game.layout
            hand = [str(each) for each in (*layout.hand, layout.pile[-1])]
            after = oracle.points_after_discard(hand, layout.wild.code, layout.aces.value)
            assert advice.upcard_points == min(after.values())
            checked += 1
    assert checked > scaled(200)


@pytest.mark.parametrize(
    ("codes", "upcard", "points"),
    [
        ("5D 7H 7S 8H 9H", "TH", 0),  # taken into the run, and the other seven goes
        ("7H 7S 8H 9H KC", "2D", 9),  # no use: what is left is what the best discard leaves
        ("7C 7D 7H 8S 9S", "KC", 17),  # the upcard itself is the best discard
    ],
)
def test_taking_the_upcard_leaves_the_points_of_the_best_discard(
    codes: str, upcard: str, points: int
) -> None:
    assert advise(with_hand(codes, discarding=False, upcard=upcard)).upcard_points == points
    assert advise(with_hand(codes, discarding=True, upcard=upcard)).upcard_points is None


def test_a_spectator_has_no_hand_to_be_advised_on() -> None:
    with pytest.raises(ValueError, match=r"^a spectator has no hand$"):
        advise(view(opened_game(), None))


def test_drawn_cards_are_visible_to_those_who_saw_them() -> None:
    game = opened_game()
    for source in Source:
        step = games.draw(game, 1, source)
        event = step.events[-1]
        drawn = str(event.body.card)
        own = redacted(event, "now", 1)
        assert own["card"] == drawn
        others = {**own, "card": None if source is Source.STOCK else drawn}
        assert [redacted(event, "now", seat) for seat in (None, 0, 2, 3)] == [others] * 4
        assert revealed(event, "now") == own


def test_whether_a_seat_was_ready_to_declare_is_nobodys_business() -> None:
    game = games.draw(opened_game(), 1, Source.DISCARD).game
    step = games.discard(game, 1, game.layout.hands[1][0], go_out=False)
    event = step.events[0]
    assert event.body.go_out is False
    assert set(redacted(event, "now", 1)) == set(revealed(event, "now")) == {
        "seq", "at", "type", "round", "seat", "card"
    }  # fmt: skip
