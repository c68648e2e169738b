"""A turn played in a browser, by nothing but what Swagger UI shows."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.system.launch import Launch

DESK: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}
_MILLISECONDS = 30_000.0


class Docs:
    """The page of Swagger UI, with all that it asked for and all that it complained of.

    A picture of every operation is left in `folder`.
    """

    def __init__(
        self, page: Page, url: str, folder: Path, size: ViewportSize | None = None
    ) -> None:
        self._page = page
        self._folder = folder
        self.asked: list[str] = []
        self.complaints: list[str] = []
        page.set_default_timeout(_MILLISECONDS)
        expect.set_options(timeout=_MILLISECONDS)
        page.set_viewport_size(size or DESK)
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("requestfailed", lambda request: self.complaints.append(f"failed: {request.url}"))
        page.on("console", lambda said: self.complaints.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(url)
        expect(page.locator(".opblock").first).to_be_visible()
        page.screenshot(path=folder / "page.png", full_page=True)

    def operations(self) -> list[str]:
        """The names of the operations, from top to bottom."""
        return self._page.locator(".opblock-summary-operation-id").all_inner_texts()

    def is_locked(self, operation: str) -> bool:
        """Whether the lock beside an operation is closed."""
        lock = self._block(operation).locator(".authorization__btn")
        return lock.get_attribute("aria-label") == "authorization button locked"

    def authorize(self, token: str) -> None:
        """Give a token to the dialog behind the Authorize button, in place of any before."""
        self._page.locator(".auth-wrapper .btn.authorize").click()
        dialog = self._page.locator(".dialog-ux .modal-ux")
        self._page.screenshot(path=self._folder / "authorize.png")
        logout = dialog.get_by_text("Logout")
        expect(logout.or_(dialog.locator("input"))).to_be_visible()
        if logout.is_visible():
            logout.click()
        dialog.locator("input").fill(token)
        dialog.get_by_role("button", name="Apply credentials").click()
        dialog.locator(".btn-done").click()

    def execute(self, operation: str, status: int, **typed: str) -> Any:
        """Open an operation, fill in its fields, press Execute, and read the body shown."""
        self.open(operation)
        for name, text in typed.items():
            self._field(self._block(operation), name).fill(text)
        return self.click_execute(operation, status)

    def click_execute(self, operation: str, status: int) -> Any:
        """Press Execute of an operation that is open, and read the body shown."""
        block = self._block(operation)
        block.get_by_role("button", name="Execute").click()
        answer = block.locator(".live-responses-table tbody")
        expect(answer.locator(".response-col_status").first).to_have_text(str(status))
        block.screenshot(path=self._folder / f"{operation}.png")
        return json.loads(answer.locator(".highlight-code code").first.inner_text())

    def open(self, operation: str) -> None:
        """Open an operation, if it is not."""
        block = self._block(operation)
        if "is-open" not in (block.get_attribute("class") or ""):
            block.locator(".opblock-summary-control").click()
        expect(block.locator(".documented")).to_be_visible()

    def open_all(self) -> None:
        """Open every operation that is not."""
        closed = ".opblock:not(.is-open) .opblock-summary-control"
        self._page.evaluate(
            "(closed) => document.querySelectorAll(closed).forEach((each) => each.click())", closed
        )
        for operation in self.operations():
            expect(self._block(operation).locator(".documented")).to_be_visible()

    def value(self, operation: str, name: str) -> str:
        """What stands in a field of an operation, which is opened for that."""
        self.open(operation)
        return self._field(self._block(operation), name).input_value()

    def documented(self, operation: str) -> Locator:
        """The documented answers of an operation, each of them by its status."""
        rows = ".responses-table:not(.live-responses-table) .response-col_status"
        return self._block(operation).locator(rows).filter(visible=True)

    def unfold(self, operation: str) -> None:
        """Unfold the documented answers below a live one."""
        self._block(operation).get_by_text("Documented answers").click()

    def too_wide(self) -> int:
        """By how many pixels the page is wider than its window."""
        width: int = self._page.evaluate("document.scrollingElement.scrollWidth - innerWidth")
        return width

    def _block(self, operation: str) -> Locator:
        return self._page.locator(f".opblock[id$='-{operation}']")

    def _field(self, block: Locator, name: str) -> Locator:
        if name == "body":
            return block.locator("textarea.body-param__text")
        return block.locator(f"tr[data-param-name='{name}'] input")


@pytest.fixture
def docs(page: Page, service_url: str, tmp_path: Path) -> Docs:
    return Docs(page, f"{service_url}/v1/docs", tmp_path)


def test_a_turn_is_played_by_clicks_and_typing_alone(docs: Docs, service_url: str) -> None:
    created = docs.execute("createGame", 201)
    game_id = created["game"]["id"]
    docs.authorize(created["token"])

    seen = docs.execute("getGame", 200, game_id=game_id)
    assert seen["you"] == created["game"]["you"]

    drawn = docs.execute("drawCard", 200, game_id=game_id)
    you = drawn["game"]["you"]
    assert you["drawn"] in you["hand"]

    card = you["legal"]["discard"][0]
    moved = docs.execute("discardCard", 200, game_id=game_id, body=json.dumps({"card": card}))
    others = {event["seat"] for event in moved["events"] if event["type"] == "card_drawn"}
    assert moved["events"][0]["card"] == card
    assert others
    assert others <= {1, 2, 3}

    assert docs.complaints == []
    assert {urlsplit(url)._replace(path="").geturl() for url in docs.asked} == {service_url}


def test_a_turn_is_three_clicks_of_execute(docs: Docs) -> None:
    created = docs.click_execute("createGame", 201)
    drawn = docs.click_execute("drawCard", 200)
    moved = docs.click_execute("discardCard", 200)

    best = drawn["game"]["you"]["arrangement"]["discard"]
    own = [event for event in moved["events"] if event.get("seat") == 0]
    assert created["game"]["id"] == drawn["game"]["id"] == moved["game"]["id"]
    assert [(event["type"], event["card"]) for event in own[:1]] == [("card_discarded", best)]
    # The operations stay open, and the next turn needs two clicks.
    drawn = docs.click_execute("drawCard", 200)
    best = drawn["game"]["you"]["arrangement"]["discard"]
    sent = json.loads(docs.value("discardCard", "body"))
    assert sent["card"] == best
    assert sent.get("go_out", False) == (best in drawn["game"]["you"]["can_go_out_with"])
    assert docs.click_execute("discardCard", 200)["events"][0]["card"] == best
    assert docs.complaints == []


def test_the_next_game_stands_in_every_operation_open_or_not(docs: Docs) -> None:
    docs.open("getScores")
    first = docs.click_execute("createGame", 201)["game"]["id"]
    assert {docs.value(name, "game_id") for name in ("getScores", "drawCard", "getHint")} == {first}

    docs.execute("getScores", 404, game_id="A" * 22)
    second = docs.click_execute("createGame", 201)["game"]["id"]

    named = ("getGame", "drawCard", "discardCard", "getScores", "getHint", "listEvents", "joinGame")
    assert second != first
    assert {docs.value(name, "game_id") for name in named} == {second}
    assert docs.execute("getHint", 200)["phase"] == "draw"


def test_who_joins_goes_on_as_that_seat(docs: Docs) -> None:
    seats = [{"kind": "human"}, {"kind": "human"}]
    created = docs.execute("createGame", 201, body=json.dumps({"seats": seats}))
    invite = json.dumps({"invite": created["invites"][0]["code"]})
    joined = docs.execute("joinGame", 201, body=invite)

    assert joined["seat"] == 1
    assert docs.execute("getGame", 200)["you"]["seat"] == 1


def test_the_documented_answers_fold_under_a_live_one(docs: Docs) -> None:
    answer = docs.documented("getGame").filter(has_text="200")
    docs.click_execute("createGame", 201)
    docs.open("getGame")
    expect(answer).to_have_count(1)
    docs.click_execute("getGame", 200)
    expect(docs.documented("getGame")).to_have_count(0)

    docs.unfold("getGame")

    expect(answer).to_have_count(1)


def test_on_a_phone_nothing_is_wider_than_the_page(
    page: Page, service_url: str, tmp_path: Path
) -> None:
    docs = Docs(page, f"{service_url}/v1/docs", tmp_path, PHONE)
    assert docs.too_wide() == 0
    for operation, status in (("createGame", 201), ("drawCard", 200), ("discardCard", 200)):
        docs.click_execute(operation, status)
        assert docs.too_wide() == 0, operation
        docs.unfold(operation)
    docs.open_all()
    assert docs.too_wide() == 0

    docs.authorize("of any game")

    assert docs.is_locked("getGame")
    assert docs.complaints == []


def test_under_a_prefix_the_page_and_its_calls_are_below_it(page: Page, tmp_path: Path) -> None:
    with Launch(tmp_path, ROOT_PATH="/cards") as service:
        docs = Docs(page, f"{service.url()}/cards", tmp_path)
        assert docs.execute("createGame", 201)["game"]["status"] == "playing"
        paths = {urlsplit(url).path for url in docs.asked}

    assert "/cards/v1/games" in paths
    assert {path for path in paths if not path.startswith("/cards")} == set()
    assert docs.complaints == []


def test_the_locks_show_whether_there_is_a_token(docs: Docs) -> None:
    guarded = ("getGame", "drawCard", "discardCard", "deleteGame")
    assert not any(docs.is_locked(operation) for operation in guarded)

    docs.authorize("of any game")

    assert all(docs.is_locked(operation) for operation in guarded)


def test_the_operations_stand_in_the_order_in_which_one_plays(docs: Docs) -> None:
    operations = docs.operations()

    assert operations[:4] == ["createGame", "getGame", "drawCard", "discardCard"]
    assert operations[operations.index("deleteGame") + 1] == "joinGame"  # the last of its group


def test_the_example_bodies_can_be_sent_as_they_are(docs: Docs) -> None:
    assert docs.execute("createGame", 201)["game"]["status"] == "playing"
    assert docs.execute("evaluateHand", 200)["melds"]
    assert docs.execute("listEvents", 404, game_id="A" * 22)["code"] == "game-not-found"


def test_the_policy_allows_no_inline_code_and_no_other_host(service_url: str) -> None:
    for path in ("/v1/docs", "/v1/docs/docs.js", "/v1/docs/swagger-ui.css", "/v1/openapi.json"):
        header = requests.get(service_url + path, timeout=10).headers["Content-Security-Policy"]
        policy = {name: set(rest) for name, *rest in map(str.split, header.split(";"))}

        assert policy["default-src"] == {"'none'"}
        assert policy["frame-ancestors"] == {"'none'"}
        assert policy.get("script-src", {"'self'"}) == {"'self'"}
        assert set().union(*policy.values()) <= {"'none'", "'self'", "data:"}
