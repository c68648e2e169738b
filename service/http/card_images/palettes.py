"""The colours of the cards. Each ink has a contrast of at least 4.5 to 1 on the paper."""

from __future__ import annotations

from collections.abc import Mapping

from engine.cards import Suit

PAPER = "#ffffff"
EDGE = "#7d8694"
GOLD = "#f4b93a"
SKIN = "#fdebcb"
_BLACK = "#1b1f27"
_RED = "#c8102e"
_BLUE = "#1458bd"
_GREEN = "#0b7440"
JOKER_INK = "#6a2c9c"
JOKER_NOSE = "#d6336c"
BACK = "#24406f"
BACK_PATTERN = "#456296"

INKS: Mapping[int, Mapping[Suit, str]] = {
    2: {Suit.CLUBS: _BLACK, Suit.DIAMONDS: _RED, Suit.HEARTS: _RED, Suit.SPADES: _BLACK},
    4: {Suit.CLUBS: _GREEN, Suit.DIAMONDS: _BLUE, Suit.HEARTS: _RED, Suit.SPADES: _BLACK},
}
"""The ink of each suit, by how many inks the four suits have."""
DEFAULT_COLOURS = 2
