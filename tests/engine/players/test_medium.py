from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from engine import game as games
from engine import table
from engine.cards import JOKER, parse_cards
from engine.events import RoundScored
from engine.players import LEVELS
from engine.players.anti_stall import START_AFTER
from engine.round import Discarding, Drawing, Source
from engine.rules import wild_rank
from engine.shuffle import Stream, choice_stream
from engine.view import View, view
from tests.builders import ai, card, hand, humans, rules, secret

MEDIUM = LEVELS["medium"]


def stream(number: int = 1) -> Stream:
    return choice_stream(secret(number), 1, 0, 1)


def seen(
    codes: str, upcard: str = "KD", *, number: int = 1, final: bool = False, turns: int = 0
) -> View:
    """Seat 0's view with this hand; it has drawn if it holds a card more than the round deals."""
    game = games.open_game(secret(1), rules(4), humans(2), first_dealer=1).game
    cards = hand(codes)
    layout = replace(
        game.layout,
        number=number,
        hands=(cards, game.layout.hands[1]),
        pile=parse_cards(upcard),
        turns=turns,
        out=1 if final else None,
        finals_left=1 if final else 0,
    )
    drawing = len(cards) == number + 2
    state = Drawing(layout) if drawing else Discarding(layout, cards[0])
    return view(replace(game, round=state), 0)


@pytest.mark.parametrize(
    ("codes", "upcard", "source"),
    [
        ("7H 7S KD", "7C", Source.DISCARD),  # a set
        ("7H 8H KD", "9H", Source.DISCARD),  # a run
        ("7H KS KD", "QC", Source.STOCK),  # a ten for a ten
        ("7H KS QD", "2C", Source.DISCARD),  # two points instead of ten
        ("2H 2S 4D", "9C", Source.STOCK),
        ("2H 2S 4D", "3C", Source.DISCARD),  # wild
        ("7H 7S 7C", "3H", Source.DISCARD),  # wild, though the hand is complete
        ("7H 7S 7C", "2H", Source.STOCK),
        ("3C 5D 6H", "9S", Source.STOCK),  # it would help only if the wild went
        ("3C 3D JK", "3H", Source.STOCK),  # a wild would go for it
    ],
)
def test_the_upcard_is_taken_if_wild_or_if_its_discard_strictly_lowers_the_deadwood(
    codes: str, upcard: str, source: Source
) -> None:
    assert MEDIUM.choose_draw(seen(codes, upcard), stream()) is source


@pytest.mark.parametrize(
    ("codes", "discard"),
    [
        ("7H 7S 7C KD", "KD"),
        ("7H 7S KD 2C", "KD"),
        ("KC KH QD 2C", "KH"),
        ("3C 9D KD 2C", "KD"),  # the wild would cost more than the king, and stays
        ("3C 3D 3H 9S", "9S"),
        ("3C 3D 3H JK", "JK"),  # only wilds are left
    ],
)
def test_the_discard_leaves_the_least_deadwood_and_no_wild_goes(codes: str, discard: str) -> None:
    assert MEDIUM.choose_discard(seen(codes), stream()) == card(discard)


def test_in_a_final_turn_a_wild_goes_where_that_scores_less() -> None:
    assert MEDIUM.choose_discard(seen("3C 9D KD 2C", final=True), stream()) == card("3C")
    assert MEDIUM.choose_discard(seen("JK 9D KD 2C", final=True), stream()) == JOKER
    assert MEDIUM.choose_discard(seen("3C 9D 9H KD", final=True), stream()) == card("KD")


def test_in_a_long_round_it_discards_cards_that_cost_little_more() -> None:
    late = 2 * (START_AFTER + 3)
    chosen = {
        str(MEDIUM.choose_discard(seen("AC AD 2H 2S", turns=late), stream(number)))
        for number in range(30)
    }
    assert chosen == {"AC", "AD", "2H", "2S"}
    early = {
        str(MEDIUM.choose_discard(seen("AC AD 2H 2S"), stream(number))) for number in range(30)
    }
    assert early == {"2S"}


def test_in_a_long_round_it_still_keeps_wilds_and_goes_out() -> None:
    late = 2 * (START_AFTER + 20)
    for number in range(30):
        card_discarded = MEDIUM.choose_discard(seen("AC AD 2H 3S", turns=late), stream(number))
        assert str(card_discarded) != "3S"
        out = MEDIUM.choose_discard(seen("7H 7S 7C KD", turns=late), stream(number))
        assert str(out) == "KD"


def test_in_a_long_round_it_draws_from_the_stock_unless_the_upcard_is_wild_or_completes() -> None:
    late = 2 * (START_AFTER + 3)
    assert MEDIUM.choose_draw(seen("7H KS QD", "2C"), stream()) is Source.DISCARD
    assert MEDIUM.choose_draw(seen("7H KS QD", "2C", turns=late), stream()) is Source.STOCK
    assert MEDIUM.choose_draw(seen("7H KS QD", "3C", turns=late), stream()) is Source.DISCARD
    assert MEDIUM.choose_draw(seen("7H 7S QD", "7C", turns=late), stream()) is Source.DISCARD
    assert MEDIUM.choose_draw(seen("7H 7S 7D", "7C", turns=late), stream()) is Source.STOCK


def test_two_players_do_not_hand_the_upcard_to_and_fro_for_ever() -> None:
    for number in (194, 236):
        key = hashlib.sha256(b"s%d" % number).digest()
        jokers = (0, 2, 4)[number // 6 % 3]
        step = table.open_game(key, rules(jokers, "high"), (ai(), ai()))
        scored = [event.body for event in step.events if isinstance(event.body, RoundScored)]
        assert [body.stalled for body in scored] == [False] * 11


def test_the_same_view_and_random_stream_give_the_same_choice() -> None:
    late = seen("AC AD 2H 2S", turns=2 * (START_AFTER + 5))
    choices = [MEDIUM.choose_discard(late, stream(4)) for _ in range(3)]
    assert len(set(choices)) == 1


def test_the_wild_rank_is_the_rounds() -> None:
    assert wild_rank(5).code == "7"
    view_of_round_5 = seen("7H 2C 2D 4S 4C 9H JD", "7S", number=5)
    assert MEDIUM.choose_draw(view_of_round_5, stream()) is Source.DISCARD
