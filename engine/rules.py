"""The numbers of Three-Thirteen and the options a game is created with.

Round r deals r + 2 cards to each seat, and the rank that equals the hand size is wild. A card
that is in no meld costs its holder points.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from engine.cards import CARDS, JOKER, Card, Rank, Suit
from engine.errors import InvalidTableError

ROUNDS = 11
MIN_SEATS = 2
MAX_SEATS = 6
COPIES = 2
JOKER_CHOICES = (0, 2, 4)
MAX_JOKERS = max(JOKER_CHOICES)
MAX_HAND = 14
"""Cards of the largest hand: thirteen and the one just drawn."""
LAST_TURN = 60
"""A round is stopped when a seat would begin one turn more than this and nobody is out."""
TURN_SOLVES = 10_000
"""Hands that an AI player may have solved in one choice: enough for the fullest look ahead."""
SOURCE_TURN_SOLVES = 1_000
"""The same where the engine runs as source, some twenty times slower."""
MAX_TURN_SOLVES = 1_000_000
MIN_TURN_SECONDS = 10
MAX_TURN_SECONDS = 86_400
"""The time of a human turn, where it is bounded, is 10 seconds to a day."""
WILD_POINTS = 15
JOKER_POINTS = 20
HIGH_ACE_POINTS = 15
FACE_POINTS = 10


def turn_solves(form: str) -> int:
    """The budget of an AI player's choice in a form of the engine, `compiled` or `source`."""
    return TURN_SOLVES if form == "compiled" else SOURCE_TURN_SOLVES


class AceMode(StrEnum):
    """Where an ace stands in a run: below the two, above the king, or either."""

    LOW = "low"
    HIGH = "high"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Rounds:
    """The rounds that a game plays, from `first` to `last`; raises InvalidTableError.

    Each keeps its number, and so its hand size and wild rank.
    """

    first: int = 1
    last: int = ROUNDS

    def __post_init__(self) -> None:
        """Refuse a stretch that is not one of the eleven rounds."""
        if not 1 <= self.first <= self.last <= ROUNDS:
            raise InvalidTableError(f"a game plays a stretch of rounds 1 to {ROUNDS}")


ALL_ROUNDS = Rounds()


@dataclass(frozen=True, slots=True)
class Rules:
    """The options of one game.

    `jokers`: 0, 2 or 4 jokers in the pack. `hints`: whether seats may ask for hints.
    """

    jokers: int = 0
    aces: AceMode = AceMode.LOW
    hints: bool = True
    rounds: Rounds = ALL_ROUNDS

    def __post_init__(self) -> None:
        """Refuse a number of jokers that the game does not know."""
        if self.jokers not in JOKER_CHOICES:
            raise InvalidTableError(f"jokers must be one of {JOKER_CHOICES}, not {self.jokers}")


def hand_size(round_number: int) -> int:
    """Cards dealt to each seat in round 1 to 11."""
    return round_number + 2


@cache
def wild_rank(round_number: int) -> Rank:
    """The wild rank of round 1 to 11: the one that equals the hand size."""
    return Rank(hand_size(round_number))


WILD_CARDS = {wild: frozenset([JOKER, *(Card.of(wild, suit) for suit in Suit)]) for wild in Rank}
"""The cards that are wild, by the round's wild rank: the cards of that rank and the joker."""


def is_wild(card: Card, wild: Rank) -> bool:
    """Whether a card is a joker or of the round's wild rank."""
    return card in WILD_CARDS[wild]


@cache
def card_points(wild: Rank, aces: AceMode) -> tuple[int, ...]:
    """By card: the points that it costs in no meld, in a round whose wild rank is `wild`."""
    return tuple(_points(card.rank, wild, aces) for card in CARDS)


def _points(rank: Rank | None, wild: Rank, aces: AceMode) -> int:
    if rank is None:
        return JOKER_POINTS
    if rank == wild:
        return WILD_POINTS
    if rank == Rank.ACE and aces is not AceMode.LOW:
        return HIGH_ACE_POINTS
    return min(rank, FACE_POINTS)


def points(card: Card, wild: Rank, aces: AceMode) -> int:
    """Points of a card that is in no meld, in a round whose wild rank is `wild`."""
    return card_points(wild, aces)[card]


def total_points(cards: tuple[Card, ...], wild: Rank, aces: AceMode) -> int:
    """Points of cards none of which is in a meld."""
    return sum(map(card_points(wild, aces).__getitem__, cards))
