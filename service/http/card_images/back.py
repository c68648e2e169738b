"""The back of a card: diamonds on blue, around the four suits."""

from __future__ import annotations

from engine.cards import Suit
from service.http.card_images.palettes import BACK, BACK_PATTERN
from service.http.card_images.shapes import HEIGHT, WIDTH, at, filled, stroked
from service.http.card_images.suits import SUITS

_MARGIN = 12
_X = WIDTH // 2
_Y = HEIGHT // 2
_RHOMBUS = (62, 88)
"""Half the width and half the height of the space that is left free for the suits."""
_PLACES = {
    Suit.SPADES: (_X, _Y - 31),
    Suit.HEARTS: (_X + 21, _Y),
    Suit.CLUBS: (_X, _Y + 31),
    Suit.DIAMONDS: (_X - 21, _Y),
}


def back() -> str:
    """What is printed on the back of every card."""
    suits = "".join(filled(SUITS[suit], BACK_PATTERN, at(*_PLACES[suit], 0.26)) for suit in Suit)
    ground = (
        f'<rect x="{_MARGIN}" y="{_MARGIN}" width="{WIDTH - 2 * _MARGIN}" '
        f'height="{HEIGHT - 2 * _MARGIN}" rx="11" fill="{BACK}"/>'
    )
    frame = stroked(_diamond(_X, _Y, 50, 73), BACK_PATTERN, 3)
    return ground + filled(_diamonds(), BACK_PATTERN) + frame + suits


def _diamonds() -> str:
    return "".join(
        _diamond(x, y, 9, 13)
        for row, y in enumerate(range(35, HEIGHT - 34, 35))
        for x in range(59 if row % 2 else 37, WIDTH - 36, 44)
        if abs(x - _X) / _RHOMBUS[0] + abs(y - _Y) / _RHOMBUS[1] > 1
    )


def _diamond(x: int, y: int, half_width: int, half_height: int) -> str:
    return (
        f"M{x} {y - half_height}L{x + half_width} {y}L{x} {y + half_height}L{x - half_width} {y}Z"
    )
