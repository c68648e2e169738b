"""Snapshots that are remembered: the same games as without, and no more than so many."""

from __future__ import annotations

import random
from unittest import mock

import pytest

from engine import snapshot
from engine.errors import SnapshotError
from service.games.stored.snapshots import Snapshots
from tests.builders import humans, rules, secret
from tests.playout import Playout

GAMES = list(Playout(secret(4), rules(), humans(2), random.Random(4), skill=0.95).states())[:30]


@pytest.mark.parametrize("number", snapshot.WRITTEN_FORMATS)
def test_a_remembered_game_is_the_one_that_its_snapshot_says(number: int) -> None:
    snapshots = Snapshots()
    for game in GAMES:
        written = snapshots.dump(game, number)
        assert written == snapshot.dump(game, number)
        assert snapshots.load(bytes(written)) is game
        assert snapshot.load(written) == game


def test_a_snapshot_is_checked_once_while_it_is_remembered() -> None:
    snapshots = Snapshots(remembered=2)
    first, second, third = map(snapshot.dump, GAMES[:3])
    with mock.patch.object(snapshot, "load", side_effect=snapshot.load) as checked:
        for stored in (first, second, first, second, third, second, first):
            snapshots.load(stored)
    assert [call.args[0] for call in checked.mock_calls] == [first, second, third, first]


def test_another_snapshot_is_never_taken_for_a_remembered_one() -> None:
    snapshots = Snapshots()
    written = snapshots.dump(GAMES[0], 3)
    for place in range(len(written)):
        damaged = written[:place] + b"\x00" + written[place + 1 :]
        with pytest.raises(SnapshotError):
            snapshots.load(damaged)
