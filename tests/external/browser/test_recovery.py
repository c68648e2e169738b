"""What goes wrong beside a move, one thing at a time, and how the table is right again."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
import requests
from playwright.sync_api import Browser, expect

from tests.external.browser.comparison import assert_same
from tests.external.browser.faulty_play import Seat, seat_of
from tests.external.browser.faulty_proxy import (
    FaultyProxy,
    Reply,
    Request,
    problem,
)
from tests.external.browser.table_driver import Table


@pytest.fixture
def proxy(service_url: str) -> Iterator[FaultyProxy]:
    with FaultyProxy(urlsplit(service_url).netloc) as proxy:
        yield proxy


def with_bo(browser: Browser, proxy: FaultyProxy, url: str, **settings: str) -> tuple[Table, Seat]:
    """Ann's table, with Bo at the other side, who plays past the proxy."""
    options = {"people": 1, "opponents": 0, "name": "Ann"}
    table = Table.opened(browser, proxy.url, settings=settings, options=options)
    table.button("Play").click()
    link = table.page.get_by_label("Invite: Player 2").input_value()
    _, game, code = urlsplit(link).fragment.split("/")
    joined = requests.post(
        f"{url}/v1/games/{game}/seats", json={"invite": code, "name": "Bo"}, timeout=30
    ).json()
    table.page.locator(".guests").wait_for(state="detached")
    return table, Seat(url, game, joined["token"], random.Random(13))


def until_next(table: Table, bo: Seat, ann: Seat) -> None:
    """Let both play until the first round's end lies on Ann's table."""
    while table.page.locator("dialog.round-end").count() == 0:
        if ann.view()["turn"]["seat"] == 1:
            bo.play(1)
        else:
            ann.play(1)
        table.page.wait_for_timeout(20)


@pytest.mark.parametrize("status", [429, 503])
def test_a_wait_that_the_service_asks_for_is_kept(
    browser: Browser, proxy: FaultyProxy, service_url: str, status: int
) -> None:
    code = {429: "quota-exceeded", 503: "storage-unavailable"}[status]
    table = Table.opened(browser, proxy.url, locale="de")
    table.page.locator("button.play").click()
    table.page.locator(".stock:enabled").wait_for()
    times: list[float] = []

    def rule(request: Request) -> Reply | None:
        if not request.path.endswith("/draw"):
            return None
        times.append(time.monotonic())
        return problem(status, code, "Wait.", Retry_After="3") if len(times) == 1 else None

    proxy.rule = rule
    table.page.locator(".stock").click()
    expect(table.page.locator(".notice")).to_contain_text(re.compile("Der Dienst|Dienst"))
    table.page.locator(".table[data-due=discard]").wait_for()
    expect(table.page.locator(".notice")).to_have_count(0)

    assert len(times) == 2
    assert times[1] - times[0] >= 3
    assert seat_of(table, service_url).own_moves() == [("draw", "stock")]


def test_a_round_is_looked_at_while_the_others_play_on(
    browser: Browser, proxy: FaultyProxy, service_url: str
) -> None:
    table, bo = with_bo(browser, proxy, service_url)
    ann = seat_of(table, service_url)
    until_next(table, bo, ann)
    table.page.wait_for_timeout(300)
    for _ in range(2):
        if ann.view()["turn"]["seat"] == 1:
            bo.play(1)
        else:
            ann.play(1)
        table.page.wait_for_timeout(500)
    table.button("Next round").click()

    table.page.locator("dialog.round-end").wait_for(state="detached")
    assert_same(table, ann.view)


def test_a_move_is_made_though_somebody_left_meanwhile(
    browser: Browser, proxy: FaultyProxy, service_url: str
) -> None:
    table, bo = with_bo(browser, proxy, service_url)
    ann = seat_of(table, service_url)
    while ann.view()["turn"]["seat"] == 1:
        bo.play(1)
    assert_same(table, ann.view)
    before = ann.own_moves()
    proxy.cut()
    table.stock.click()
    bo.leave()
    proxy.mend()
    assert_same(table, ann.view)

    assert ann.own_moves() == [*before, ("draw", "stock")]
