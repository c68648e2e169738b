"""Cards and their codes.

A card is a rank and a suit, or a joker. Two equal cards are the same value: the twins of a
two-deck game are interchangeable, so a hand is a sorted tuple that may hold a card twice.
`Card.parse` and `str` are inverses; cards sort by rank, then suit, jokers last.
"""

from __future__ import annotations

from enum import IntEnum

from engine.errors import CardCodeError, RankCodeError

RANK_CODES = "A23456789TJQK"
SUIT_CODES = "CDHS"
JOKER_CODE = "JK"


class Suit(IntEnum):
    """The four suits in their fixed order."""

    CLUBS = 0
    DIAMONDS = 1
    HEARTS = 2
    SPADES = 3


class Rank(IntEnum):
    """The thirteen ranks, the ace lowest; the value is the number of pips, J Q K as 11 12 13."""

    ACE = 1
    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    TEN = 10
    JACK = 11
    QUEEN = 12
    KING = 13

    @property
    def code(self) -> str:
        """The rank's one-letter code."""
        return RANK_CODES[self - 1]

    @classmethod
    def parse(cls, code: object) -> Rank:
        """The rank of a one-letter code; raises RankCodeError."""
        if not isinstance(code, str) or len(code) != 1 or code not in RANK_CODES:
            raise RankCodeError(code)
        return cls(RANK_CODES.index(code) + 1)


class Card(int):
    """One card: an integer, its place in the sorted order, 4 x (rank - 1) + suit, a joker 52.

    Being an integer it is compared, sorted and packed into bytes at the speed of one.
    """

    __slots__ = ()

    def __new__(cls, index: int) -> Card:
        """The card of an index; raises CardCodeError if that is no card."""
        if not 0 <= index <= JOKER_INDEX:
            raise CardCodeError(index)
        return super().__new__(cls, index)

    @classmethod
    def of(cls, rank: Rank, suit: Suit) -> Card:
        """The natural card of a rank and a suit."""
        return CARDS[4 * (rank - 1) + suit]

    @classmethod
    def parse(cls, code: object) -> Card:
        """The card of a code; raises CardCodeError for anything but an exact code."""
        card = _BY_CODE.get(code) if isinstance(code, str) else None
        if card is None:
            raise CardCodeError(code)
        return card

    @property
    def is_joker(self) -> bool:
        """Whether this is a joker."""
        return self == JOKER_INDEX

    @property
    def rank(self) -> Rank | None:
        """The rank; None for a joker."""
        return _RANKS[self]

    @property
    def suit(self) -> Suit | None:
        """The suit; None for a joker."""
        return _SUITS[self]

    def __bool__(self) -> bool:
        """True: the ace of clubs is a card, too, although its index is 0."""
        return True

    def __str__(self) -> str:
        """The card's code."""
        return CODES[self]

    def __repr__(self) -> str:
        """The card's code between angle brackets."""
        return f"<{self}>"


JOKER_INDEX = 52
CODES = (*(rank + suit for rank in RANK_CODES for suit in SUIT_CODES), JOKER_CODE)
"""The code of each card, by its index."""
_RANKS = (*(rank for rank in Rank for _ in Suit), None)
_SUITS = (*(suit for _ in Rank for suit in Suit), None)
CARDS = tuple(map(Card, range(JOKER_INDEX + 1)))
JOKER = CARDS[JOKER_INDEX]
_BY_CODE = dict(zip(CODES, CARDS, strict=True))


def parse_cards(text: str) -> tuple[Card, ...]:
    """The cards of a text of codes with single blanks between them, in the text's order."""
    try:
        return tuple(map(_BY_CODE.__getitem__, text.split(" "))) if text else ()
    except KeyError as error:
        raise CardCodeError(error.args[0]) from None


def without(cards: tuple[Card, ...], card: Card) -> tuple[Card, ...]:
    """The cards less one copy of `card`; raises ValueError if there is none."""
    place = cards.index(card)
    return cards[:place] + cards[place + 1 :]
