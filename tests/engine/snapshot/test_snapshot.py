from __future__ import annotations

import random
import re

import pytest

from engine import table
from engine.errors import SnapshotError
from engine.game import Status
from engine.options import GameOptions
from engine.seats import HumanSeat
from engine.snapshot import dump, load
from tests.builders import ai, humans, rules, secret
from tests.engine.snapshot.snapshots import (
    ABANDONED,
    ABANDONED_WAITING,
    DRAWN,
    FINISHED,
    STALLED,
    STORED,
    STORED_3,
)
from tests.playout import Playout

OVER = {ABANDONED, ABANDONED_WAITING, FINISHED, STALLED}


def test_a_game_comes_back_equal_in_every_phase() -> None:
    playout = Playout(secret(4), rules(4, "both"), humans(5), random.Random(4), skill=0.95)
    for state in playout.states():
        assert load(dump(state)) == state


def test_names_of_any_script_come_back() -> None:
    seats = (HumanSeat("Ann 安娜 🂡 “x”"), ai())
    game = table.open_game(secret(1), GameOptions(seats)).game
    assert load(dump(game)).seats == seats


@pytest.mark.parametrize("name", STORED)
def test_a_game_of_each_format_is_read_and_written_in_the_newest(name: str) -> None:
    game = load(STORED[name].encode())
    assert load(STORED_3[name].encode()) == game
    assert dump(game) == STORED_3[name].encode()
    assert (game.status is Status.FINISHED) == (name in OVER)


def test_a_stored_game_is_small() -> None:
    assert max(len(blob) for blob in STORED_3.values()) < 1_000


@pytest.mark.parametrize(
    "blob",
    [
        *(b"", b"{", b"null", b"[]", b"7", b'"x"', b"{}", b"\xff\xfe", b"[" * 100_000),
        *(STORED[DRAWN].encode(form) for form in ("utf-16", "utf-32", "utf-8-sig")),
        STORED[DRAWN].encode() + b"}",
        STORED[DRAWN].encode()[:-1],
        STORED[DRAWN].replace('"seq":5', '"seq":5,"seq":5').encode(),
        STORED[DRAWN].replace('"seq":5', '"seq":NaN').encode(),
        STORED[DRAWN].replace('"seq":5', f'"seq":{"9" * 5000}').encode(),
        STORED[DRAWN].replace('"Ann"', '"Ann\\ud83c"').encode(),
        STORED_3[DRAWN].replace('"format":3', '"format":2').encode(),
        STORED[DRAWN].replace('"format":2', '"format":3').encode(),
    ],
    ids=lambda blob: f"{len(blob)} bytes",
)
def test_what_is_no_snapshot_is_refused(blob: bytes) -> None:
    with pytest.raises(SnapshotError):
        load(blob)


def test_what_is_said_of_a_damaged_game_quotes_none_of_it() -> None:
    # It goes to the log, where no card may stand.
    blobs = STORED[DRAWN].encode(), STORED_3[DRAWN].encode()
    refusals = [
        refused for blob in blobs for place in range(len(blob)) if (refused := refusal(blob, place))
    ]
    texts = {str(refused) for refused in refusals}
    assert len(texts) > 3
    assert not [text for text in texts if re.search(r"\b([2-9TJQKA][CDHS]|JK|[A-Z])\b", text)]
    assert all(refused.__suppress_context__ or not refused.__context__ for refused in refusals)


def refusal(blob: bytes, place: int) -> SnapshotError | None:
    """What is said of a snapshot with one byte changed."""
    try:
        load(blob[:place] + b"x" + blob[place + 1 :])
    except SnapshotError as error:
        return error
    return None
