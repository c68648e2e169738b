"""The machine of one round: `Drawing`, `Discarding`, `Finished`.

A round is one of these three frozen values. `draw` takes a `Drawing` and returns a
`Discarding`; `discard` takes a `Discarding` and returns the next seat's `Drawing` or the
`Finished` round. A move in the wrong phase is therefore a type error, and a refused move
changes nothing. What all three share is one `Layout`: where every card lies and whose turn it
is.

    deal → Drawing → Discarding → Drawing → … → Finished
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import assert_never

from engine import shuffle
from engine.cards import Card, Rank, without
from engine.errors import CardNotInHandError
from engine.rules import LAST_TURN, AceMode, Rules, hand_size, wild_rank
from engine.solver.hands import least_points


class Source(Enum):
    """Where a card is drawn from."""

    STOCK = "stock"
    DISCARD = "discard"


_SOURCES = tuple(Source)


class Phase(Enum):
    """What the seat to move has to do."""

    DRAW = "draw"
    DISCARD = "discard"


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the cards of a round lie, and how far the round has come.

    `hands`: by seat, each sorted. `stock` and `pile`: the last card is the top.
    `shown`: by seat, the cards of the hand that everybody saw it take from the pile.
    `turns`: turns played so far by all seats together; the seat to the dealer's left plays
    first and play runs round, so this also says whose turn it is. `out`: the seat that went
    out; `finals_left`: turns that the others still have then.
    """

    rules: Rules
    number: int
    dealer: int
    hands: tuple[tuple[Card, ...], ...]
    stock: tuple[Card, ...]
    pile: tuple[Card, ...]
    shown: tuple[tuple[Card, ...], ...]
    refills: int = 0
    turns: int = 0
    out: int | None = None
    finals_left: int = 0

    @property
    def seats(self) -> int:
        """How many seats play."""
        return len(self.hands)

    @property
    def seat(self) -> int:
        """The seat whose turn it is."""
        return (self.dealer + 1 + self.turns) % len(self.hands)

    @property
    def turn(self) -> int:
        """Which of its own turns in this round the seat to move is in, from 1."""
        return self.turns // len(self.hands) + 1

    @property
    def hand(self) -> tuple[Card, ...]:
        """The hand of the seat whose turn it is."""
        return self.hands[self.seat]

    @property
    def size(self) -> int:
        """Cards dealt to each seat."""
        return hand_size(self.number)

    @property
    def wild(self) -> Rank:
        """The round's wild rank."""
        return wild_rank(self.number)

    @property
    def aces(self) -> AceMode:
        """The ace mode."""
        return self.rules.aces

    @property
    def is_final(self) -> bool:
        """Whether somebody is out, so that this is a final turn."""
        return self.out is not None

    def all_cards(self) -> tuple[Card, ...]:
        """Every card of the round, in no order: together they must be the whole pack."""
        return sum(self.hands, self.stock + self.pile)


@dataclass(frozen=True, slots=True)
class Drawing:
    """The seat to move must draw."""

    layout: Layout


@dataclass(frozen=True, slots=True)
class Discarding:
    """The seat to move has drawn `drawn` and must discard."""

    layout: Layout
    drawn: Card


@dataclass(frozen=True, slots=True)
class Finished:
    """Nobody is to move; `stalled` says that the round was stopped and nobody went out."""

    layout: Layout
    stalled: bool


Round = Drawing | Discarding | Finished


def deal(secret: bytes, rules: Rules, number: int, seats: int, dealer: int) -> Drawing:
    """A newly dealt round, the seat to the dealer's left to draw."""
    hands, upcard, stock = shuffle.deal(secret, number, seats, dealer, rules.jokers)
    return Drawing(
        Layout(
            rules=rules,
            number=number,
            dealer=dealer,
            hands=tuple(tuple(sorted(hand)) for hand in hands),
            stock=stock,
            pile=(upcard,),
            shown=((),) * seats,
        )
    )


def draw(state: Drawing, source: Source, secret: bytes) -> Discarding:
    """The round after the seat to move has drawn; an empty stock is refilled first.

    Both sources are always legal: with at most six seats 25 cards or more lie outside the hands.
    """
    layout, seat = state.layout, state.layout.seat
    match source:
        case Source.STOCK:
            layout = _refilled(layout, secret)
            drawn = layout.stock[-1]
            hands = _with_card(layout.hands, seat, drawn)
            after = _with_cards(layout, hands, layout.stock[:-1], layout.pile, layout.shown)
            return Discarding(after, drawn)
        case Source.DISCARD:
            drawn = layout.pile[-1]
            hands = _with_card(layout.hands, seat, drawn)
            shown = _with_card(layout.shown, seat, drawn)
            after = _with_cards(layout, hands, layout.stock, layout.pile[:-1], shown)
            return Discarding(after, drawn)
        case _:
            assert_never(source)


def discard(state: Discarding, card: Card, go_out: bool) -> Drawing | Finished:
    """The round after the seat to move has discarded `card`.

    With `go_out` a hand that melds completely goes out, unless somebody already is. Raises
    CardNotInHandError.
    """
    layout, seat = state.layout, state.layout.seat
    hand, seen = layout.hands[seat], layout.shown[seat]
    if card not in hand:
        raise CardNotInHandError(str(card))
    hand = without(hand, card)
    out, finals_left = layout.out, layout.finals_left
    if out is not None:
        finals_left -= 1
    elif go_out and melds_completely(hand, layout.wild, layout.aces):
        out, finals_left = seat, layout.seats - 1
    after = Layout(
        layout.rules,
        layout.number,
        layout.dealer,
        hands=_with_seat(layout.hands, seat, hand),
        stock=layout.stock,
        pile=(*layout.pile, card),
        shown=_with_seat(layout.shown, seat, without(seen, card)) if card in seen else layout.shown,
        refills=layout.refills,
        turns=layout.turns + 1,
        out=out,
        finals_left=finals_left,
    )
    is_over = after.finals_left == 0 if after.is_final else after.turn > LAST_TURN
    if is_over:  # it stays in its last turn
        return Finished(replace(after, turns=layout.turns), stalled=not after.is_final)
    return Drawing(after)


def phase_due(state: Drawing | Discarding) -> Phase:
    """What the seat to move has to do."""
    return Phase.DRAW if isinstance(state, Drawing) else Phase.DISCARD


def legal_draws(state: Round) -> tuple[Source, ...]:
    """The sources that `draw` accepts: both while a draw is due, else none."""
    return _SOURCES if isinstance(state, Drawing) else ()


def legal_discards(state: Round) -> tuple[Card, ...]:
    """The distinct cards that `discard` accepts, sorted; none unless a discard is due."""
    return tuple(dict.fromkeys(state.layout.hand)) if isinstance(state, Discarding) else ()


def melds_completely(hand: tuple[Card, ...], wild: Rank, aces: AceMode) -> bool:
    """Whether every card of the hand can be in a meld: each card left over costs a point."""
    return least_points(hand, wild, aces) == 0


def _refilled(layout: Layout, secret: bytes) -> Layout:
    if layout.stock:
        return layout
    *buried, top = layout.pile
    count = layout.refills + 1
    stock = shuffle.refill(secret, layout.number, count, buried)
    assert stock, "with at most six seats the pile can always refill the stock"
    return replace(layout, stock=stock, pile=(top,), refills=count)


_Hands = tuple[tuple[Card, ...], ...]


def _with_cards(
    layout: Layout, hands: _Hands, stock: tuple[Card, ...], pile: tuple[Card, ...], shown: _Hands
) -> Layout:
    """The layout with cards in other places; as `replace` has it, in half the time."""
    return Layout(
        *(layout.rules, layout.number, layout.dealer, hands, stock, pile, shown),
        *(layout.refills, layout.turns, layout.out, layout.finals_left),
    )


def _with_card(hands: _Hands, seat: int, card: Card) -> _Hands:
    return _with_seat(hands, seat, tuple(sorted((*hands[seat], card))))


def _with_seat(hands: _Hands, seat: int, hand: tuple[Card, ...]) -> _Hands:
    return (*hands[:seat], hand, *hands[seat + 1 :])
