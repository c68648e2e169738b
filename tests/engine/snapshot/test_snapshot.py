from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import chain

import pytest

from engine import table
from engine.errors import SnapshotError
from engine.game import Game, Status
from engine.options import GameOptions
from engine.round import Drawing, Source
from engine.seats import AiSeat, HumanSeat, Level, is_away
from engine.snapshot import DEFAULT_FORMAT, WRITTEN_FORMATS, dump, load
from engine.solver.arrangement import best_discard
from tests.builders import ai, humans, rules, secret
from tests.engine.snapshot.snapshots import (
    ABANDONED,
    ABANDONED_WAITING,
    DRAWN,
    FINISHED,
    STALLED,
    STORED,
    STORED_3,
    STORED_4,
    WRITTEN,
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


def played_states(seed: int) -> Iterator[Game]:
    """Every state of a seeded game of humans and AI players; humans come late, and go away."""
    rng = random.Random(f"formats {seed}")
    people = [
        HumanSeat("Ann"),
        *[HumanSeat(f"P{n}", joined=False) for n in range(rng.randrange(3))],
    ]
    players = [
        AiSeat(level.value, level) for level in rng.choices(tuple(Level), k=rng.randint(1, 3))
    ]
    first = rng.randint(1, 10)
    options = GameOptions(
        (*people, *players),
        rules(rng.choice((0, 2, 4)), rounds=rng.choice([(1, 11), (first, first + 1)])),
        turn_seconds=30,
        turn_solves=20,
    )
    now = 1_767_225_600_000
    game = table.open_game(secret(seed), options, now).game
    yield game
    for seat in range(1, len(people)):
        game = table.join(game, seat, "Bo", now).game
        yield game
    while game.status is Status.PLAYING:
        now += rng.choice((1_000, 1_000, 1_000, 40_000))
        overdue = table.apply_overdue_turns(game, None, now)
        game = overdue.game if overdue else move(game, now)
        yield game


def move(game: Game, now: int) -> Game:
    layout = game.layout
    if isinstance(game.round, Drawing):
        return table.draw(game, layout.seat, Source.STOCK, now).game
    card, _ = best_discard(layout.hand, layout.wild, layout.aces)
    return table.discard(game, layout.seat, card, now=now).game


@pytest.mark.parametrize("seed", range(12))
def test_every_written_format_says_the_same_games(seed: int) -> None:
    states = list(played_states(seed))
    assert states[-1].status is Status.FINISHED
    assert any(map(is_away, chain.from_iterable(state.seats for state in states)))
    for state in states:
        blobs = {number: dump(state, number) for number in WRITTEN_FORMATS}
        assert [load(blob) for blob in blobs.values()] == [state] * len(blobs)
        assert dump(load(blobs[4]), 3) == blobs[3], "the way back"
        assert len(blobs[4]) < len(blobs[3]) < 1_600


@pytest.mark.parametrize("name", STORED)
def test_a_game_of_each_format_is_read_and_written_as_it_was_kept(name: str) -> None:
    game = load(STORED[name].encode())
    assert WRITTEN.keys() == set(WRITTEN_FORMATS)
    for number, stored in WRITTEN.items():
        assert load(stored[name].encode()) == game
        assert dump(game, number) == stored[name].encode()
    assert dump(game) == WRITTEN[DEFAULT_FORMAT][name].encode()
    assert (game.status is Status.FINISHED) == (name in OVER)


@pytest.mark.parametrize("number", [1, 2, 5])
def test_no_other_format_is_written(number: int) -> None:
    with pytest.raises(ValueError, match=f"format {number} is not written"):
        dump(load(STORED[DRAWN].encode()), number)


@pytest.mark.parametrize("blob", ['{"format":5}', '{"format":5,"cards":[]}', "changed"])
def test_the_number_of_a_format_that_is_not_known_is_told(blob: str) -> None:
    if blob == "changed":
        blob = STORED_4[DRAWN].replace('"format":4', '"format":5')
    with pytest.raises(SnapshotError, match=r"has format 5, and those read are 2, 3, 4$"):
        load(blob.encode())


def test_a_stored_game_is_small() -> None:
    assert max(len(blob) for stored in WRITTEN.values() for blob in stored.values()) < 1_000


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
        STORED_3[DRAWN].replace('"format":3', '"format":4').encode(),
        STORED_4[DRAWN].replace('"format":4', '"format":3').encode(),
    ],
    ids=lambda blob: f"{len(blob)} bytes",
)
def test_what_is_no_snapshot_is_refused(blob: bytes) -> None:
    with pytest.raises(SnapshotError):
        load(blob)


def test_what_is_said_of_a_damaged_game_quotes_none_of_it() -> None:
    # It goes to the log, where no card may stand.
    blobs = STORED[DRAWN].encode(), STORED_3[DRAWN].encode(), STORED_4[DRAWN].encode()
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
