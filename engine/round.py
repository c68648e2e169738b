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
        return (self.dealer + 1 + self.turns) % self.seats

    @property
    def turn(self) -> int:
        """Which of its own turns in this round the seat to move is in, from 1."""
        return self.turns // self.seats + 1

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
    match source:
        case Source.STOCK:
            layout = _refilled(state.layout, secret)
            drawn, layout = layout.stock[-1], replace(layout, stock=layout.stock[:-1])
            shown = layout.shown
        case Source.DISCARD:
            layout = state.layout
            drawn, layout = layout.pile[-1], replace(layout, pile=layout.pile[:-1])
            seen = tuple(sorted((*layout.shown[layout.seat], drawn)))
            shown = _with_seat(layout.shown, layout.seat, seen)
        case _:
            assert_never(source)
    hand = tuple(sorted((*layout.hand, drawn)))
    hands = _with_seat(layout.hands, layout.seat, hand)
    return Discarding(replace(layout, hands=hands, shown=shown), drawn)


def discard(state: Discarding, card: Card, go_out: bool) -> Drawing | Finished:
    """The round after the seat to move has discarded `card`.

    With `go_out` a hand that melds completely goes out, unless somebody already is. Raises
    CardNotInHandError.
    """
    layout = state.layout
    if card not in legal_discards(state):
        raise CardNotInHandError(str(card))
    hand = without(layout.hand, card)
    seen = layout.shown[layout.seat]
    after = replace(
        layout,
        hands=_with_seat(layout.hands, layout.seat, hand),
        pile=(*layout.pile, card),
        shown=_with_seat(layout.shown, layout.seat, without(seen, card) if card in seen else seen),
    )
    if layout.is_final:
        return _next_turn(replace(after, finals_left=layout.finals_left - 1))
    if go_out and melds_completely(hand, layout.wild, layout.aces):
        return _next_turn(replace(after, out=layout.seat, finals_left=layout.seats - 1))
    return _next_turn(after)


def phase_due(state: Drawing | Discarding) -> Phase:
    """What the seat to move has to do."""
    return Phase.DRAW if isinstance(state, Drawing) else Phase.DISCARD


def legal_draws(state: Round) -> tuple[Source, ...]:
    """The sources that `draw` accepts: both while a draw is due, else none."""
    return tuple(Source) if isinstance(state, Drawing) else ()


def legal_discards(state: Round) -> tuple[Card, ...]:
    """The distinct cards that `discard` accepts, sorted; none unless a discard is due."""
    return tuple(sorted(set(state.layout.hand))) if isinstance(state, Discarding) else ()


def melds_completely(hand: tuple[Card, ...], wild: Rank, aces: AceMode) -> bool:
    """Whether every card of the hand can be in a meld: each card left over costs a point."""
    return least_points(hand, wild, aces) == 0


def _next_turn(layout: Layout) -> Drawing | Finished:
    after = replace(layout, turns=layout.turns + 1)
    if after.is_final and after.finals_left == 0:
        return Finished(layout, stalled=False)
    if not after.is_final and after.turn > LAST_TURN:
        return Finished(layout, stalled=True)
    return Drawing(after)


def _refilled(layout: Layout, secret: bytes) -> Layout:
    if layout.stock:
        return layout
    *buried, top = layout.pile
    count = layout.refills + 1
    stock = shuffle.refill(secret, layout.number, count, buried)
    assert stock, "with at most six seats the pile can always refill the stock"
    return replace(layout, stock=stock, pile=(top,), refills=count)


def _with_seat(
    hands: tuple[tuple[Card, ...], ...], seat: int, hand: tuple[Card, ...]
) -> tuple[tuple[Card, ...], ...]:
    return (*hands[:seat], hand, *hands[seat + 1 :])
