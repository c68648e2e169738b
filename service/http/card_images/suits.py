"""The suits as shapes of 100 units, their origin in the middle."""

from __future__ import annotations

from engine.cards import Suit

SUITS = {
    Suit.CLUBS: (
        "M16 48H-16C-9 44-4 34-4 21A22 22 0 1 1-12-6.5A22 22 0 1 1 12-6.5A22 22 0 1 1 4 21"
        "C4 34 9 44 16 48Z"
    ),
    Suit.DIAMONDS: "M0-49C8-32 22-14 37 0C22 14 8 32 0 49C-8 32-22 14-37 0C-22-14-8-32 0-49Z",
    Suit.HEARTS: (
        "M0 47C-8 30-46 9-46-18C-46-34-34-45-22-45C-11-45-4-39 0-30C4-39 11-45 22-45"
        "C34-45 46-34 46-18C46 9 8 30 0 47Z"
    ),
    Suit.SPADES: (
        "M0-49C8-31 45-9 45 15C45 30 34 39 23 39C15 39 8 36 4 30C5 38 9 44 16 48H-16"
        "C-9 44-5 38-4 30C-8 36-15 39-23 39C-34 39-45 30-45 15C-45-9-8-31 0-49Z"
    ),
}
