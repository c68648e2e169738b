"""Games through faults: no move is lost or doubled, and no wrong card lies on the table."""

from __future__ import annotations

import os
import random
import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
from playwright.sync_api import Browser

from tests.external.browser.comparison import assert_same
from tests.external.browser.faulty_play import Driver, Killed, Seat, faults, seat_of
from tests.external.browser.faulty_proxy import FaultyProxy
from tests.external.browser.table_driver import Table


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Killed]:
    service = Killed(tmp_path)
    yield service
    service.close()


@pytest.mark.parametrize("clock", [None, 86_400], ids=["alone", "with a clock"])
@pytest.mark.parametrize("speed", ["instant", "normal"])
def test_a_game_against_ai_players_goes_on_through_faults(
    browser: Browser, service: Killed, speed: str, clock: int | None
) -> None:
    seed = int(os.environ.get("FAULT_SEED") or secrets.randbits(32))
    chance = random.Random(seed)
    with FaultyProxy(urlsplit(service.url).netloc) as proxy:
        options = {"level": "easy", "turnSeconds": clock, "jokers": 2}
        table = Table.opened(browser, proxy.url, settings={"speed": speed}, options=options)
        table.deal()
        table.await_choice()
        seat = seat_of(table, service.url)
        driver = Driver(table, seat, proxy, service, chance)
        for number, kind in enumerate(faults(chance)):
            note = f"FAULT_SEED={seed}, fault {number}: {kind}"
            for _ in range(chance.randrange(3)):
                driver.planned()()
                assert_same(table, seat.view, note)
            driver.fault(kind, driver.planned())
            assert_same(table, seat.view, note)
            assert table.page.locator(".notice").count() == 0, note
            assert seat.own_moves() == driver.moves, note


def test_a_game_of_two_people_goes_on_through_faults(browser: Browser, service: Killed) -> None:
    seed = int(os.environ.get("FAULT_SEED") or secrets.randbits(32))
    chance = random.Random(seed)
    with FaultyProxy(urlsplit(service.url).netloc) as proxy, ThreadPoolExecutor(1) as threads:
        options = {"people": 1, "opponents": 1, "level": "easy", "name": "Ann"}
        table = Table.opened(browser, proxy.url, options=options)
        table.button("Play").click()
        link = table.page.get_by_label("Invite: Player 2").input_value()
        _, game, code = urlsplit(link).fragment.split("/")
        joined = requests.post(
            f"{service.url}/v1/games/{game}/seats", json={"invite": code, "name": "Bo"}, timeout=30
        ).json()
        ann = seat_of(table, service.url)
        bo = Seat(service.url, game, joined["token"], random.Random(seed))
        driver = Driver(table, ann, proxy, service, chance)
        others: list[Future[None]] = []

        def planned() -> Callable[[], None]:
            """A move of whoever is to move; the other person's are made beside the fault."""
            if ann.view()["turn"]["seat"] == 0:
                return driver.planned()
            return lambda: others.append(threads.submit(bo.play, chance.randint(1, 2)))

        def settle(note: str) -> None:
            while others:
                others.pop().result()
            assert_same(table, ann.view, note)

        assert_same(table, ann.view, f"FAULT_SEED={seed}")
        for number, kind in enumerate(faults(chance)):
            note = f"FAULT_SEED={seed}, fault {number}: {kind}"
            for _ in range(chance.randrange(4)):
                planned()()
                settle(note)
            driver.fault(kind, planned())
            settle(note)
            assert table.page.locator(".notice").count() == 0, note
            assert ann.own_moves() == driver.moves, note
            assert bo.own_moves() == bo.moves, note
