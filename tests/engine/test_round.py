from __future__ import annotations

from dataclasses import replace

import pytest

from engine import round as rounds
from engine.cards import Card, without
from engine.errors import CardNotInHandError
from engine.round import Discarding, Drawing, Finished, Layout, Phase, Source
from engine.rules import LAST_TURN
from engine.shuffle import pack
from tests import dealer
from tests.builders import card, hand, rank, rules, secret


def table(hands: list[str], number: int = 1, upcard: str = "KD", dealt_by: int = 0) -> Drawing:
    """A round in which the given hands are held; all other cards lie in the stock, sorted."""
    rest = tuple(sorted(pack(0)))
    for each in (*(code for codes in hands for code in hand(codes)), card(upcard)):
        rest = without(rest, each)
    layout = Layout(
        rules=rules(),
        number=number,
        dealer=dealt_by,
        hands=tuple(map(hand, hands)),
        stock=rest,
        pile=(card(upcard),),
        shown=((),) * len(hands),
    )
    return Drawing(layout)


def play(state: Drawing, source: Source, code: str, go_out: bool = True) -> Drawing | Finished:
    return rounds.discard(rounds.draw(state, source, secret(1)), card(code), go_out)


def turn(state: Drawing | Finished) -> Drawing | Finished:
    """A turn that changes nothing: the upcard is taken and discarded again."""
    assert isinstance(state, Drawing)
    return play(state, Source.DISCARD, str(state.layout.pile[-1]))


def test_the_seat_to_the_dealers_left_plays_first_and_play_runs_round() -> None:
    state: Drawing | Finished = table(["2C 5D 9H", "2D 5H 9S", "2H 5S 9C"], dealt_by=1)
    seats = []
    for _ in range(4):
        seats.append(state.layout.seat)
        state = turn(state)
    assert seats == [2, 0, 1, 2]


def test_a_draw_from_the_stock_takes_its_top_card() -> None:
    state = table(["2C 5D 9H", "2D 5H 9S"])
    after = rounds.draw(state, Source.STOCK, secret(1))
    assert after.drawn == state.layout.stock[-1]
    assert after.layout.stock == state.layout.stock[:-1]
    assert after.layout.hand == tuple(sorted((*state.layout.hand, after.drawn)))
    assert after.layout.shown == ((), ())


def test_a_draw_from_the_pile_takes_its_top_card_for_all_to_see() -> None:
    after = rounds.draw(table(["2C 5D 9H", "2D 5H 9S"]), Source.DISCARD, secret(1))
    assert (after.drawn, after.layout.pile) == (card("KD"), ())
    assert after.layout.shown == ((), hand("KD"))


def test_a_draw_from_the_pile_leaves_the_cards_below() -> None:
    start = table(["2C 5D 9H", "2D 5H 9S"])
    deep = Drawing(replace(start.layout, pile=(card("3C"), card("4C"), card("KD"))))
    after = rounds.draw(deep, Source.DISCARD, secret(1))
    assert after.layout.pile == (card("3C"), card("4C"))
    assert after.layout.hand == hand("2D 5H 9S KD")


def test_a_source_that_is_none_is_refused_by_its_name() -> None:
    with pytest.raises(AssertionError, match="'stock'"):
        rounds.draw(table(["2C 5D 9H", "2D 5H 9S"]), "stock", secret(1))  # type: ignore[arg-type]


def test_a_discard_moves_one_card_from_the_hand_to_the_top_of_the_pile() -> None:
    before = rounds.draw(table(["2C 5D 9H", "9S 9S 5H"]), Source.STOCK, secret(1))
    after = rounds.discard(before, card("9S"), go_out=False)
    assert after.layout.hands == (hand("2C 5D 9H"), without(before.layout.hand, card("9S")))
    assert after.layout.pile == (card("KD"), card("9S"))
    whole = sorted(pack(0))
    assert sorted(after.layout.all_cards()) == sorted(before.layout.all_cards()) == whole


def test_the_card_just_taken_may_be_discarded_and_is_no_longer_shown() -> None:
    after = turn(table(["2C 5D 9H", "2D 5H 9S"]))
    assert after.layout.pile == (card("KD"),)
    assert after.layout.shown == ((), ())


def test_a_card_taken_in_the_open_stays_shown_until_its_like_is_discarded() -> None:
    after = play(table(["2C 5D 9H", "2D 5H 9S"]), Source.DISCARD, "9S")
    assert after.layout.shown == ((), hand("KD"))


def test_a_card_that_is_not_in_the_hand_is_refused_by_name() -> None:
    state = rounds.draw(table(["2C 5D 9H", "2D 5H 9S"]), Source.DISCARD, secret(1))
    with pytest.raises(CardNotInHandError) as caught:
        rounds.discard(state, card("2C"), go_out=True)
    assert caught.value.code == "2C"
    assert rounds.legal_discards(state) == hand("2D 5H 9S KD")


def test_the_cards_of_the_round_are_legal_in_their_phase_only() -> None:
    state = table(["2C 5D 9H", "2D 5H 9S"])
    assert rounds.legal_draws(state) == (Source.STOCK, Source.DISCARD)
    assert rounds.legal_discards(state) == ()
    assert rounds.phase_due(state) is Phase.DRAW
    drawn = rounds.draw(state, Source.STOCK, secret(1))
    assert rounds.legal_draws(drawn) == ()
    assert rounds.phase_due(drawn) is Phase.DISCARD


def test_twins_are_listed_once() -> None:
    state = rounds.draw(table(["2C 5D 9H", "9S 9S 5H"], upcard="9D"), Source.DISCARD, secret(1))
    assert rounds.legal_discards(state) == hand("5H 9D 9S")


def test_a_hand_that_melds_completely_goes_out_by_its_discard() -> None:
    after = play(table(["2C 5D 9H", "7D 7H 4S"], upcard="7S"), Source.DISCARD, "4S")
    assert isinstance(after, Drawing)
    assert (after.layout.out, after.layout.finals_left, after.layout.seat) == (1, 1, 0)


def test_a_player_may_discard_without_declaring() -> None:
    after = play(table(["2C 5D 9H", "7D 7H 4S"], upcard="7S"), Source.DISCARD, "4S", go_out=False)
    assert after.layout.out is None


def test_a_hand_with_deadwood_does_not_go_out() -> None:
    after = play(table(["2C 5D 9H", "7D 7H 4S"], upcard="7S"), Source.DISCARD, "7S")
    assert after.layout.out is None


def test_every_other_seat_has_exactly_one_more_turn() -> None:
    state = table(["2C 5D 9H", "7D 7H 4S", "2H 5S 9C", "2S 6C 9D"], upcard="7S")
    out = play(state, Source.DISCARD, "4S")
    seats = []
    while isinstance(out, Drawing):
        assert out.layout.is_final
        seats.append(out.layout.seat)
        out = turn(out)
    assert seats == [2, 3, 0]
    assert (out.layout.out, out.stalled) == (1, False)


def test_a_hand_completed_in_a_final_turn_does_not_go_out_again() -> None:
    state = table(["8C 8D 5H", "7D 7H 4S", "2H 5S 9C"], upcard="7S")
    first = play(state, Source.DISCARD, "4S")
    second = turn(first)
    assert isinstance(second, Drawing)
    assert second.layout.seat == 0
    rich = Drawing(replace(second.layout, pile=(*second.layout.pile, card("8H"))))
    after = play(rich, Source.DISCARD, "5H")
    assert isinstance(after, Finished)
    assert after.layout.out == 1


def test_the_wild_rank_belongs_to_the_round_not_to_the_hand() -> None:
    # Round 1: threes are wild, also while the hand holds four cards.
    state = table(["2C 5D 9H", "4D 4H 9S"], upcard="4S")
    after = play(state, Source.DISCARD, "9S")
    assert after.layout.out == 1
    other = table(["2C 5D 9H", "4D 9H 9S"], upcard="KS")
    assert play(other, Source.DISCARD, "KS").layout.out is None


def test_a_hand_goes_out_with_a_wild_in_its_meld() -> None:
    state = table(["2C 5D 9H", "3D 9S 9C"], upcard="KD")
    after = play(state, Source.STOCK, str(state.layout.stock[-1]))
    assert after.layout.out == 1
    assert rounds.melds_completely(hand("3D 9S 9C"), rank("3"), rules().aces)
    assert not rounds.melds_completely(hand("4D 9S 9C"), rank("3"), rules().aces)


def test_a_round_that_is_over_stays_in_its_last_turn() -> None:
    state = table(["2C 5D 9H", "9D 9S 9C"])
    out = turn(state)
    over = turn(out)
    assert isinstance(over, Finished)
    assert over.layout.turns == out.layout.turns == 1
    assert over.layout.seat == out.layout.seat


def test_a_round_is_stopped_when_a_seat_would_begin_its_sixty_first_turn() -> None:
    state: Drawing | Finished = table(["2C 5D 9H", "2D 5H 9S"])
    turns = 0
    while isinstance(state, Drawing):
        assert state.layout.turn <= LAST_TURN
        state = turn(state)
        turns += 1
    assert turns == 2 * LAST_TURN
    assert (state.stalled, state.layout.out) == (True, None)


def test_final_turns_are_exempt_from_the_stop() -> None:
    start = table(["2C 5D 9H", "7D 7H 4S"], upcard="7S")
    late = Drawing(replace(start.layout, turns=2 * LAST_TURN - 2 + 1))
    assert (late.layout.seat, late.layout.turn) == (0, LAST_TURN)
    out = play(
        Drawing(replace(late.layout, hands=(hand("7D 7H 4S"), hand("2C 5D 9H")))),
        Source.DISCARD,
        "4S",
    )
    assert isinstance(out, Drawing)
    assert out.layout.turn == LAST_TURN + 1
    assert isinstance(turn(out), Finished)


def test_an_empty_stock_is_made_anew_from_all_of_the_pile_but_its_top() -> None:
    state = table(["2C 5D 9H", "2D 5H 9S"])
    pile = (*state.layout.stock, card("KD"))
    empty = Drawing(replace(state.layout, stock=(), pile=pile))
    after = rounds.draw(empty, Source.STOCK, secret(1))
    assert (after.layout.refills, after.layout.pile) == (1, (card("KD"),))
    assert tuple(sorted((*after.layout.stock, after.drawn))) == tuple(sorted(pile[:-1]))


@pytest.mark.parametrize(("number", "refills"), [(1, 0), (7, 0), (7, 2)])
def test_each_refill_of_each_round_is_shuffled_by_its_own_words(number: int, refills: int) -> None:
    state = table(["2C 5D 9H", "2D 5H 9S"], number)
    pile = (*state.layout.stock, card("KD"))
    empty = Drawing(replace(state.layout, stock=(), pile=pile, refills=refills))
    after = rounds.draw(empty, Source.STOCK, secret(1))
    codes = [str(each) for each in pile[:-1]]
    stock = dealer.refill(secret(1), number, refills + 1, codes)
    assert [str(each) for each in (*after.layout.stock, after.drawn)] == stock
    assert after.layout.refills == refills + 1


def test_a_stock_that_no_pile_can_refill_is_a_fault_of_the_program() -> None:
    state = table(["2C 5D 9H", "2D 5H 9S"])
    empty = Drawing(replace(state.layout, stock=()))
    words = "^with at most six seats the pile can always refill the stock$"
    with pytest.raises(AssertionError, match=words):
        rounds.draw(empty, Source.STOCK, secret(1))


def test_a_draw_from_the_pile_does_not_touch_an_empty_stock() -> None:
    state = table(["2C 5D 9H", "2D 5H 9S"])
    empty = Drawing(replace(state.layout, stock=(), pile=(*state.layout.stock, card("KD"))))
    after = rounds.draw(empty, Source.DISCARD, secret(1))
    assert (after.layout.stock, after.layout.refills) == ((), 0)


def test_the_deal_gives_each_seat_its_hand_and_turns_up_one_card() -> None:
    state = rounds.deal(secret(1), rules(2), number=4, seats=3, dealer=2)
    layout = state.layout
    assert [len(each) for each in layout.hands] == [6, 6, 6]
    assert (len(layout.pile), len(layout.stock), layout.seat) == (1, 106 - 19, 0)
    assert sorted(layout.all_cards()) == sorted(pack(2))
    assert all(each == tuple(sorted(each)) for each in layout.hands)
    assert (layout.rules, layout.number, layout.dealer, layout.size) == (rules(2), 4, 2, 6)
    assert layout.wild == rank("6")
    assert layout.shown == ((), (), ())
    assert (layout.refills, layout.turns, layout.out, layout.finals_left) == (0, 0, None, 0)


def test_a_round_over_has_no_legal_move() -> None:
    over = Finished(table(["2C 5D 9H", "2D 5H 9S"]).layout, stalled=False)
    assert (rounds.legal_draws(over), rounds.legal_discards(over)) == ((), ())


def test_discarding_keeps_the_drawn_card_as_a_value() -> None:
    after = rounds.draw(table(["2C 5D 9H", "2D 5H 9S"]), Source.DISCARD, secret(1))
    assert isinstance(after, Discarding)
    assert after.drawn == Card.parse("KD")
