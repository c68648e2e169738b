"""An example of each kind of event, and its fields as all may read them when the game is over."""

from __future__ import annotations

from engine.events import (
    Body,
    CardDiscarded,
    CardDrawn,
    GameAbandoned,
    GameFinished,
    RoundDealt,
    RoundScored,
    SeatAway,
    SeatJoined,
    SeatLeft,
    SeatReturned,
    SeatScore,
    StockReshuffled,
    WentOut,
)
from engine.fields import JsonObject
from engine.round import Source
from tests.builders import card, hand, meld, rank, secret

ROUND = 4
"""The round of the examples that belong to one: sixes are wild."""
SET = {"kind": "set", "cards": ["4C", "4S", "JK"], "stands_for": ["4C", "4S", "4C"]}
EXAMPLES: list[tuple[Body, JsonObject]] = [
    (SeatJoined(1, "Bo"), {"seat": 1, "name": "Bo"}),
    (SeatLeft(2), {"seat": 2}),
    (SeatAway(0), {"seat": 0}),
    (SeatReturned(5), {"seat": 5}),
    (
        RoundDealt(3, 12, rank("Q"), card("JK")),
        {"dealer": 3, "hand_size": 12, "wild_rank": "Q", "upcard": "JK"},
    ),
    (
        CardDrawn(1, Source.STOCK, card("TS")),
        {"seat": 1, "source": "stock", "card": "TS"},
    ),
    (
        CardDrawn(5, Source.DISCARD, card("AC")),
        {"seat": 5, "source": "discard", "card": "AC"},
    ),
    (CardDiscarded(1, card("TS"), False), {"seat": 1, "card": "TS"}),
    (CardDiscarded(0, card("JK"), True), {"seat": 0, "card": "JK"}),
    (StockReshuffled(31), {"stock_count": 31}),
    (
        WentOut(0, hand("4C 4S JK"), (meld("4C 4S JK", wild="6"),)),
        {"seat": 0, "hand": ["4C", "4S", "JK"], "melds": [SET]},
    ),
    (
        RoundScored(
            0,
            False,
            (
                SeatScore(0, hand("4C 4S JK"), (meld("4C 4S JK", wild="6"),), (), 0, 7),
                SeatScore(1, hand("2D 9H TS"), (), hand("2D 9H TS"), 21, 30),
            ),
        ),
        {
            "went_out": 0,
            "stalled": False,
            "seats": [
                {
                    "seat": 0,
                    "hand": ["4C", "4S", "JK"],
                    "melds": [SET],
                    "deadwood": [],
                    "points": 0,
                    "total": 7,
                },
                {
                    "seat": 1,
                    "hand": ["2D", "9H", "TS"],
                    "melds": [],
                    "deadwood": ["2D", "9H", "TS"],
                    "points": 21,
                    "total": 30,
                },
            ],
        },
    ),
    (RoundScored(None, True, ()), {"went_out": None, "stalled": True, "seats": []}),
    (
        GameFinished(None, (0, 2), (9, 30, 9), secret(255)),
        {"winner": None, "tied": [0, 2], "totals": [9, 30, 9], "secret": "00" * 31 + "ff"},
    ),
    (
        GameFinished(1, (), (9, 3), secret(1)),
        {"winner": 1, "tied": [], "totals": [9, 3], "secret": "00" * 31 + "01"},
    ),
    (GameAbandoned(secret(0)), {"secret": "00" * 32}),
]


def round_of(body: Body) -> int | None:
    return ROUND if body.in_round else None
