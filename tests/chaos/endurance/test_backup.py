"""One backup of each kind during play, and that a move that is missing is found."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from tests.chaos.endurance import backup
from tests.chaos.endurance.backup import Answered, Play
from tests.system.launch import Launch


@pytest.mark.trial
def test_a_copy_of_the_embedded_servers_data_has_every_answered_move() -> None:
    outcome = backup.of_embedded_servers(backups=1, clients=3)
    assert outcome.violations == []
    assert int(re.findall(r"\d+", outcome.summary)[1]) >= 20


@pytest.mark.trial
def test_a_snapshot_of_an_own_server_has_every_answered_move() -> None:
    outcome = backup.of_own_servers(backups=1, clients=3)
    assert outcome.violations == []
    assert int(re.findall(r"\d+", outcome.summary)[1]) >= 20


def test_what_is_missing_is_found(tmp_path: Path) -> None:
    with Launch(tmp_path, LOG_LEVEL="CRITICAL") as service:
        url, rng = service.url(), random.Random(1)
        play = Play(url, 2, rng)
        with play.going_on():
            play.wait_for_moves(8)
        one, other = play.answered()[:2]
        assert backup.restored_violations(url, [one, other], rng) == []
        elsewhere = Answered(one.game, other.made)
        assert backup.restored_violations(url, [elsewhere], rng)
        gone = Answered(backup.Game("/v1/games/none", "none"), one.made)
        assert backup.restored_violations(url, [gone], rng)


def test_the_page_has_the_commands_that_are_tried() -> None:
    copy, serve, snapshot, load = backup.commands()
    assert copy == ["three-thirteen backup /backups/monday"]
    assert serve == ["DATA_DIR=/backups/monday three-thirteen serve"]
    assert [each.split()[0] for each in snapshot + load] == [
        *["valkey-cli"] * 2,
        "valkey-server",
        "valkey-cli",
    ]
