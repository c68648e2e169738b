"""Whole games at the table in a browser: by taps, by keys, through reloads and refusals."""

from __future__ import annotations

import json
import os
import random
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from playwright.sync_api import Browser, Route, expect

from tests.external.browser.table_driver import DESK, PHONE, ROOT, Table
from tests.scale import scaled
from tests.system.launch import Launch

TSC = ROOT / "tools/node_modules/.bin/tsc"
KNOWN_PATHS = re.compile(
    r"/cards(/play|/play/.+|/verify\.mjs|/verify/.+|/v1/(games|cards|rules)(/.+)?)"
)
PICTURE = ROOT / "docs/table.png"
SHORT = {"first": 1, "last": 2}
TURNED = {"speed": "normal"}


def served(table: Table) -> dict[str, Any]:
    """The game as getGame tells it."""
    kept = table.session()
    auth = {"Authorization": f"Bearer {kept['token']}"}
    answer = requests.get(f"{table.url}/v1/games/{kept['id']}", headers=auth, timeout=10)
    view: dict[str, Any] = answer.json()
    return view


def assert_shows(table: Table, view: dict[str, Any]) -> None:
    """Compare what the page shows with a view."""
    assert sorted(table.hand()) == sorted(view["you"]["hand"])
    assert table.round == view["round"]["number"]
    assert table.totals() == [seat["total"] for seat in view["seats"]]
    page = table.page
    assert page.locator("[data-stock]").inner_text() == str(view["stock_count"])
    assert page.locator("[data-top]").get_attribute("data-top") == view["discard_top"]
    assert page.locator(".table").get_attribute("data-version") == str(view["version"])
    for seat in view["seats"][1:]:
        place = page.locator(f"[data-seat='{seat['seat']}']")
        assert place.locator(".back").count() == seat["card_count"]
        assert place.locator(".chip").count() == len(seat["shown"])


def assert_clean(table: Table) -> None:
    assert table.complaints == []
    assert table.asked == {table.url}


def picture(table: Table, folder: Path, name: str) -> None:
    table.page.screenshot(path=folder / f"{name}.png")


@pytest.mark.parametrize(("size", "theme"), [(PHONE, "dark"), (DESK, "light")])
def test_a_game_of_eleven_rounds_is_played_by_taps_alone(
    browser: Browser, service_url: str, tmp_path: Path, size: dict[str, int], theme: str
) -> None:
    table = Table.opened(browser, service_url, size=size, theme=theme)
    picture(table, tmp_path, "start")
    table.deal()
    rounds = []
    while table.await_choice() != "end":
        rounds.append(table.round)
        assert len(table.hand()) == table.round + 2
        number = table.round
        table.play(until=lambda each: each.await_choice() in ("next", "end"))
        picture(table, tmp_path, f"round-{number}")
        if table.await_choice() == "next":
            table.button("Next round").click()

    assert rounds == list(range(1, 12))
    view = served(table)
    assert view["status"] == "finished"
    assert table.totals() == view["result"]["totals"]
    expect(table.button("Rematch")).to_be_visible()
    assert_clean(table)


def test_a_game_is_played_by_keys_alone(browser: Browser, service_url: str) -> None:
    table = Table.opened(browser, service_url, options={"opponents": 1})
    keys = table.page.keyboard
    expect(table.button("Play")).to_be_enabled()
    while table.page.evaluate("document.activeElement.className") != "main play":
        keys.press("Tab")
    keys.press("Enter")
    while (due := table.await_choice()) != "end":
        match due:
            case "next":
                keys.press("Enter")
                table.page.locator("dialog.round-end").wait_for(state="detached")
            case "draw":
                keys.press("D" if table.round % 2 else "P")
                table.page.locator(".table:not([data-due=draw])").wait_for()
            case "discard":
                keys.press("G")
                if table.page.locator(".table[data-due=discard]").count():
                    keys.press("End")
                    keys.press("Enter")
                    keys.press("Enter")
                table.page.locator(".table:not([data-due=discard])").wait_for()

    assert served(table)["status"] == "finished"
    assert_clean(table)


def test_the_page_shows_what_the_service_tells_after_each_move(
    browser: Browser, service_url: str
) -> None:
    table = Table.opened(browser, service_url, options={"first": 9, "last": 10, "jokers": 4})
    table.deal()
    while (due := table.await_choice()) != "end":
        if due != "next":
            assert_shows(table, served(table))
        table.step()

    assert_clean(table)


def test_a_reload_goes_on_where_it_was(browser: Browser, service_url: str) -> None:
    table = Table.opened(browser, service_url, options=SHORT)
    table.deal()
    seen = set()
    while (due := table.await_choice()) != "end":
        seen.add(due)
        before = table.round, sorted(table.hand()) if due != "next" else None
        table.page.reload()
        assert table.await_choice() == due
        assert (table.round, sorted(table.hand()) if due != "next" else None) == before
        if due == "next":
            table.button("Next round").click()
            continue
        assert_shows(table, served(table))
        table.step()
    table.page.reload()

    assert table.await_choice() == "end"
    assert seen == {"draw", "discard", "next"}
    assert_clean(table)


def test_a_discard_can_be_taken_back_and_is_sent_when_the_page_ends(
    browser: Browser, service_url: str
) -> None:
    table = Table.opened(browser, service_url, settings=TURNED, options={"opponents": 1})
    table.deal()
    table.stock.click()
    table.page.locator(".table[data-due=discard]").wait_for()
    held = sorted(table.hand())
    table.cards.first.click()
    table.button("Discard").click()
    table.button("Take back").click()
    assert sorted(table.hand()) == held
    assert served(table)["turn"]["phase"] == "discard"

    chosen = table.hand()[0]
    table.cards.first.focus()
    table.page.keyboard.press("Escape")
    table.cards.first.click()
    table.button("Discard").click()
    table.button("Take back").wait_for()
    table.page.goto("about:blank")
    table.page.goto(f"{service_url}/play")
    table.await_choice()

    kept = table.session()
    events = requests.get(f"{service_url}/v1/games/{kept['id']}/events", timeout=10).json()
    own = [each for each in events["events"] if each.get("seat") == 0]
    assert own[2]["type"] == "card_discarded"
    assert own[2]["card"] == chosen


def test_lost_answers_and_busy_services_double_no_move(browser: Browser, service_url: str) -> None:
    table = Table.opened(browser, service_url, options={"first": 2, "last": 2})
    moves = iter(range(1000))

    def disturb(route: Route) -> None:
        match next(moves) % 5:
            case 0:
                route.abort()
            case 1:
                route.fulfill(
                    status=503,
                    headers={"Retry-After": "1"},
                    json={"code": "storage-unavailable", "detail": "Wait."},
                )
            case 2:  # the move is made, and its answer is lost
                route.fetch()
                route.abort()
            case _:
                route.continue_()

    table.page.route("**/v1/games/*/d*", disturb)
    table.deal()
    turns = 0
    while table.await_choice() != "end":
        turns += table.await_choice() == "draw"
        table.step()

    events = requests.get(
        f"{service_url}/v1/games/{table.session()['id']}/events?limit=1000", timeout=10
    ).json()["events"]
    own = [each["type"] for each in events if each.get("seat") == 0]
    assert own.count("card_drawn") == own.count("card_discarded") == turns
    assert table.totals() == served(table)["result"]["totals"]


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_state_is_accessible(
    browser: Browser, service_url: str, tmp_path: Path, size: dict[str, int], theme: str
) -> None:
    table = Table.opened(
        browser, service_url, size=size, theme=theme, options={"first": 8, "last": 9, "jokers": 2}
    )
    found: dict[str, list[str]] = {}

    def check(name: str) -> None:
        found[name] = table.violations()
        picture(table, tmp_path, name)

    def check_sheet(name: str, button: str) -> None:
        table.page.get_by_role("button", name=button).first.click()
        expect(table.page.locator("dialog")).to_contain_text(re.compile(r"\w{4}"))
        check(name)
        table.page.keyboard.press("Escape")
        table.page.locator("dialog").wait_for(state="detached")

    table.page.locator("summary").first.click()
    check("start")
    check_sheet("rules", "Rules")
    table.deal()
    check("draw")
    table.button("Hint").click()
    table.button("Figures").click()
    check("hint")
    table.stock.click()
    table.page.locator(".table[data-due=discard]").wait_for()
    table.cards.first.click()
    check("discard")
    check_sheet("history", "Discard pile,")
    check_sheet("scores", "Scores")
    check_sheet("menu", "Menu")
    table.play(until=lambda each: each.page.locator(".banner.shown").count() > 0)
    check("last turn")
    table.play(until=lambda each: each.await_choice() == "next")
    check("round end")
    table.play()
    table.button("Check the shuffle").click()
    expect(table.page.locator(".verdict.true")).to_be_visible()
    check("game end")
    table.button("Review").click()
    table.button("Next loss").click()
    table.button("Next move").click()
    check("review")

    assert {name: problems for name, problems in found.items() if problems} == {}
    assert_clean(table)


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_nothing_shifts_during_a_turn_and_nothing_needs_a_pan(
    browser: Browser, service_url: str, size: dict[str, int]
) -> None:
    table = Table.opened(browser, service_url, size=size, options={"first": 11, "level": "easy"})
    table.deal()
    table.watch_shifts()
    shifts = []
    for _ in range(6):
        table.step()
        if table.await_choice() in ("next", "end"):
            break
        shifts.append(table.shifts())

    assert shifts
    assert set(shifts) == {0}
    page = table.page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
    )
    assert page == [size["width"], size["height"]]


@pytest.mark.parametrize("width", [320, 768, 844, 1100, 2560])
def test_at_every_width_all_is_within_the_page(
    browser: Browser, service_url: str, width: int, tmp_path: Path
) -> None:
    height = {320: 640, 844: 390}.get(width, 900)
    size = {"width": width, "height": height}
    table = Table.opened(browser, service_url, size=size, options={"first": 11, "opponents": 5})
    table.deal()
    table.stock.click()
    table.await_choice()
    picture(table, tmp_path, f"{width}")
    boxes = table.page.locator("button").evaluate_all(
        "all => all.map((each) => each.getBoundingClientRect()).map(({left, right, top, bottom}) =>"
        " [left, top, right, bottom])"
    )
    for left, top, right, bottom in boxes:
        assert left >= 0
        assert top >= 0
        assert right <= width + 0.5
        assert bottom <= height + 0.5


def test_cards_are_dragged_to_the_pile_and_within_the_hand(
    browser: Browser, service_url: str
) -> None:
    table = Table.opened(browser, service_url, options={"first": 3, "last": 3})
    table.deal()
    before = table.hand()
    table.cards.first.drag_to(table.cards.last, target_position={"x": 60, "y": 40})
    assert table.hand() == [*before[1:], before[0]]

    table.stock.drag_to(table.page.locator(".hand"))
    assert table.await_choice() == "discard"
    card = table.hand()[0]
    version = served(table)["version"]
    table.cards.first.drag_to(table.page.locator(".middle"))
    table.page.locator(f".table:not([data-version='{version}'])").wait_for()
    kept = table.session()
    events = requests.get(f"{service_url}/v1/games/{kept['id']}/events", timeout=10).json()
    own = [each for each in events["events"] if each["type"] == "card_discarded"]
    assert card in [each["card"] for each in own if each["seat"] == 0]
    assert_clean(table)


@pytest.mark.parametrize("language", ["de", "tr", "vi", "hi"])
def test_the_page_speaks_the_language_of_the_browser(
    browser: Browser, service_url: str, language: str, tmp_path: Path
) -> None:
    table = Table.opened(browser, service_url, size=PHONE, locale=language)
    expect(table.page.locator("html")).to_have_attribute("lang", language)
    table.page.locator("button.play").click()
    table.page.locator(".stock:enabled").wait_for()
    table.page.locator(".stock").click()
    table.page.locator(".table[data-due=discard]").wait_for()
    picture(table, tmp_path, language)
    assert table.page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert table.violations() == []
    assert_clean(table)


def test_under_a_prefix_all_it_asks_for_is_below_it_and_documented(
    browser: Browser, tmp_path: Path
) -> None:
    with Launch(tmp_path, ROOT_PATH="/cards") as service:
        table = Table.opened(browser, f"{service.url()}/cards", options=SHORT)
        table.deal()
        table.play()
        table.button("Check the shuffle").click()
        expect(table.page.locator(".verdict.true")).to_be_visible()

    assert {path for path in table.paths if not KNOWN_PATHS.fullmatch(path)} == set()
    assert table.complaints == []


def test_whatever_is_cut_the_game_goes_on(browser: Browser, tmp_path: Path) -> None:
    chance = random.Random(13)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    service = Launch(tmp_path, PORT=str(port))
    try:
        options = {"turnSeconds": 86_400, "level": "easy"}  # so that the page follows the stream
        table = Table.opened(browser, service.url(), options=options)
        table.deal()
        for _ in range(scaled(20)):
            for _ in range(chance.randrange(3)):
                table.step()
            table.start_step()
            match chance.choice(["reload", "net", "service"]):
                case "reload":
                    table.page.reload()
                case "net":
                    table.page.context.set_offline(True)
                    table.page.context.set_offline(False)
                case "service":
                    service.__exit__()
                    service = Launch(tmp_path, PORT=str(port))
                    service.url()
            if table.await_choice() in ("draw", "discard"):
                assert_shows(table, served(table))
    finally:
        service.__exit__()


def test_an_integrator_sees_each_request_with_its_answer(
    browser: Browser, service_url: str
) -> None:
    table = Table.opened(browser, service_url, options=SHORT)
    table.deal()
    table.button("Menu").click()
    table.button("The API behind this table").click()
    table.stock.click()
    drawn = table.page.locator(".exchanges li").first
    expect(drawn).to_contain_text("/draw")
    drawn.locator("summary").click()
    expect(drawn).to_contain_text('"card_drawn"')
    drawn.get_by_role("button", name="curl").click()
    command = drawn.locator("textarea").input_value()
    assert table.violations() == []

    again = subprocess.run(
        command, shell=True, capture_output=True, text=True, timeout=30, check=True
    )
    assert json.loads(again.stdout)["events"][0]["type"] == "card_drawn"
    drawn.get_by_role("button", name="Python").click()
    program = drawn.locator("textarea").input_value()
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True
    )
    assert "card_drawn" in ran.stdout


def test_the_picture_of_the_readme(browser: Browser, service_url: str, tmp_path: Path) -> None:
    """`PICTURES=1` writes it into the tree."""

    def seed(route: Route) -> None:
        route.continue_(post_data=json.dumps({**route.request.post_data_json, "seed": "13" * 32}))

    size = {"width": 1280, "height": 800}
    table = Table.opened(browser, service_url, size=size, options={"first": 7})
    table.page.route("**/v1/games", seed)
    table.deal()
    for _ in range(5):
        table.step()
    path = PICTURE if os.environ.get("PICTURES") == "1" else tmp_path / "table.png"
    table.page.screenshot(path=path)

    assert table.cards.count() == 10
    assert PICTURE.exists()


def test_the_types_in_its_comments_are_right() -> None:
    assert TSC.exists(), "this test needs TypeScript: npm ci in tools/, as make check does"
    checked = subprocess.run(
        [TSC, "--project", ROOT / "tools/tsconfig.json"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout


def test_two_people_play_while_a_third_looks_on(
    browser: Browser, service_url: str, tmp_path: Path
) -> None:
    options = {"people": 1, "opponents": 1, "name": "Ann", **SHORT}
    ann = Table.opened(browser, service_url, options=options)
    ann.button("Play").click()
    invite = ann.page.get_by_label("Invite: Player 2").input_value()
    watch = ann.page.get_by_label("A link to look on").input_value()
    assert ann.violations() == []
    picture(ann, tmp_path, "waiting")
    third = Table.opened(browser, service_url, size=PHONE, fragment=urlsplit(watch).fragment)
    third.page.locator(".guests").wait_for()
    bo = Table.opened(browser, service_url, size=PHONE, fragment=urlsplit(invite).fragment)
    bo.page.get_by_label("Your name").fill("Bo")
    assert bo.violations() == []
    picture(bo, tmp_path, "join")
    bo.button("Join").click()
    assert "#" not in bo.page.url
    assert "#" not in third.page.url
    third.page.locator(".guests").wait_for(state="detached")
    people = [ann, bo]

    while served(ann)["status"] != "finished":
        for person in (*people, third):
            if person.button("Next round").count():
                person.button("Next round").click()
        due = [each for each in people if each.page.locator(".table[data-due='']").count() == 0]
        if due:
            due[0].step()
        picture(third, tmp_path, "looking-on")
    totals = served(ann)["result"]["totals"]
    for person in (*people, third):
        person.play(until=lambda each: each.page.locator("dialog.game-end").count() > 0)
        assert person.totals() == totals
        assert_clean(person)
    assert third.hand() == []

    ann.button("Rematch").click()
    ann.page.locator("dialog.game-end").wait_for(state="detached")
    bo.button("Rematch").click()
    bo.page.locator("dialog.game-end").wait_for(state="detached")
    assert ann.session()["id"] == bo.session()["id"] != urlsplit(watch).fragment.split("/")[1]
