"""The scores as a table for spreadsheets: CSV in UTF-8, one row for each round and seat."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from engine.events import Event, RoundScored
from engine.rules import wild_rank
from engine.seats import Seat

_COLUMNS = ("round", "wild_rank", "seat", "name", "points", "total", "went_out", "stalled")
_FORMULA_SIGNS = ("=", "+", "-", "@")
"""What a text begins with that a spreadsheet would compute."""


def score_sheet(scored: Iterable[Event], seats: Sequence[Seat]) -> bytes:
    """The rounds that are over, from their round_scored events; lines end with CR and LF.

    `went_out` is the seat that went out in the round, empty where it stalled. A name that a
    spreadsheet would compute has an apostrophe before it.
    """
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow(_COLUMNS)
    for event in scored:
        writer.writerows(_rows(event, seats))
    return written.getvalue().encode()


def _rows(event: Event, seats: Sequence[Seat]) -> Iterator[tuple[int | str | None, ...]]:
    body, number = event.body, event.round
    assert isinstance(body, RoundScored), "only scored rounds have rows"
    assert number is not None, "a scored round has a number"
    of_round = (body.went_out, "true" if body.stalled else "false")
    for row in body.seats:
        name = _plain(seats[row.seat].name)
        yield (number, wild_rank(number).code, row.seat, name, row.points, row.total, *of_round)


def _plain(name: str) -> str:
    """A name that no spreadsheet takes for a formula."""
    return f"'{name}" if name.startswith(_FORMULA_SIGNS) else name
