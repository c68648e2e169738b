"""The ranks and the letters of JOKER as lines, since the fonts of clients differ.

A character is 100 units high with its stroke; its origin is above its middle.
"""

from __future__ import annotations

from engine.cards import Rank

STROKE = 17
_JACK = "M18 9V65C18 82 10 91-2 91C-14 91-20 85-22 75"
_KING = "M-22 9V91M23 9L-20 60M-4 42L26 91"
RANKS = {
    Rank.ACE: "M-29 91L0 9L29 91M-18 65H18",
    Rank.TWO: "M-22 31C-21 17-12 9 0 9C14 9 23 18 23 30C23 40 18 47 11 54L-23 91H24",
    Rank.THREE: "M-20 9H21L0 40C14 40 24 51 24 65C24 81 13 91 0 91C-12 91-20 85-23 74",
    Rank.FOUR: "M13 91V9L-27 68H29",
    Rank.FIVE: (
        "M20 9H-16L-19 46C-14 41-8 39-1 39C13 39 24 49 24 65C24 81 13 91-1 91C-13 91-20 86-23 76"
    ),
    Rank.SIX: "M12 9L-19 50M-24 65a24 26 0 1 0 48 0a24 26 0 1 0-48 0",
    Rank.SEVEN: "M-24 9H24L-6 91",
    Rank.EIGHT: (
        "M-20 29a20 20 0 1 1 40 0a20 20 0 1 1-40 0M-24 70a24 21 0 1 1 48 0a24 21 0 1 1-48 0"
    ),
    Rank.NINE: "M-12 91L19 50M-24 35a24 26 0 1 0 48 0a24 26 0 1 0-48 0",
    Rank.TEN: (
        "M-34 20L-22 9V91M0 50C0 24 7 9 19 9C31 9 38 24 38 50C38 76 31 91 19 91C7 91 0 76 0 50Z"
    ),
    Rank.JACK: _JACK,
    Rank.QUEEN: "M-31 50a30 41 0 1 1 60 0a30 41 0 1 1-60 0M8 70L31 94",
    Rank.KING: _KING,
}
JOKER_LETTERS = (
    _JACK,
    "M-29 50a29 41 0 1 1 58 0a29 41 0 1 1-58 0",
    _KING,
    "M22 9H-20V91H22M-20 49H14",
    "M-22 91V9H2C16 9 24 17 24 31C24 45 16 53 2 53H-20M2 53L25 91",
)
