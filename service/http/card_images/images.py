"""An image for each card, for the joker and for the back.

A card has one large index, in its upper left corner: the part of a card that is seen in a hand. It
is less than two fifths of the width. What stands beside it is large, too, so that the suit is known
at a width of 40 pixels. There is no second index upside down: at that size it is noise.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache

from engine.cards import CODES, Card, Rank, Suit
from service.errors import CardImageNotFoundError
from service.http.card_images.back import back
from service.http.card_images.figures import COURTS, joker
from service.http.card_images.palettes import EDGE, GOLD, INKS, JOKER_INK, PAPER
from service.http.card_images.ranks import JOKER_LETTERS, RANKS, STROKE
from service.http.card_images.shapes import HEIGHT, WIDTH, at, filled, stroked
from service.http.card_images.suits import SUITS

BACK_CODE = "back"
IMAGE_CODES = (*CODES, BACK_CODE)
_INDEX_X = 50
_LARGE_X, _LARGE_Y = 168, 258


@dataclass(frozen=True, slots=True)
class CardImage:
    """An image as it is sent, with its entity tag."""

    svg: bytes
    etag: str


@cache
def card_image(code: str, colours: int) -> CardImage:
    """The image for a card's code or `back`; the suits have 2 or 4 `colours`.

    It is drawn once and then kept. Raises CardImageNotFoundError for any other code.
    """
    svg = _drawn(code, colours).encode()
    return CardImage(svg, f'"{hashlib.sha256(svg).hexdigest()[:16]}"')


def _drawn(code: str, colours: int) -> str:
    if code == BACK_CODE:
        return _card("Back of a card", back())
    if code not in CODES:
        raise CardImageNotFoundError(code)
    card = Card.parse(code)
    if card.rank is None or card.suit is None:
        return _card("Joker", joker() + _joker_index())
    ink = INKS[colours][card.suit]
    title = f"{card.rank.name.capitalize()} of {card.suit.name.lower()}"
    return _card(title, _face(card.rank, card.suit, ink) + _index(card.rank, card.suit, ink))


def _card(title: str, content: str) -> str:
    """A whole image: the paper, what is printed on it, and its edge of one pixel at any size."""
    paper = f'<rect x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="20"'
    edge = f'fill="none" stroke="{EDGE}" stroke-width="1.5" vector-effect="non-scaling-stroke"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img"><title>{title}</title>'
        f'{paper} fill="{PAPER}"/>{content}{paper} {edge}/></svg>\n'
    )


def _index(rank: Rank, suit: Suit, ink: str) -> str:
    """The rank with the suit below it."""
    return stroked(RANKS[rank], ink, STROKE, at(_INDEX_X, 18, 0.92)) + filled(
        SUITS[suit], ink, at(_INDEX_X, 157, 0.62)
    )


def _joker_index() -> str:
    """The word JOKER, letter below letter."""
    return "".join(
        stroked(letter, JOKER_INK, STROKE + 3, at(_INDEX_X - 3, 19 + 64 * number, 0.5))
        for number, letter in enumerate(JOKER_LETTERS)
    )


def _face(rank: Rank, suit: Suit, ink: str) -> str:
    """What stands beside the index: a figure, or the suit; the ace's has a golden one in it."""
    if rank in COURTS:
        return COURTS[rank](suit, ink)
    large = filled(SUITS[suit], ink, at(_LARGE_X, _LARGE_Y, 1.45))
    small = filled(SUITS[suit], GOLD, at(_LARGE_X, _LARGE_Y, 0.4))
    return large + small if rank is Rank.ACE else large
