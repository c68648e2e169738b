"""All that the table shows, and the same as getGame tells it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Error

from tests.external.browser.table_driver import Table

_SECONDS = 30.0
_SHOWN = """() => {
    const all = (selector, of) => [...document.querySelectorAll(selector)].map(of);
    const one = (selector, of) => all(selector, of)[0] ?? null;
    const table = document.querySelector(".table");
    if (!table || document.querySelector(".notice:not(.bad)")) return null;
    const seats = all("[data-seat]", (seat) => [+seat.dataset.seat, {
        total: +seat.querySelector("[data-total]").dataset.total,
        name: seat.classList.contains("seat-line") ? null
            : seat.getAttribute("aria-label").split(",")[0],
        moves: seat.classList.contains("seat-line") ? table.dataset.due !== ""
            : seat.getAttribute("aria-current") === "true",
        cards: seat.classList.contains("seat-line") ? null : seat.querySelectorAll(".back").length,
        shown: seat.classList.contains("seat-line") ? null : seat.querySelectorAll(".chip").length,
    }]);
    return {
        version: +table.dataset.version,
        due: table.dataset.due,
        hand: all(".hand [data-card]", (card) => card.dataset.card).sort(),
        round: one("[data-round]", (each) => each.dataset.round),
        stock: one("[data-stock]", (each) => each.dataset.stock),
        top: one("[data-top]", (each) => each.dataset.top),
        pile: one("[data-pile=discard] ~ button b", (each) => each.textContent),
        seats: Object.fromEntries(seats),
    };
}"""


def shown(table: Table) -> dict[str, Any] | None:
    """What the page shows; nothing while it waits."""
    try:
        found: dict[str, Any] | None = table.page.evaluate(_SHOWN)
    except Error:  # the page is being loaded
        return None
    return found


def told(view: dict[str, Any]) -> dict[str, Any]:
    """What the page is to show for a view."""
    own = view["you"]["seat"] if view["you"] else None
    turn = view["turn"]
    seats = {
        str(seat["seat"]): {
            "total": seat["total"],
            "moves": turn["seat"] == seat["seat"],
            "name": None if seat["seat"] == own else seat["name"],
            "cards": None if seat["seat"] == own else seat["card_count"],
            "shown": None if seat["seat"] == own else len(seat["shown"]),
        }
        for seat in view["seats"]
    }
    return {
        "version": view["version"],
        "due": turn["phase"] if turn["seat"] == own else "",
        "hand": sorted(view["you"]["hand"]) if view["you"] else [],
        "round": str(view["round"]["number"]),
        "stock": str(view["stock_count"]),
        "top": view["discard_top"] or "",
        "pile": str(view["discard_count"]),
        "seats": seats,
    }


def assert_same(table: Table, read: Callable[[], dict[str, Any]], note: str = "") -> None:
    """Wait until the page is well and shows what the service tells.

    Laid out hands of a round are passed by. At a game's end its totals are compared.
    """
    deadline = time.monotonic() + _SECONDS
    seen, expected = None, None
    while time.monotonic() < deadline:
        following = table.button("Next round")
        if following.count():
            following.click()
        view = read()
        if view["status"] == "finished":
            if table.page.locator("dialog.game-end").count():
                assert table.totals() == view["result"]["totals"], note
                return
        else:
            seen, expected = shown(table), told(view)
            if seen == expected:
                return
        table.page.wait_for_timeout(50)
    assert seen == expected, note
