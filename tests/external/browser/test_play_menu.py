"""What a person expects around the moves: menu, questions, focus, targets, what is told once."""

from __future__ import annotations

from itertools import pairwise
from urllib.parse import urlsplit

import pytest
import requests
from playwright.sync_api import Browser, Locator, expect

from tests.external.browser.table_driver import PHONE, Table
from tests.external.browser.test_play import SHORT, assert_clean, served
from tests.nodes import wait_for

LEAST_TARGET = 44
NARROWEST = {"width": 320, "height": 640}
_TOLD = """() => {
    window.told = [];
    const live = document.querySelector("#live");
    new MutationObserver(() => window.told.push(live.textContent))
        .observe(live, { childList: true });
}"""
_TARGETS = """() => [...document.querySelectorAll("button, a, select, summary, input")]
    .map((each) => [each, each.getBoundingClientRect()])
    .filter(([, { width, height }]) => width > 0 && height > 0)
    .map(([each, { width, height }]) => [each.ariaLabel || each.innerText, width, height])"""


def ask(table: Table, name: str) -> Locator:
    """Choose something in the menu that is asked for once more, and give the question."""
    table.button("Menu").click()
    table.button(name).click()
    question = table.page.locator("dialog.question")
    question.wait_for()
    return question


def too_small(table: Table) -> list[str]:
    """What of the page is no target for a finger."""
    found = table.page.evaluate(_TARGETS)
    return [name for name, *size in found if min(size) < LEAST_TARGET - 0.01]


def test_a_hand_that_could_go_out_can_play_on(browser: Browser, service_url: str) -> None:
    table = Table.opened(browser, service_url, options={"first": 1, "level": "easy"})
    table.deal()

    def can_choose(each: Table) -> bool:
        out = each.await_choice() == "discard" and each.button("Go out").is_enabled()
        return out and each.page.locator(".banner.shown").count() == 0

    table.play(until=can_choose)
    number = table.round
    question = ask(table, "Discard without going out")
    assert table.violations() == []
    question.get_by_role("button", name="Discard without going out").click()
    table.page.locator(".table:not([data-due=discard])").wait_for()

    events = requests.get(
        f"{service_url}/v1/games/{table.session()['id']}/events?limit=1000", timeout=10
    ).json()["events"]
    of_round = [each for each in events if each["round"] == number]
    assert [each for each in of_round if each.get("seat") == 0][-1]["type"] == "card_discarded"
    assert {each["seat"] for each in of_round if each["type"] == "went_out"} <= {1, 2, 3}
    assert_clean(table)


def test_a_game_is_deleted_once_the_question_is_answered(
    browser: Browser, service_url: str
) -> None:
    table = Table.opened(browser, service_url, options=SHORT)
    table.deal()
    game = f"{service_url}/v1/games/{table.session()['id']}"
    ask(table, "Delete this game")
    table.button("Cancel").click()
    assert requests.get(game, timeout=10).status_code == 200

    question = ask(table, "Delete this game")
    assert table.violations() == []
    question.get_by_role("button", name="Delete this game").click()
    expect(table.button("Play")).to_be_enabled()

    assert requests.get(game, timeout=10).status_code == 404
    assert table.page.locator(".saved li").count() == 0
    assert_clean(table)


def test_a_person_leaves_and_an_ai_player_plays_on(browser: Browser, service_url: str) -> None:
    options = {"people": 1, "opponents": 0, "name": "Ann", **SHORT}
    ann = Table.opened(browser, service_url, options=options)
    ann.button("Play").click()
    invite = ann.page.get_by_label("Invite: Player 2", exact=True).input_value()
    bo = Table.opened(browser, service_url, size=PHONE, fragment=urlsplit(invite).fragment)
    bo.button("Join").click()
    bo.cards.first.wait_for()

    ann.page.locator("dialog").wait_for(state="detached")
    ann.button("Menu").click()
    expect(ann.button("Delete this game")).to_have_count(0)
    ann.page.keyboard.press("Escape")
    ask(bo, "Leave for good").get_by_role("button", name="Leave for good").click()
    expect(bo.button("Play")).to_be_enabled()
    assert bo.page.locator(".saved li").count() == 0

    ann.play()
    assert served(ann)["seats"][1]["kind"] == "ai"
    assert_clean(ann)
    assert_clean(bo)


@pytest.mark.parametrize(
    ("language", "reason"),
    [("en", "It leaves you"), ("de", "Danach bleiben"), ("tr", "Elinde")],
)
def test_a_hint_gives_its_reason_in_the_language_of_the_page(
    browser: Browser, service_url: str, language: str, reason: str
) -> None:
    table = Table.opened(browser, service_url, locale=language, options={"first": 9})
    table.page.locator("button.play").click()
    table.page.locator(".stock:enabled").wait_for()
    hint = table.page.locator(".hint-box")
    table.page.locator("button.hint").click()
    expect(hint).to_contain_text(reason)
    table.page.locator(".stock").click()
    table.page.locator(".table[data-due=discard]").wait_for()
    table.page.locator("button.hint").click()
    expect(hint).to_contain_text(reason)
    assert hint.locator("[lang]").count() == 0
    assert_clean(table)


def test_escape_closes_every_sheet_and_gives_the_focus_back(
    browser: Browser, service_url: str
) -> None:
    table = Table.opened(browser, service_url, options={"first": 5})
    table.deal()
    page = table.page
    focused = "document.activeElement.innerText"
    for opener in ("Scores", "Menu"):
        table.button(opener).click()
        page.locator("dialog[open]").wait_for()
        page.keyboard.press("Escape")
        page.locator("dialog").wait_for(state="detached")
        assert page.evaluate(focused) == opener
    for name in ("Rules", "Delete this game", "The API behind this table"):
        table.button("Menu").click()
        table.button(name).click()
        page.locator("dialog:not(.menu), .drawer").wait_for()
        page.keyboard.press("Escape")
        page.locator("dialog, .drawer").wait_for(state="detached")
        assert page.evaluate(focused) == "Menu"
    assert_clean(table)


def test_every_event_is_told_once(browser: Browser, service_url: str) -> None:
    table = Table.opened(browser, service_url, options=SHORT)
    table.page.evaluate(_TOLD)
    table.deal()
    table.play()
    game = f"{service_url}/v1/games/{table.session()['id']}"
    events = requests.get(f"{game}/events?limit=1000", timeout=10).json()["events"]
    told = [each for each in events if each["type"] != "seat_joined"]
    script = "window.told.filter(Boolean).map((text) => text.slice(0, -1).split('. ')).flat()"
    wait_for(lambda: len(table.page.evaluate(script)) >= len(told), "every event is told")

    sentences = table.page.evaluate(script)
    assert len(sentences) == len(told)
    discards = [each for each in told if each["type"] == "card_discarded"]
    assert sum("discarded" in each for each in sentences) == len(discards)


def test_on_the_narrowest_page_everything_is_a_target_for_a_finger(
    browser: Browser, service_url: str
) -> None:
    options = {"first": 11, "opponents": 5}
    table = Table.opened(browser, service_url, size=NARROWEST, options=options)
    table.page.locator("summary").first.click()
    found = {"start": too_small(table)}
    table.deal()
    table.stock.click()
    table.page.locator(".table[data-due=discard]").wait_for()
    found["table"] = too_small(table)
    places = table.cards.evaluate_all(
        "all => all.map((each) => each.getBoundingClientRect()).map(({left, top}) => [top, left])"
    )
    table.button("Hint").click()
    table.button("Figures").click()
    found["hint"] = too_small(table)
    for name in ("Scores", "Menu"):
        table.button(name).click()
        found[name] = too_small(table)
        table.page.keyboard.press("Escape")
        table.page.locator("dialog").wait_for(state="detached")

    assert {name: small for name, small in found.items() if small} == {}
    # A card reaches over the one before: what is seen of that is its target.
    steps = [right - left for (top, left), (below, right) in pairwise(places) if top == below]
    assert len(steps) == 12
    assert min(steps) >= LEAST_TARGET - 0.5


def test_a_copied_link_is_said_to_be_copied(browser: Browser, service_url: str) -> None:
    table = Table.opened(browser, service_url, options={"people": 1, "opponents": 0})
    table.button("Play").click()
    copy = table.page.locator(".link-line").last.get_by_role("button")
    expect(copy).to_have_accessible_description("A link to look on")
    copy.click()
    expect(copy).to_have_text("✓ Copied")
    expect(copy).to_be_focused()
    expect(copy).to_have_text("Copy")
    assert table.violations() == []
    assert_clean(table)
