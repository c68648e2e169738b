"""Every field of a view has the value that it is named for, and an event has no other fields."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import pytest

from engine import game as games
from engine.events import Body, CardDrawn, Event
from engine.fields import JsonObject
from engine.game import Game, Status
from engine.melds import Arrangement
from engine.options import GameOptions
from engine.round import Discarding, Drawing, Phase, Source
from engine.rules import Rules
from engine.seats import HumanSeat, Level, SeatKind
from engine.view import (
    Advice,
    OwnView,
    RoundView,
    SeatView,
    TurnView,
    View,
    advise,
    redacted,
    revealed,
    view,
)
from tests.builders import ANN, ai, card, hand, rank, rules, secret
from tests.docs.event_examples import EXAMPLES, round_of
from tests.referee.contract import EVENT_FIELDS

BEA = HumanSeat("Bea", away=True)
FREE = HumanSeat("Free", joined=False)
COMMITMENT = sha256(secret(6)).hexdigest()
DEADLINE = 1_800_000_000_000
HIDDEN_DRAWS = [(Source.STOCK, None), (Source.STOCK, 0)]
"""Draws of seat 1 or 5 that a viewer does not see; only seat 1 draws from the stock."""


def in_round_four(discarding: bool) -> Game:
    """Seat 0 is in its second turn of round 4 (sixes wild); seat 2 once took the 2D."""
    dealt = games.open_game(
        secret(6),
        GameOptions((ANN, ai("hard", "Bot"), BEA), rules(2), turn_seconds=30),
    ).game
    layout = replace(
        dealt.layout,
        number=4,
        dealer=2,
        hands=(
            hand("3C 4C 5C 9D 9H JK" + " KS" * discarding),
            hand("2S 4S 6S 8S TS QS"),
            hand("2D 3D 4D 7D 8D JK"),
        ),
        stock=hand("AC AD AH"),
        pile=(card("TC"), card("QD")),
        shown=(hand("KS") if discarding else (), (), hand("2D")),
        turns=3,
    )
    state = Discarding(layout, card("KS")) if discarding else Drawing(layout)
    return replace(dealt, seeded=True, round=state, totals=(12, 0, 31), deadline=DEADLINE)


def expected(you: OwnView | None, discarding: bool) -> View:
    return View(
        status=Status.PLAYING,
        seeded=True,
        commitment=COMMITMENT,
        rules=rules(2),
        turn_seconds=30,
        round=RoundView(number=4, hand_size=6, wild=rank("6"), dealer=2),
        turn=TurnView(
            seat=0,
            phase=Phase.DISCARD if discarding else Phase.DRAW,
            final=False,
            number=2,
            deadline=DEADLINE,
        ),
        went_out=None,
        stock_count=3,
        pile=(card("TC"), card("QD")),
        seats=(
            SeatView(
                seat=0,
                position="bottom",
                kind=SeatKind.HUMAN,
                name="Ann",
                level=None,
                joined=True,
                away=False,
                card_count=6 + discarding,
                total=12,
                hand=None,
                melds=None,
                shown=hand("KS") if discarding else (),
            ),
            SeatView(
                seat=1,
                position="left",
                kind=SeatKind.AI,
                name="Bot",
                level=Level.HARD,
                joined=True,
                away=False,
                card_count=6,
                total=0,
                hand=None,
                melds=None,
                shown=(),
            ),
            SeatView(
                seat=2,
                position="right",
                kind=SeatKind.HUMAN,
                name="Bea",
                level=None,
                joined=True,
                away=True,
                card_count=6,
                total=31,
                hand=None,
                melds=None,
                shown=hand("2D"),
            ),
        ),
        you=you,
        result=None,
    )


@pytest.mark.parametrize("discarding", [False, True])
def test_a_spectators_view_tells_exactly_what_everybody_may_know(discarding: bool) -> None:
    assert view(in_round_four(discarding), None) == expected(None, discarding)


def test_the_seat_to_draw_sees_its_hand_and_both_sources() -> None:
    own = OwnView(0, hand("3C 4C 5C 9D 9H JK"), None, (Source.STOCK, Source.DISCARD), ())
    assert view(in_round_four(discarding=False), 0) == expected(own, discarding=False)


def test_the_seat_to_discard_sees_what_it_drew_and_what_may_go() -> None:
    cards = hand("3C 4C 5C 9D 9H KS JK")
    own = OwnView(0, cards, card("KS"), (), cards)
    assert view(in_round_four(discarding=True), 0) == expected(own, discarding=True)


@pytest.mark.parametrize("discarding", [False, True])
def test_a_seat_that_is_not_to_move_sees_its_hand_and_no_moves(discarding: bool) -> None:
    own = OwnView(2, hand("2D 3D 4D 7D 8D JK"), None, (), ())
    assert view(in_round_four(discarding), 2) == expected(own, discarding)


def test_who_is_out_is_told_and_shows_its_melds_in_the_order_of_what_they_stand_for() -> None:
    game = in_round_four(discarding=False)
    layout = replace(
        game.layout, hands=(*game.layout.hands[:2], hand("2D 3D 4D 9C 9D JK")), out=2, finals_left=1
    )
    seen = view(replace(game, round=Drawing(layout)), 0)
    assert (seen.went_out, seen.turn is not None and seen.turn.final) == (2, True)
    assert [seat.hand is None for seat in seen.seats] == [True, True, False]
    melds = seen.seats[2].melds
    assert melds is not None
    assert [meld.cards for meld in melds] == [hand("2D 3D 4D"), hand("9C 9D JK")]


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_a_game_that_waits_for_humans_has_no_cards_to_show(seat: int | None) -> None:
    game = games.open_game(secret(6), GameOptions((ANN, FREE), turn_seconds=60)).game
    assert view(game, seat) == View(
        status=Status.WAITING,
        seeded=False,
        commitment=COMMITMENT,
        rules=Rules(),
        turn_seconds=60,
        round=None,
        turn=None,
        went_out=None,
        stock_count=None,
        pile=(),
        seats=tuple(
            SeatView(
                seat=number,
                position=position,
                kind=SeatKind.HUMAN,
                name=name,
                level=None,
                joined=number == 0,
                away=False,
                card_count=0,
                total=0,
                hand=None,
                melds=None,
                shown=(),
            )
            for number, position, name in ((0, "bottom", "Ann"), (1, "top", "Free"))
        ),
        you=None if seat is None else OwnView(seat, None, None, (), ()),
        result=None,
    )


def test_who_waits_for_others_has_nothing_to_arrange() -> None:
    game = games.open_game(secret(6), GameOptions((ANN, FREE))).game
    assert advise(view(game, 0)) == Advice(None, Arrangement((), (), 0), ())


def advice(codes: str, number: int) -> Advice:
    """What seat 0 is entry of a hand with the extra card."""
    game = in_round_four(discarding=True)
    hands = (hand(codes), *game.layout.hands[1:])
    layout = replace(game.layout, number=number, hands=hands)
    return advise(view(replace(game, round=Discarding(layout, hands[0][0])), 0))


def test_of_equal_discards_a_natural_is_advised_before_a_wild() -> None:
    given = advice("4C 4D 4H 4S 5D 5H", number=3)
    assert given.discard == card("4S")
    assert given.goes_out == tuple(dict.fromkeys(hand("4C 4D 4H 4S 5D 5H")))


def test_of_equal_discards_the_card_that_costs_more_is_advised() -> None:
    # In a game of low aces an ace costs one point.
    assert advice("AC AD AH AS 4C 4D 4H 4S", number=5).discard == card("4S")


@pytest.mark.parametrize(("body", "own"), EXAMPLES)
@pytest.mark.parametrize("seat", [None, 0, 1])
def test_an_event_is_told_by_its_own_fields_and_no_others(
    body: Body, own: JsonObject, seat: int | None
) -> None:
    shown = {"seq": 7, "at": "now", "type": body.type, "round": round_of(body), **own}
    hidden = isinstance(body, CardDrawn) and (body.source, seat) in HIDDEN_DRAWS
    assert set(own) == EVENT_FIELDS[body.type]
    event = Event(7, round_of(body), body)
    assert revealed(event, "now") == shown
    assert redacted(event, "now", seat) == (shown | {"card": None} if hidden else shown)
